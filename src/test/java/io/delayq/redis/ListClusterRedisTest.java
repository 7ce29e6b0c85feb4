package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.JobState;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.RedisList;
import io.delayq.job.TopicSettings.RedisList.Payload;
import io.delayq.job.When;
import io.delayq.ops.Meters;
import io.delayq.redis.ListStore.Left;
import io.delayq.redis.ListStore.Moved;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs that go to a Redis list on a cluster, where it may lie on another node: reserved, appended, acked. */
class ListClusterRedisTest {
    private static TestCluster cluster;

    private final StoreHarness store = new StoreHarness(cluster(), 3);
    private final Vertx vertx = Vertx.vertx();
    private final Context context = vertx.getOrCreateContext();
    private final ListStore lists = onContext(() -> Future.succeededFuture(
            new Stores(new RedisEndpoint(cluster.settings()), store.keys, new Meters(new SimpleMeterRegistry()))
                    .openLists(vertx, "test")));

    ListClusterRedisTest() {
        onContext(lists::ready);
    }

    private static TestCluster cluster() {
        if (cluster == null) {
            cluster = TestCluster.start(3, 0);
        }
        return cluster;
    }

    @AfterEach
    void close() {
        onContext(lists::close);
        vertx.close();
        store.close();
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
        cluster = null;
    }

    private <T> T onContext(Supplier<Future<T>> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        context.runOnContext(v -> work.get().onComplete(done -> {
            if (done.succeeded()) {
                result.complete(done.result());
            } else {
                result.completeExceptionally(done.cause());
            }
        }));
        return result.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private Moved move(int bucket) {
        return onContext(() -> lists.move(bucket, "t", 10, false));
    }

    private void configure(String list, Long keepDone) {
        RedisList to = new RedisList(list, Payload.ID);
        TopicSettings settings =
                new TopicSettings(null, Retry.INHERITED, null, null, null, null, null, to, keepDone, null, null, null);
        store.call(s -> s.topics().configure("t", settings));
    }

    /** So many ids of one bucket. */
    private List<String> ids(int bucket, int count) {
        return java.util.stream.IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "j" + i)
                .filter(id -> store.keys.bucketOf(id) == bucket)
                .limit(count)
                .toList();
    }

    /** A key that lies on another node than the bucket does. */
    private String elsewhere(int bucket) {
        int part = Keys.SLOTS / 3;
        return java.util.stream.IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "list" + bucket + "{" + store.namespace + "-" + i + "}")
                .filter(key -> Keys.slotOf(key) / part != store.keys.slotOf(bucket) / part)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void jobs_go_to_a_list_on_another_node_in_their_order() {
        for (int bucket = 0; bucket < 3; bucket++) {
            String list = elsewhere(bucket);
            configure(list, 60_000L);
            List<String> ids = ids(bucket, 5);
            ids.forEach(id -> store.call(s -> s.push(StoreHarness.job("t", id, When.NOW))));
            Moved moved = move(bucket);
            assertEquals(Left.NOTHING, moved.left());
            assertEquals(5, moved.dues().size());
            assertEquals(ids, cluster.command("LRANGE", list, "0", "-1"));
            assertEquals(JobState.DONE, store.call(s -> s.get("t", ids.get(0))).state());
            String log = store.call(s -> s.get("t", ids.get(0))).log();
            assertTrue(log.contains("\"by\":\"redisList\""), log);
        }
        new Recount(store).check(List.of("t"));
    }

    @Test
    void the_slot_of_a_key_is_what_redis_says() {
        for (String key : List.of("foo", "é", "{a}b", "a{b}c{d}", "a{}{b}", "a{{b}}c", "a{b", "a}b{c}", "}{")) {
            Object slot = cluster.nodes().get(0).command("CLUSTER", "KEYSLOT", key);
            assertEquals(slot, (long) Keys.slotOf(key), key);
        }
    }

    @Test
    void a_key_that_holds_something_else_leaves_the_jobs_as_they_stood() {
        String list = elsewhere(0);
        configure(list, null);
        cluster.command("SET", list, "mine");
        List<String> ids = ids(0, 3);
        ids.forEach(id -> store.call(s -> s.push(StoreHarness.job("t", id, When.NOW))));
        assertEquals(Left.NO_LIST, move(0).left());
        assertEquals("mine", cluster.command("GET", list));
        assertEquals(0, store.call(s -> s.get("t", ids.get(0))).attempts());
        assertNotEquals(
                JobState.RESERVED, store.call(s -> s.get("t", ids.get(0))).state());
        cluster.command("DEL", list);
        assertEquals(3, move(0).dues().size());
        assertEquals(ids, cluster.command("LRANGE", list, "0", "-1"));
    }
}
