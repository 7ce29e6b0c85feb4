package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Embedded Redis servers that share the buckets. */
class EmbeddedShardsTest {
    private final Vertx vertx = Vertx.vertx();

    @TempDir
    private Path dir;

    @AfterEach
    void nothingIsLeft() throws Exception {
        done(vertx.close());
        LeftBehind.assertNoRedisOf(dir);
    }

    /** However it ended. */
    private static <T> Future<T> done(Future<T> future) throws Exception {
        future.transform(outcome -> Future.succeededFuture())
                .toCompletionStage()
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
        return future;
    }

    private EmbeddedShards start(int count) {
        return new EmbeddedShards(vertx, dir, Settings.defaults().redis().withProcesses(count));
    }

    @Test
    void one_is_reached_as_it_always_was() throws Exception {
        EmbeddedShards shards = start(1);
        Settings.Redis reached = done(shards.reached()).result();
        assertEquals(Settings.Mode.STANDALONE, reached.mode());
        assertEquals(1, reached.urls().size());
        done(shards.stop());
    }

    @Test
    void several_are_reached_in_the_order_of_their_numbers() throws Exception {
        EmbeddedShards shards = start(3);
        Settings.Redis reached = done(shards.reached()).result();
        assertEquals(Settings.Mode.SHARDS, reached.mode());
        for (int number = 1; number <= 3; number++) {
            RedisConf conf = RedisConf.read(EmbeddedRedis.place(dir, number)).orElseThrow();
            assertEquals(conf.url(), reached.urls().get(number - 1));
        }
        assertEquals(3, LeftBehind.redisOf(dir).size());
        done(shards.stop());
    }

    /** Each unpacks its program, which cannot be run while another launch has inherited it open for writing. */
    @Test
    void many_are_launched_side_by_side() throws Exception {
        EmbeddedShards shards = start(32);
        Future<Settings.Redis> reached = done(shards.reached());
        done(shards.stop());
        assertTrue(reached.succeeded(), () -> String.valueOf(reached.cause()));
    }

    @Test
    void those_that_are_still_starting_are_ended_too() throws Exception {
        EmbeddedShards shards = start(3);
        assertTrue(done(shards.stop()).succeeded());
        assertEquals(List.of(), LeftBehind.redisOf(dir));
        assertTrue(done(shards.reached()).failed());
        // and the directory is free
        EmbeddedShards others = start(3);
        assertTrue(done(others.reached()).succeeded());
        done(others.stop());
    }

    @Test
    void where_another_server_is_at_work_none_is_started() throws Exception {
        EmbeddedShards shards = start(2);
        assertTrue(done(shards.reached()).succeeded());
        List<Long> before = LeftBehind.redisOf(dir);
        EmbeddedShards others = start(3);
        String message = done(others.reached()).cause().getMessage();
        assertTrue(message.contains("is in use by another server"), message);
        assertEquals(before, LeftBehind.redisOf(dir));
        done(shards.stop());
    }
}
