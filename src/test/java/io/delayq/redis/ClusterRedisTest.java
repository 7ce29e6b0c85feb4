package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.job.Callback;
import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.When;
import io.delayq.redis.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A store on a cluster of three masters, whose slots move. */
class ClusterRedisTest {
    private static final int BUCKETS = 6;
    private static final String TOPIC = "t";
    /** The latter if the deadline came while it was being repeated. */
    private static final Set<Kind> NOT_DONE = Set.of(Kind.UNAVAILABLE, Kind.UNKNOWN);

    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = TestCluster.start(3, 0);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static TestCluster.Move begin(StoreHarness store, int bucket) {
        int slot = store.keys.slotOf(bucket);
        TestRedis from = cluster.masterOf(slot);
        TestRedis to = cluster.masters().stream()
                .filter(node -> node != from)
                .findFirst()
                .orElseThrow();
        return cluster.move(slot, to);
    }

    /** The number-th id that falls into the bucket. */
    private static String id(StoreHarness store, int bucket, int number) {
        return Stream.iterate(0, i -> i + 1)
                .map(i -> "j" + i)
                .filter(id -> store.keys.bucketOf(id) == bucket)
                .skip(number)
                .findFirst()
                .orElseThrow();
    }

    private static StoreHarness store() {
        return new StoreHarness(cluster, BUCKETS);
    }

    @Test
    void jobs_live_in_the_buckets_of_all_nodes() {
        try (StoreHarness store = store()) {
            for (int i = 0; i < 60; i++) {
                String id = "j" + i;
                store.call(s -> s.push(StoreHarness.job(TOPIC, id, When.NOW)));
            }
            Map<String, Integer> byNode = new LinkedHashMap<>();
            for (TestRedis node : cluster.masters()) {
                List<?> keys = (List<?>) node.command("KEYS", "{" + store.namespace + "*}:jobs:t");
                byNode.put(node.url(), keys.size());
            }
            assertTrue(byNode.values().stream().allMatch(count -> count > 0), byNode.toString());
            assertEquals(60, store.reserve(TOPIC, 100).size());
            new Recount(store).check(List.of(TOPIC));
        }
    }

    @Test
    void a_bucket_that_moved_is_found_again_at_once() {
        try (StoreHarness store = store()) {
            for (int bucket = 0; bucket < BUCKETS; bucket++) {
                String id = id(store, bucket, 0);
                store.call(s -> s.push(StoreHarness.job(TOPIC, id, When.NOW)));
                begin(store, bucket).finish();
                long began = System.nanoTime();
                assertNotNull(store.call(s -> s.get(TOPIC, id)));
                long millis = (System.nanoTime() - began) / 1_000_000;
                assertTrue(millis < 200, millis + " ms");
            }
            assertEquals(BUCKETS, store.reserve(TOPIC, 100).size());
        }
    }

    @Test
    void calls_to_a_bucket_that_moves_wait_and_then_fail_and_never_see_half_of_it() {
        try (StoreHarness store = store()) {
            String id = id(store, 0, 0);
            String delayed = id(store, 0, 1);
            store.call(s -> s.push(StoreHarness.job(TOPIC, id, When.NOW)));
            store.call(s -> s.push(StoreHarness.job(TOPIC, delayed, When.in(60_000))));
            TestCluster.Move move = begin(store, 0);
            move.move(Arrays.asList(store.keys.ofBucket(0)));
            assertEquals("nothing", whatAskWouldSay(store, move.to, id));
            long began = System.nanoTime();
            CompletableFuture<JobView> asked = store.async(s -> s.get(TOPIC, id));
            CompletableFuture<Store.Pushed> pushed =
                    store.async(s -> s.push(StoreHarness.job(TOPIC, id(store, 0, 2), When.NOW)));
            for (int bucket = 1; bucket < BUCKETS; bucket++) {
                String other = id(store, bucket, 0);
                store.call(s -> s.push(StoreHarness.job(TOPIC, other, When.NOW)));
            }
            long others = (System.nanoTime() - began) / 1_000_000;
            assertTrue(others < 500, "other buckets waited " + others + " ms");
            assertTrue(NOT_DONE.contains(kind(asked)));
            assertTrue(NOT_DONE.contains(kind(pushed)));
            CompletableFuture<JobView> again = store.async(s -> s.get(TOPIC, id));
            move.finish();
            assertEquals(id, again.join().id());
            assertEquals(1 + BUCKETS - 1, store.reserve(TOPIC, 100).size());
            new Recount(store).check(List.of(TOPIC));
        }
    }

    /** The other node's answer to the question for a job, as ASK would have it asked. */
    private static String whatAskWouldSay(StoreHarness store, TestRedis to, String id) {
        List<byte[]> words = new ArrayList<>(List.of(Bytes.of("EVAL"), Script.GET.text(), Bytes.of(4)));
        Arrays.stream(store.keys.ofBucket(0)).map(Bytes::of).forEach(words::add);
        Stream.of(store.keys.hints(), "0", TOPIC, "1", id).map(Bytes::of).forEach(words::add);
        to.command("ASKING");
        List<?> answer = (List<?>) to.commandBytes(words.toArray(byte[][]::new));
        return answer.get(0) == null ? "nothing" : "a job";
    }

    private static Kind kind(CompletableFuture<?> failed) {
        Throwable error = assertThrows(CompletionException.class, failed::join);
        return ((StoreException) error.getCause()).kind();
    }

    @Test
    void a_reserve_from_a_bucket_that_moves_fails_at_once_so_that_others_are_asked() {
        try (StoreHarness store = store()) {
            store.call(s -> s.push(StoreHarness.job(TOPIC, id(store, 0, 0), When.NOW)));
            TestCluster.Move move = begin(store, 0);
            long began = System.nanoTime();
            assertEquals(Kind.UNAVAILABLE, kind(store.async(s -> s.reserve(0, List.of(new Store.Want(TOPIC, 1))))));
            assertTrue(System.nanoTime() - began < 500_000_000L);
            move.finish();
            assertEquals(1, store.reserve(TOPIC, 10).size());
        }
    }

    @Test
    void a_change_of_settings_that_a_moving_bucket_missed_is_mended() {
        try (StoreHarness store = store()) {
            TopicSettings settings = settings(60_000);
            store.call(s -> s.push(StoreHarness.job(TOPIC, id(store, 1, 0), When.NOW)));
            TestCluster.Move move = begin(store, 1);
            assertTrue(NOT_DONE.contains(kind(store.async(s -> s.topics().configure(TOPIC, settings)))));
            move.step(1);
            CompletableFuture<Integer> mended = store.async(s -> s.topics().mend(1));
            move.finish();
            mended.join();
            assertEquals(
                    store.command("HGET", store.keys.key(0, "topics"), TOPIC),
                    store.command("HGET", store.keys.key(1, "topics"), TOPIC));
            assertEquals(1, store.reserve(TOPIC, 10).size());
        }
    }

    @Test
    void a_server_starts_on_any_node_and_refuses_what_does_not_go_together() {
        Keys keys = new Keys("start", BUCKETS);
        for (TestRedis node : cluster.nodes()) {
            assertEquals("", refusal(cluster.settings().withUrl(node.url()), keys));
        }
        String buckets = refusal(cluster.settings(), new Keys("start", BUCKETS + 1));
        assertTrue(buckets.contains("buckets is 7, but the data in Redis have 6"), buckets);
        TestRedis other = cluster.masters().stream()
                .filter(node -> node != cluster.masterOf(TestCluster.slotOf(keys.meta())))
                .findFirst()
                .orElseThrow();
        String mode = refusal(Settings.defaults().redis().withUrl(other.url()), keys);
        assertTrue(mode.contains("set redis.mode: cluster"), mode);
        try (TestRedis alone = TestRedis.start(TestRedis.Options.standalone())) {
            String none = refusal(cluster.settings().withUrl(alone.url()), keys);
            assertTrue(none.contains("is no node of one"), none);
        }
    }

    /** Empty if a server starts. */
    private static String refusal(Settings.Redis settings, Keys keys) {
        Vertx vertx = Vertx.vertx();
        try {
            CompletableFuture<String> said = new CompletableFuture<>();
            vertx.runOnContext(v -> new StartCheck(vertx, new RedisEndpoint(settings), keys)
                    .passed()
                    .onSuccess(ok -> said.complete(""))
                    .onFailure(error -> said.complete(error.getMessage())));
            return said.orTimeout(10, TimeUnit.SECONDS).join();
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private static TopicSettings settings(long keepDone) {
        return new TopicSettings(null, Retry.INHERITED, null, null, null, null, null, null, keepDone, null, null, null);
    }

    /** What may be done to the jobs of a topic, by name. */
    static Stream<String> actions() {
        return ACTIONS.keySet().stream();
    }

    private static final Map<String, Function<Store, Future<?>>> ACTIONS = new LinkedHashMap<>();

    private static String topic = TOPIC;
    private static List<Delivery> leased = List.of();
    private static String[] ids;

    static {
        ACTIONS.put("ack", s -> s.ack(topic, leased.get(0).id(), leased.get(0).lease(), ""));
        ACTIONS.put("nack", s -> s.nack(topic, leased.get(0).id(), leased.get(0).lease(), null, "e", ""));
        ACTIONS.put(
                "release",
                s -> s.release(topic, leased.get(0).id(), leased.get(0).lease()));
        ACTIONS.put(
                "extend", s -> s.extend(topic, leased.get(0).id(), leased.get(0).lease(), 1_000L));
        ACTIONS.put("push", s -> s.push(everything(ids[9], Priority.NORMAL, When.NOW)));
        ACTIONS.put("put", s -> s.put(everything(ids[0], Priority.NORMAL, When.in(60_000))));
        ACTIONS.put("cancel", s -> s.cancel(topic, ids[0]));
        ACTIONS.put("reschedule", s -> s.reschedule(topic, ids[0], When.NOW));
        ACTIONS.put("reserve", s -> s.reserve(0, List.of(new Store.Want(topic, 100))));
        ACTIONS.put("due", s -> s.due(0, 500));
        ACTIONS.put("group", s -> s.topics().cancelGroup(topic, "g", () -> false));
        ACTIONS.put("requeue", s -> s.topics().requeue(topic, null, () -> false));
        for (JobState state : JobState.values()) {
            ACTIONS.put("purge " + state.word(), s -> s.topics().purge(topic, state, () -> false));
        }
        ACTIONS.put("purge all", s -> s.topics().purge(topic, null, () -> false));
        ACTIONS.put("delete", s -> s.topics().delete(topic, () -> false));
        ACTIONS.put("mend", s -> s.topics().mend(0));
    }

    private static NewJob everything(String id, Priority priority, When when) {
        Callback callback = priority == null ? new Callback("http://127.0.0.1:1/", "POST", Map.of()) : null;
        JobOptions options = new JobOptions(null, new Retry(2, null), callback, priority, 3_600_000L, "g", null);
        return new NewJob(topic, id, when, options, Buffer.buffer("null"));
    }

    /**
     * Every index has one entry, so that whatever takes it off takes the key away: in a slot on the move the next look
     * at that key ends a script in its middle.
     */
    @ParameterizedTest
    @MethodSource("actions")
    void what_is_done_in_a_slot_on_the_move_is_done_whole_or_not_at_all(String action) {
        try (StoreHarness store = new StoreHarness(cluster, 1);
                StoreHarness hasty = new StoreHarness(store, 150)) {
            oneOfEach(store);
            // a caller whose last call is not there would be refused for that alone
            topic = "other";
            TestRedis.await("a call of the kind", () -> isDone(hasty, action));
            topic = TOPIC;
            TestCluster.Move move = begin(store, 0);
            isDone(hasty, action);
            move.step(3);
            isDone(hasty, action);
            move.finish();
            new Recount(store).check(List.of(TOPIC, "other"));
        }
    }

    private static boolean isDone(StoreHarness store, String action) {
        try {
            store.call(s -> ACTIONS.get(action).apply(s));
            return true;
        } catch (StoreException e) {
            assertTrue(NOT_DONE.contains(e.kind()), action + ": " + e.kind());
            return false;
        }
    }

    private static void oneOfEach(StoreHarness store) {
        store.call(s -> s.topics().configure(TOPIC, settings(600_000)));
        ids = new String[10];
        Arrays.setAll(ids, i -> "j" + i);
        // done, dead, one that failed once, reserved
        for (int i = 1; i <= 4; i++) {
            String id = ids[i];
            store.call(s -> s.push(everything(id, Priority.NORMAL, When.NOW)));
        }
        List<Delivery> first = store.reserve(TOPIC, 4);
        store.call(s -> s.ack(TOPIC, first.get(0).id(), first.get(0).lease(), "me"));
        for (int attempt = 0; attempt < 2; attempt++) {
            Delivery dead =
                    attempt == 0 ? first.get(1) : store.reserve(TOPIC, 1).get(0);
            store.call(s -> s.nack(TOPIC, dead.id(), dead.lease(), 0L, "e", "me"));
        }
        leased = List.of(first.get(3));
        store.call(s -> s.cancel(TOPIC, first.get(2).id()));
        store.call(s -> s.push(everything(ids[0], Priority.HIGH, When.in(60_000))));
        store.call(s -> s.push(everything(ids[5], Priority.HIGH, When.NOW)));
        store.call(s -> s.push(everything(ids[6], Priority.LOW, When.NOW)));
        store.call(s -> s.push(everything(ids[7], null, When.NOW)));
        store.call(s -> s.push(everything("n", Priority.NORMAL, When.NOW)));
        store.call(s -> s.push(everything("ghost", Priority.NORMAL, When.NOW)));
        store.call(s -> s.cancel(TOPIC, "ghost"));
        JobQuery page = JobQuery.all(TOPIC, JobState.READY, 1, null);
        store.call(s -> s.topics().list(page));
        for (String kind : List.of("clock", "lease", "runs", "log", "expire", "dead", "done", "ghosts", "heads")) {
            assertEquals(1L, store.command("EXISTS", store.keys.key(0, kind + ":" + TOPIC)), kind);
        }
        for (String lane : List.of("h", "n", "l", "c")) {
            assertEquals(1L, store.command("EXISTS", store.keys.key(0, "ready:" + TOPIC + ":" + lane)), lane);
        }
    }
}
