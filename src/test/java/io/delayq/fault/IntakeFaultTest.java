package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that are killed while they take jobs off a list. */
@Tag("fault")
class IntakeFaultTest {
    @TempDir
    Path dir;

    @Test
    void killed_in_the_middle_every_entry_becomes_one_job() throws Exception {
        check(10_000, 1);
    }

    @Test
    @Tag("storm")
    void killed_again_and_again_every_entry_becomes_one_job() throws Exception {
        check(50_000, 8);
    }

    /** The entries have no ids, so that only their being taken off in the same step keeps them from coming twice. */
    private void check(int entries, int kills) throws Exception {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone())) {
            for (int from = 0; from < entries; from += 1_000) {
                redis.command(rpush(from));
            }
            for (int kill = 0; kill < kills; kill++) {
                long before = left(redis);
                try (ChildServer server = start(redis, kill)) {
                    TestRedis.await("some taken", Duration.ofSeconds(10), () -> left(redis) < before);
                    server.kill9();
                }
                assertTrue(left(redis) > 0, "it was killed in the middle");
            }
            try (ChildServer server = start(redis, kills)) {
                TestRedis.await("all taken", Duration.ofSeconds(60), () -> left(redis) == 0);
                assertEquals(
                        entries, server.send("GET", "/v1/topics/t", null).json().getInteger("delayed"));
                assertEquals(0L, redis.command("LLEN", "in:bad"));
            }
        }
    }

    private static String[] rpush(int from) {
        String[] words = new String[1_002];
        words[0] = "RPUSH";
        words[1] = "in";
        for (int i = 0; i < 1_000; i++) {
            words[i + 2] = "{\"topic\":\"t\",\"delay\":\"1h\",\"body\":" + (from + i) % 7 + "}";
        }
        return words;
    }

    private static long left(TestRedis redis) {
        return (Long) redis.command("LLEN", "in");
    }

    private ChildServer start(TestRedis redis, int number) {
        return ChildServer.start(dir.resolve("data" + number), "--redis.url=" + redis.url(), "--intake.list=in");
    }
}
