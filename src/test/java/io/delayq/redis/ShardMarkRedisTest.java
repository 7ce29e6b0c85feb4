package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that share the buckets and were mixed up, so that jobs would seem lost. */
class ShardMarkRedisTest {
    private static final Keys KEYS = new Keys("s", 4);

    private final Vertx vertx = Vertx.vertx();
    private final TestRedis one = TestRedis.start(TestRedis.Options.standalone());
    private final TestRedis two = TestRedis.start(TestRedis.Options.standalone());

    @AfterEach
    void close() throws Exception {
        await(vertx.close());
        one.close();
        two.close();
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private static Settings.Redis settings(TestRedis... shards) {
        Settings.Redis redis = Settings.defaults().redis();
        return shards.length == 1
                ? redis.withUrl(shards[0].url())
                : redis.withShards(Stream.of(shards).map(TestRedis::url).toList());
    }

    /** As a server starts, and stops again. */
    private void start(SharedKey key, TestRedis... shards) throws Exception {
        List<StartCheck> checks = StartCheck.all(vertx, new RedisEndpoint(settings(shards)), KEYS, key);
        try {
            await(Future.all(checks.stream().map(StartCheck::passed).toList()));
        } finally {
            await(Future.join(checks.stream().map(StartCheck::abandon).toList()));
        }
    }

    private void start(TestRedis... shards) throws Exception {
        start(null, shards);
    }

    private String refused(TestRedis... shards) {
        Throwable error =
                assertThrows(ExecutionException.class, () -> start(shards)).getCause();
        return assertInstanceOf(IllegalStateException.class, error).getMessage();
    }

    private static Object meta(TestRedis redis, String field) {
        return redis.command("HGET", KEYS.meta(), field);
    }

    @Test
    void marks_each_at_the_first_start_and_takes_the_same_again() throws Exception {
        SharedKey key = new SharedKey();
        start(key, one, two);
        start(key, one, two);
        for (Map.Entry<TestRedis, String> shard : Map.of(one, "1/2", two, "2/2").entrySet()) {
            assertEquals(shard.getValue(), meta(shard.getKey(), "shard"));
            assertEquals("1", meta(shard.getKey(), "schema"));
            assertEquals("4", meta(shard.getKey(), "buckets"));
        }
        assertTrue(meta(one, "sign") != null && meta(two, "sign") == null, "the key is kept once");
    }

    @Test
    void refuses_another_order() throws Exception {
        start(one, two);
        assertEquals(
                "the Redis at " + two.url()
                        + " has the data of shard 2/2, expected 1/2; name the addresses in redis.url"
                        + " in their first order, or use another namespace",
                refused(two, one));
    }

    @Test
    void refuses_a_single_server_on_one_of_several() throws Exception {
        start(one, two);
        String message = refused(one);
        assertTrue(message.contains("shard 1/2, expected 1/1; set redis.mode: shards"), message);
        assertTrue(message.contains("redis.processes: 2"), message);
        refused(two);
    }

    @Test
    void refuses_several_on_data_of_a_single_one_and_leaves_the_others_as_they_were() throws Exception {
        start(one);
        assertNull(meta(one, "shard"), "a single one is as it always was");
        String message = refused(one, two);
        assertTrue(message.contains("shard 1/1, expected 1/2; set redis.url to this one alone"), message);
        assertEquals(0L, two.command("EXISTS", KEYS.meta()));
        start(one);
    }

    @Test
    void refuses_another_number() throws Exception {
        start(one, two);
        try (TestRedis three = TestRedis.start(TestRedis.Options.standalone())) {
            String message = refused(one, two, three);
            assertTrue(message.contains("shard 1/2, expected 1/3"), message);
            assertEquals(0L, three.command("EXISTS", KEYS.meta()));
            // one that was emptied takes the place it is given
            two.command("FLUSHALL");
            start(one, two);
        }
    }

    @Test
    void stops_when_another_one_is_found_in_its_place_later() throws Exception {
        List<StartCheck> checks = StartCheck.all(vertx, new RedisEndpoint(settings(one, two)), KEYS, null);
        await(Future.all(checks.stream().map(StartCheck::passed).toList()));
        two.command("HSET", KEYS.meta(), "shard", "1/2");
        two.command("CLIENT", "KILL", "TYPE", "pubsub");
        assertThrows(ExecutionException.class, () -> await(checks.get(1).refusedLater()));
        await(Future.join(checks.stream().map(StartCheck::abandon).toList()));
    }

    @Test
    void a_server_that_may_evict_is_refused_by_its_address() {
        two.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        String message = refused(one, two);
        assertTrue(message.startsWith(two.url() + ": ") && message.contains("allkeys-lru"), message);
    }

    @Test
    void rebucket_refuses_one_of_several() throws Exception {
        start(one, two);
        Rebucket rebucket = await(Rebucket.open(vertx, new RedisEndpoint(settings(one)), "s"));
        ExecutionException error = assertThrows(ExecutionException.class, () -> await(rebucket.plan(8)));
        assertTrue(error.getCause().getMessage().contains("shard 1/2 only"), error.getMessage());
        await(rebucket.close());
    }
}
