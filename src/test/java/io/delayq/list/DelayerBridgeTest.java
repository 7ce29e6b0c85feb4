package io.delayq.list;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.ops.Meters;
import io.delayq.path.TestServer;
import io.delayq.redis.Keys;
import io.delayq.redis.RedisEndpoint;
import io.delayq.redis.RespClient;
import io.delayq.redis.Stores;
import io.delayq.redis.TestRedis;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Front end C5, by the commands that the clients of mix-basic/delayer send. */
public class DelayerBridgeTest {
    private static TestRedis redis;
    private final Vertx vertx = Vertx.vertx();

    @BeforeEach
    public void start() {
        if (redis == null) {
            redis = TestRedis.start(TestRedis.Options.standalone());
        }
        redis.command("FLUSHALL");
    }

    @AfterEach
    public void stop() {
        TestServer.await(vertx.close().toCompletionStage().toCompletableFuture());
    }

    @AfterAll
    public static void closeRedis() {
        redis.close();
        redis = null;
    }

    private void bridge() {
        bridge(Settings.defaults().redis().withUrl(redis.url()));
    }

    private void bridge(Settings.Redis settings) {
        Stores stores =
                new Stores(new RedisEndpoint(settings), new Keys("dq", 4), new Meters(new SimpleMeterRegistry()));
        TestServer.await(vertx.deployVerticle(new DelayerBridge(stores))
                .toCompletionStage()
                .toCompletableFuture());
    }

    /** What Client.push of the PHP client sends. */
    private static void push(RespClient client, String id, String topic, String body, long at, long delay) {
        assertEquals("OK", client.command("MULTI"));
        client.command("HMSET", "delayer:job_bucket:" + id, "topic", topic, "body", body);
        client.command("EXPIRE", "delayer:job_bucket:" + id, Long.toString(delay + 604800));
        client.command("ZADD", "delayer:job_pool", Long.toString(at), id);
        client.command("EXEC");
    }

    private static long seconds() {
        return Long.parseLong(((List<?>) redis.command("TIME")).get(0).toString());
    }

    @Test
    void a_job_is_popped_when_it_is_due_and_not_before() {
        bridge();
        try (RespClient client = new RespClient(redis.url())) {
            long due = seconds() + 2;
            push(client, "a1", "order", "{\"n\":1}", due, 2);
            assertEquals(null, client.command("RPOP", "delayer:ready_queue:order"));
            assertEquals(
                    List.of("delayer:ready_queue:order", "a1"),
                    client.command("BRPOP", "delayer:ready_queue:order", "4"));
            List<?> time = (List<?>) client.command("TIME");
            long late = Long.parseLong(time.get(0).toString()) * 1_000
                    + Long.parseLong(time.get(1).toString()) / 1_000
                    - due * 1_000;
            assertTrue(late >= 0 && late < 300, "came " + late + " ms after it was due");
            assertEquals(
                    List.of("topic", "order", "body", "{\"n\":1}"), client.command("HGETALL", "delayer:job_bucket:a1"));
            assertEquals(1L, client.command("DEL", "delayer:job_bucket:a1"));
            assertEquals(0L, client.command("ZCARD", "delayer:job_pool"));
        }
    }

    @Test
    void jobs_are_popped_in_the_order_of_their_times() {
        try (RespClient client = new RespClient(redis.url())) {
            long now = seconds();
            push(client, "c", "t", "", now - 1, 0);
            push(client, "a", "t", "", now - 3, 0);
            push(client, "b", "t", "", now - 2, 0);
            bridge();
            for (String id : List.of("a", "b", "c")) {
                assertEquals(
                        List.of("delayer:ready_queue:t", id), client.command("BRPOP", "delayer:ready_queue:t", "4"));
            }
        }
    }

    @Test
    public void a_removed_job_and_one_whose_hash_is_gone_do_not_come() {
        bridge();
        try (RespClient client = new RespClient(redis.url())) {
            long due = seconds() + 1;
            push(client, "removed", "t", "", due, 1);
            push(client, "gone", "t", "", due, 1);
            push(client, "there", "t", "", due, 1);
            // Client.remove
            client.command("MULTI");
            client.command("ZREM", "delayer:job_pool", "removed");
            client.command("DEL", "delayer:job_bucket:removed");
            assertEquals(List.of(1L, 1L), client.command("EXEC"));
            client.command("DEL", "delayer:job_bucket:gone");
            assertEquals(
                    List.of("delayer:ready_queue:t", "there"), client.command("BRPOP", "delayer:ready_queue:t", "4"));
            TestRedis.await(
                    "the pool empty",
                    Duration.ofSeconds(3),
                    () -> (Long) redis.command("ZCARD", "delayer:job_pool") == 0);
            assertEquals(0L, client.command("LLEN", "delayer:ready_queue:t"));
            assertEquals(0L, client.command("EXISTS", "delayer:ready_queue:"));
        }
    }

    @Test
    void of_two_bridges_each_id_comes_once() {
        bridge();
        bridge();
        int jobs = 3_000;
        long due = seconds() + 2;
        try (RespClient client = new RespClient(redis.url())) {
            for (int i = 0; i < jobs; i++) {
                push(client, "j" + i, "t" + i % 3, "", due, 1);
            }
        }
        List<String> popped = new ArrayList<>();
        TestRedis.await("all ready", Duration.ofSeconds(10), () -> {
            for (int topic = 0; topic < 3; topic++) {
                Object ids = redis.command("RPOP", "delayer:ready_queue:t" + topic, "1000");
                if (ids != null) {
                    ((List<?>) ids).forEach(id -> popped.add(id.toString()));
                }
            }
            return popped.size() >= jobs;
        });
        Set<String> once = new TreeSet<>(popped);
        assertEquals(jobs, once.size());
        assertEquals(jobs, popped.size());
        assertEquals(0L, redis.command("ZCARD", "delayer:job_pool"));
    }

    @Test
    void a_queue_that_is_no_list_loses_nothing_and_holds_up_nobody() {
        redis.command("SET", "delayer:ready_queue:wrong", "mine");
        try (RespClient client = new RespClient(redis.url())) {
            long now = seconds();
            push(client, "w", "wrong", "", now - 5, 0);
            push(client, "r", "right", "", now, 0);
            bridge();
            assertEquals(
                    List.of("delayer:ready_queue:right", "r"),
                    client.command("BRPOP", "delayer:ready_queue:right", "4"));
            assertEquals("mine", client.command("GET", "delayer:ready_queue:wrong"));
            assertEquals(1L, client.command("ZCARD", "delayer:job_pool"));
        }
    }

    @Test
    void after_redis_came_back_it_goes_on() {
        bridge();
        redis.restart();
        try (RespClient client = new RespClient(redis.url())) {
            push(client, "a", "t", "", seconds(), 0);
            assertEquals(List.of("delayer:ready_queue:t", "a"), client.command("BRPOP", "delayer:ready_queue:t", "4"));
        }
    }

    @Test
    void an_idle_bridge_calls_redis_about_twice_a_second() {
        bridge();
        long before = calls();
        long end = System.nanoTime() + 3_000_000_000L;
        TestRedis.await("time", () -> System.nanoTime() >= end);
        assertTrue(calls() - before <= 8, (calls() - before) + " calls in 3 s");
    }

    private static long calls() {
        return Arrays.stream(redis.command("INFO", "commandstats").toString().split("\r\n"))
                .filter(line -> line.startsWith("cmdstat_eval"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("cmdstat_\\w+:calls=(\\d+),.*", "$1")))
                .sum();
    }

    @Test
    void on_a_cluster_it_does_not_start_and_says_why() {
        Settings.Redis cluster = Settings.defaults()
                .redis()
                .withUrl(redis.url())
                .withTopology(new Settings.Topology(Settings.Mode.CLUSTER, "mymaster", null));
        AssertionError error = assertThrows(AssertionError.class, () -> bridge(cluster));
        assertTrue(error.getMessage().contains("compat c5 needs a single Redis"), error.getMessage());
    }

    @Test
    void on_several_servers_it_does_not_start_and_says_why() {
        Settings.Redis shards = Settings.defaults().redis().withShards(List.of(redis.url(), "redis://127.0.0.1:1"));
        AssertionError error = assertThrows(AssertionError.class, () -> bridge(shards));
        assertTrue(error.getMessage().contains("compat c5 needs a single Redis"), error.getMessage());
    }
}
