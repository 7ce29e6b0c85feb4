package io.delayq.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.path.TestServer;
import io.delayq.redis.LeftBehind;
import io.delayq.redis.TestRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Doctor looks at every Redis that shares the buckets. */
class ShardsDoctorTest {
    @TempDir
    private Path dir;

    @Test
    void doctor_looks_at_every_one_and_tells_of_one_that_is_away() {
        try (TestRedis first = TestRedis.start(TestRedis.Options.standalone());
                TestRedis second = TestRedis.start(TestRedis.Options.standalone())) {
            Map<String, String> env = Map.of(
                    "DELAYQ_HTTP_PORT", "1",
                    "DELAYQ_REDIS_MODE", "shards",
                    "DELAYQ_REDIS_URL", first.url() + "," + second.url());
            CliTestBase.Said said = CliTestBase.run(env, "", "doctor");
            assertEquals(0, said.code(), said.out());
            assertTrue(said.out().contains(first.url() + ": append-only file"), said.out());
            assertTrue(said.out().contains(second.url() + ": append-only file"), said.out());
            first.kill();
            said = CliTestBase.run(env, "", "doctor");
            assertEquals(1, said.code(), said.out());
            assertTrue(said.out().contains(first.url() + " does not answer"), said.out());
            assertTrue(said.out().contains(second.url() + ": append-only file"), said.out());
        }
    }

    @Test
    void doctor_finds_all_embedded_ones_and_tells_if_some_do_not_run() throws Exception {
        Map<String, String> env = Map.of(
                "DELAYQ_HTTP_PORT", "1",
                "DELAYQ_REDIS_PROCESSES", "2",
                "DELAYQ_DATA_DIR", dir.toString());
        CliTestBase.Said none = CliTestBase.run(env, "", "doctor");
        assertTrue(none.out().contains("embedded, none runs in"), none.out());
        try (TestServer server = TestServer.start(
                set -> set.withRedis(set.redis().withUrl(null).withProcesses(2)).withDataDir(dir))) {
            CliTestBase.Said said = CliTestBase.run(env, "", "doctor");
            assertEquals(0, said.code(), said.out());
            assertEquals(
                    2,
                    said.out()
                            .lines()
                            .filter(line -> line.contains(": append-only file"))
                            .count(),
                    said.out());
            // as if it did not come back: what doctor goes by does not say where it is
            Files.move(dir.resolve("redis-2/redis.conf"), dir.resolve("redis-2/away.conf"));
            said = CliTestBase.run(env, "", "doctor");
            assertEquals(1, said.code(), said.out());
            assertTrue(said.out().contains("1 of 2 embedded run in"), said.out());
            assertEquals(200, server.get("/health/live").status());
        }
        assertEquals(0, LeftBehind.redisOf(dir).size());
    }
}
