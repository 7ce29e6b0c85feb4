package io.delayq.redis;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuietRewriteRedisTest {
    private static final int ENOUGH = 2_000_000;
    private static final String MEGABYTE = "x".repeat(1 << 20);

    @TempDir
    Path dataDir;

    private final Vertx vertx = Vertx.vertx();
    private EmbeddedRedis redis;
    private RespClient client;
    private QuietRewrite rewrite;

    @BeforeEach
    void start() throws Exception {
        redis = done(EmbeddedRedis.start(vertx, dataDir, null, false));
        client = new RespClient(redis.url());
        rewrite = new QuietRewrite(RedisConf.read(dataDir.resolve("redis")).orElseThrow(), ENOUGH);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        done(redis.stop());
        done(vertx.close());
    }

    @Test
    void a_long_log_is_rewritten_once_it_no_longer_grows() throws Exception {
        assertFalse(rewrite.look(), "nothing is known yet of how it grows");
        write(4);
        assertFalse(rewrite.look(), "it grows");
        long long4 = size();
        assertTrue(until(rewrite::look), "it is long and does not grow");
        assertTrue(until(() -> size() < long4), "it is shorter");
    }

    @Test
    void a_short_log_and_one_that_would_not_become_much_shorter_are_left_alone() throws Exception {
        rewrite.look();
        assertFalse(rewrite.look(), "it is short");
        write(4);
        rewrite.look();
        assertTrue(until(rewrite::look));
        assertTrue(until(() -> client.command("INFO", "persistence").toString().contains("aof_rewrite_in_progress:0")));
        client.command("SET", "half", MEGABYTE.substring(0, 1 << 19));
        rewrite = new QuietRewrite(RedisConf.read(dataDir.resolve("redis")).orElseThrow(), ENOUGH);
        rewrite.look();
        long end = System.nanoTime() + SECONDS.toNanos(2);
        while (System.nanoTime() < end) {
            assertFalse(rewrite.look(), "four megabytes are in use");
        }
    }

    @Test
    void it_is_not_begun_again_at_once() throws Exception {
        write(4);
        rewrite.look();
        assertTrue(until(rewrite::look));
        assertTrue(until(() -> client.command("INFO", "persistence").toString().contains("aof_rewrite_in_progress:0")));
        write(12);
        rewrite.look();
        long end = System.nanoTime() + SECONDS.toNanos(1);
        while (System.nanoTime() < end) {
            assertFalse(rewrite.look(), "one was begun a moment ago");
        }
    }

    /** Each under a key of its own: a rewrite keeps them. The deleted ones it does not keep. */
    private void write(int megabytes) throws Exception {
        for (int i = 0; i < megabytes; i++) {
            client.command("SET", "key" + i, MEGABYTE);
            client.command("SET", "gone", MEGABYTE);
            client.command("DEL", "gone");
        }
    }

    private long size() throws Exception {
        return Long.parseLong(
                RedisCheckup.read(client.command("INFO", "persistence").toString())
                        .get("aof_current_size"));
    }

    private interface Check {
        boolean holds() throws Exception;
    }

    private static boolean until(Check check) throws Exception {
        long end = System.nanoTime() + SECONDS.toNanos(20);
        while (System.nanoTime() < end) {
            if (check.holds()) {
                return true;
            }
        }
        return false;
    }

    private static <T> T done(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, SECONDS);
    }
}
