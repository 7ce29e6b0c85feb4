package io.delayq.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.path.TestServer;
import io.delayq.redis.LeftBehind;
import io.delayq.redis.TestRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RebucketCommandTest {
    @TempDir
    private Path dir;

    private CliTestBase.Said rebucket(String... args) throws Exception {
        Path config = Files.writeString(dir.resolve("empty.yaml"), "{}\n");
        String[] all = new String[args.length + 3];
        System.arraycopy(new String[] {"rebucket", "-c", config.toString()}, 0, all, 0, 3);
        System.arraycopy(args, 0, all, 3, args.length);
        return CliTestBase.run(Map.of(), "", all);
    }

    @Test
    void moves_what_a_server_has_stored_once_that_is_stopped() throws Exception {
        String redis = "--redis.url=" + TestRedis.shared().url();
        TestServer server = TestServer.start();
        String namespace = "--namespace=" + server.settings.namespace();
        try {
            for (int i = 0; i < 20; i++) {
                server.push("t", "{\"id\":\"j" + i + "\",\"delay\":\"1h\"}");
            }
            CliTestBase.Said early = rebucket("--to", "7", redis, namespace);
            assertEquals(1, early.code());
            assertEquals(
                    "delayq: servers, or another rebucket, are at work on these data; stop them first\n", early.err());
        } finally {
            server.close();
        }
        CliTestBase.Said dry = rebucket("--to", "7", "--dry-run", redis, namespace);
        assertEquals(0, dry.code(), dry.err());
        assertEquals("would move 20 jobs of 1 topics from 4 buckets to 7\n", dry.out());
        CliTestBase.Said done = rebucket("--to", "7", redis, namespace);
        assertEquals(0, done.code(), done.err());
        assertEquals("", done.err());
        List<String> lines = done.out().lines().toList();
        assertEquals("moves 20 jobs of 1 topics from 4 buckets to 7", lines.get(0));
        assertTrue(lines.get(1).matches("moved 20 jobs in .+; set buckets: 7 before you start servers"), lines.get(1));
        CliTestBase.Said again = rebucket("--to", "7", redis, namespace);
        assertEquals(0, again.code());
        assertEquals("there are 7 buckets already, so nothing to do\n", again.out());
    }

    /** It neither scans nor hands out, so it hears no hints; but it stores jobs. */
    @Test
    void a_server_that_only_takes_requests_counts_too() throws Exception {
        try (TestServer server = TestServer.start(set -> new Settings(
                set.http(),
                set.dataDir(),
                set.redis(),
                set.namespace(),
                set.buckets(),
                new Settings.Instances(1, 0, 0, 0, 0),
                set.tokens(),
                set.insecure()))) {
            server.push("t", "{\"delay\":\"1h\"}");
            CliTestBase.Said said = rebucket(
                    "--to",
                    "7",
                    "--redis.url=" + TestRedis.shared().url(),
                    "--namespace=" + server.settings.namespace());
            assertEquals(1, said.code(), said.out());
            assertTrue(said.err().contains("stop them first"), said.err());
        }
    }

    @Test
    void starts_the_embedded_redis_and_stops_it() throws Exception {
        CliTestBase.Said said = rebucket("--to=8", "--data.dir=" + dir.resolve("data"));
        assertEquals(0, said.code(), said.err());
        assertEquals("there are no data yet, so nothing to do: set buckets: 8\n", said.out());
        assertEquals(List.of(), LeftBehind.redisOf(dir.resolve("data")));
    }

    @Test
    void refuses_data_on_several_servers() throws Exception {
        CliTestBase.Said shards =
                rebucket("--to=8", "--redis.mode=shards", "--redis.url=redis://127.0.0.1:1,redis://127.0.0.1:2");
        assertEquals(2, shards.code());
        assertTrue(shards.err().contains("redis.mode is shards; data on several"), shards.err());
        CliTestBase.Said embedded = rebucket("--to=8", "--redis.processes=2", "--data.dir=" + dir.resolve("data"));
        assertEquals(2, embedded.code());
        assertTrue(embedded.err().contains("redis.processes is 2; data on several"), embedded.err());
        assertTrue(Files.notExists(dir.resolve("data")));
    }

    @Test
    void says_what_was_wrong_in_its_call() throws Exception {
        assertEquals(2, rebucket("--to", "0").code());
        assertEquals(2, rebucket("--to", "many").code());
        assertEquals(2, rebucket().code());
        assertEquals(1, rebucket("--to", "8", "--bukets=3").code());
        CliTestBase.Said away = rebucket("--to", "8", "--redis.url=redis://127.0.0.1:1");
        assertEquals(1, away.code());
        assertTrue(away.err().startsWith("delayq: cannot reach Redis at redis://127.0.0.1:1"), away.err());
    }
}
