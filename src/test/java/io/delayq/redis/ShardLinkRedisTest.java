package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.RedisList;
import io.delayq.job.TopicSettings.RedisList.Payload;
import io.delayq.job.When;
import io.delayq.ops.Meters;
import io.delayq.redis.StoreException.Kind;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store on two Redis servers that share the buckets and know nothing of each other. */
class ShardLinkRedisTest {
    private static final int BUCKETS = 4;
    private static final Set<Kind> NOT_DONE = Set.of(Kind.UNAVAILABLE, Kind.UNKNOWN);

    private final TestRedis first = TestRedis.start(TestRedis.Options.standalone());
    private final TestRedis second = TestRedis.start(TestRedis.Options.standalone());
    private final Keys keys = new Keys("s", BUCKETS);
    private final Vertx vertx = Vertx.vertx();
    private final Context context = vertx.getOrCreateContext();
    private final Settings.Redis settings = Settings.defaults().redis().withShards(List.of(first.url(), second.url()));
    private final RedisEndpoint endpoint = new RedisEndpoint(settings);
    private final Stores stores = new Stores(endpoint, keys, new Meters(new SimpleMeterRegistry()));
    private final Store store = on(() -> Future.succeededFuture(stores.open(vertx, "test")));

    ShardLinkRedisTest() {
        on(store::ready);
        TestRedis.await("both up", () -> IntStream.range(0, BUCKETS).allMatch(this::isUp));
    }

    @AfterEach
    void close() {
        on(store::close);
        vertx.close();
        first.close();
        second.close();
    }

    private <T> T on(Supplier<Future<T>> work) {
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

    private Kind refused(Supplier<Future<?>> work) {
        CompletionException error = assertThrows(
                CompletionException.class, () -> on(() -> work.get().mapEmpty()));
        return ((StoreException) error.getCause()).kind();
    }

    private boolean isUp(int bucket) {
        return on(() -> Future.succeededFuture(store.isUp(bucket)));
    }

    /** The number-th id that falls into the bucket. */
    private String id(int bucket, int number) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "j" + i)
                .filter(id -> keys.bucketOf(id) == bucket)
                .skip(number)
                .findFirst()
                .orElseThrow();
    }

    private void push(int bucket, int number) {
        assertTrue(on(() -> store.push(StoreHarness.job("t", id(bucket, number), When.NOW)))
                .created());
    }

    private List<String> reserved(int bucket) {
        return on(() -> store.reserve(bucket, List.of(new Store.Want("t", 10)))).leased().get(0).jobs().stream()
                .map(job -> job.id())
                .toList();
    }

    private static Set<String> jobKeys(TestRedis redis) {
        Set<String> found = new TreeSet<>();
        ((List<?>) redis.command("KEYS", "*:jobs:t")).forEach(key -> found.add(key.toString()));
        return found;
    }

    @Test
    void a_call_of_a_bucket_goes_to_its_shard() {
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            push(bucket, 0);
        }
        assertEquals(new TreeSet<>(List.of(keys.key(0, "jobs:t"), keys.key(2, "jobs:t"))), jobKeys(first));
        assertEquals(new TreeSet<>(List.of(keys.key(1, "jobs:t"), keys.key(3, "jobs:t"))), jobKeys(second));
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            assertEquals(List.of(id(bucket, 0)), reserved(bucket));
        }
    }

    @Test
    void with_one_killed_the_buckets_of_the_other_go_on_and_its_own_fail_in_time() {
        push(1, 0);
        second.kill();
        TestRedis.await("noticed", () -> !isUp(1));
        long began = System.nanoTime();
        CompletableFuture<Kind> own = CompletableFuture.supplyAsync(
                () -> refused(() -> store.push(StoreHarness.job("t", id(1, 1), When.NOW))));
        for (int i = 0; i < 20; i++) {
            push(0, i);
            push(2, i);
        }
        assertFalse(own.isDone(), "the other's calls waited for it");
        Kind kind = own.join();
        assertTrue(NOT_DONE.contains(kind), kind.toString());
        long took = (System.nanoTime() - began) / 1_000_000;
        assertTrue(took < settings.deadlineMillis() + 500, took + " ms");
        assertTrue(on(() -> Future.succeededFuture(store.isUp())));
        assertTrue(isUp(0) && isUp(2) && !isUp(3));
        second.restart();
        TestRedis.await("back", () -> isUp(1) && isUp(3));
        assertEquals(List.of(id(1, 0)), reserved(1));
    }

    /** It would wait for as long as that Redis is away, and take demand along. */
    @Test
    void what_has_no_deadline_fails_at_once_while_its_shard_cannot_serve_it() {
        second.kill();
        TestRedis.await("noticed", () -> !isUp(1));
        assertEquals(Kind.UNAVAILABLE, refused(() -> store.reserve(1, List.of(new Store.Want("t", 1)))));
        second.restart();
        TestRedis.await("back", () -> isUp(1));
        // like one that still reads its log
        second.command("CONFIG", "SET", "min-replicas-to-write", "1");
        assertEquals(Kind.UNAVAILABLE, refused(() -> store.reserve(1, List.of(new Store.Want("t", 1)))));
        second.command("CONFIG", "SET", "min-replicas-to-write", "0");
        assertEquals(List.of(), reserved(1));
        second.command("REPLICAOF", "127.0.0.1", "1");
        assertEquals(Kind.UNAVAILABLE, refused(() -> store.reserve(1, List.of(new Store.Want("t", 1)))));
        assertEquals(List.of(), reserved(0));
    }

    /** Records the hints. */
    private static final class Heard implements HintSubscription.Listener {
        final ConcurrentLinkedQueue<Integer> ready = new ConcurrentLinkedQueue<>();
        final AtomicInteger listening = new AtomicInteger();

        @Override
        public void alarm(int bucket, long at, long now) {}

        @Override
        public void ready(int bucket, String topic) {
            ready.add(bucket);
        }

        @Override
        public void serversChanged() {}

        @Override
        public void settingsChanged() {}

        @Override
        public void topicChanged(String topic, String what) {}

        @Override
        public void listening() {
            listening.incrementAndGet();
        }
    }

    @Test
    void hints_of_all_are_heard_and_one_that_is_deaf_is_noticed() {
        Heard heard = new Heard();
        List<HintSubscription> subscriptions =
                on(() -> Future.succeededFuture(HintSubscription.all(vertx, endpoint, keys, heard)));
        TestRedis.await("both listen", () -> heard.listening.get() == 2);
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            push(bucket, 0);
        }
        TestRedis.await("all hints", () -> heard.ready.containsAll(List.of(0, 1, 2, 3)));
        long ofFirst = first.connectionsMade();
        // only the first says anything from now on
        TestRedis.await("the second was made anew", () -> {
            on(() -> store.look(0));
            on(() -> {
                subscriptions.forEach(one -> one.reconnectIfSilentFor(500));
                return Future.succeededFuture();
            });
            return heard.listening.get() > 2;
        });
        assertEquals(ofFirst, first.connectionsMade());
        on(() -> Future.join(subscriptions.stream().map(HintSubscription::close).toList()));
    }

    @Test
    void lists_of_others_are_on_the_first() {
        ListStore lists = on(() -> Future.succeededFuture(stores.openLists(vertx, "lists")));
        on(lists::ready);
        RedisList to = new RedisList("list", Payload.ID);
        on(() -> store.topics()
                .configure(
                        "t",
                        new TopicSettings(
                                null, Retry.INHERITED, null, null, null, null, null, to, null, null, null, null)));
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < BUCKETS; i++) {
            int bucket = i;
            push(bucket, 0);
            ids.add(id(bucket, 0));
            TestRedis.await("moved", () -> {
                try {
                    return on(() -> lists.move(bucket, "t", 10, false)).dues().size() == 1;
                } catch (CompletionException e) {
                    // its other connection is not up yet
                    return false;
                }
            });
        }
        assertEquals(ids, first.command("LRANGE", "list", "0", "-1"));
        assertEquals(0L, second.command("EXISTS", "list"));
        assertNotNull(on(() -> store.topics().settings("t")));
        assertEquals(0, jobKeys(first).size() + jobKeys(second).size());
        on(lists::close);
    }
}
