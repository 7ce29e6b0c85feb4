package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Delivery;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.When;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two processes that reserve from a topic with a limit, by turns. */
class TurnRedisTest {
    private static final int BUCKETS = 3;

    private final StoreHarness one = new StoreHarness(TestRedis.shared(), BUCKETS);
    private final StoreHarness two = new StoreHarness(one.redis, one.redis.url(), one.namespace, BUCKETS);
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    @AfterEach
    void close() {
        two.close();
        one.close();
    }

    private void limit(Integer maxInFlight, Integer ratePerSecond) {
        TopicSettings settings = new TopicSettings(
                null, Retry.INHERITED, null, null, null, null, null, null, null, null, maxInFlight, ratePerSecond);
        one.call(s -> s.topics().configure("t", settings));
    }

    private void push(int count) {
        List<CompletableFuture<Store.Pushed>> pushes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String id = "j" + i;
            pushes.add(one.async(s -> s.push(StoreHarness.job("t", id, When.NOW))));
        }
        pushes.forEach(CompletableFuture::join);
    }

    private static List<Delivery> reserveInTurn(StoreHarness store, int max) {
        List<Delivery> all = new ArrayList<>();
        for (int bucket = 0; bucket < BUCKETS && all.size() < max; bucket++) {
            int at = bucket;
            Store.Want want = new Store.Want("t", max - all.size(), true);
            store.call(s -> s.reserve(at, List.of(want))).leased().forEach(leased -> all.addAll(leased.jobs()));
        }
        return all;
    }

    @Test
    void without_a_turn_nothing_of_a_limited_topic_is_reserved() {
        push(5);
        limit(3, null);
        Store.Leased leased = one.call(s -> s.reserve(0, List.of(new Store.Want("t", 5))))
                .leased()
                .get(0);
        assertEquals(new Store.Leased("t", List.of(), false, true), leased);
        limit(null, null);
        assertEquals(5, one.reserve("t", 5).size());
    }

    @Test
    void a_turn_is_one_process_at_a_time() {
        limit(3, null);
        assertEquals(new Store.Turn(true, 0, null, 3), one.call(s -> s.beginTurn("t")));
        Store.Turn refused = two.call(s -> s.beginTurn("t"));
        assertEquals(false, refused.granted());
        assertTrue(refused.waitMillis() > 0 && refused.waitMillis() <= 2_000, "waits " + refused);
        // ends nothing, for it was not its turn
        two.call(s -> s.endTurn("t", 0));
        assertEquals(false, two.call(s -> s.beginTurn("t")).granted());
        one.call(s -> s.endTurn("t", 3));
        assertEquals(true, two.call(s -> s.beginTurn("t")).granted());
    }

    @Test
    void two_processes_never_hold_more_than_the_limit() {
        int jobs = 300;
        push(jobs);
        limit(7, null);
        AtomicInteger acked = new AtomicInteger();
        both(store -> {
            while (acked.get() < jobs) {
                acked.addAndGet(oneTurn(store));
            }
        });
        assertEquals(jobs, acked.get());
        assertEquals(7, most.get(), "most in flight");
    }

    private int oneTurn(StoreHarness store) {
        Store.Turn turn = store.call(s -> s.beginTurn("t"));
        if (!turn.granted()) {
            return 0;
        }
        assertNull(turn.allowed());
        long reserved = store.call(s -> s.counts(List.of("t"))).get(0).reserved();
        assertTrue(reserved <= 7, "reserved " + reserved);
        int room = turn.maxInFlight() - (int) reserved;
        List<Delivery> jobs = room > 0 ? reserveInTurn(store, room) : List.of();
        most.accumulateAndGet(inFlight.addAndGet(jobs.size()), Math::max);
        store.call(s -> s.endTurn("t", jobs.size()));
        inFlight.addAndGet(-jobs.size());
        jobs.forEach(job -> assertEquals(true, store.call(s -> s.ack("t", job.id(), job.lease(), ""))));
        return jobs.size();
    }

    @Test
    void two_processes_never_exceed_the_rate() {
        int rate = 200;
        push(600);
        limit(null, rate);
        List<Long> times = new ArrayList<>();
        long end = System.nanoTime() + 1_500_000_000L;
        both(store -> {
            while (System.nanoTime() < end) {
                Store.Turn turn = store.call(s -> s.beginTurn("t"));
                if (turn.granted()) {
                    long before = redisMicros();
                    int used = turn.allowed() > 0
                            ? reserveInTurn(store, turn.allowed()).size()
                            : 0;
                    store.call(s -> s.endTurn("t", used));
                    synchronized (times) {
                        for (int i = 0; i < used; i++) {
                            times.add(before);
                        }
                    }
                }
            }
        });
        times.sort(Long::compare);
        assertTrue(times.size() > rate / 2, "only " + times.size() + " in 1.5 s");
        int burst = rate / 10;
        for (int from = 0; from < times.size(); from++) {
            for (int to = from; to < times.size(); to++) {
                double allowed = burst + 1 + rate * (times.get(to) - times.get(from)) / 1e6;
                // between the turn and its end a few more ms may pass
                assertTrue(
                        to - from + 1 <= allowed + rate * 0.1,
                        (to - from + 1) + " jobs in " + (times.get(to) - times.get(from)) + " us");
            }
        }
    }

    private long redisMicros() {
        List<?> time = (List<?>) one.redis.command("TIME");
        return Long.parseLong(time.get(0).toString()) * 1_000_000
                + Long.parseLong(time.get(1).toString());
    }

    private void both(java.util.function.Consumer<StoreHarness> work) {
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> work.accept(two));
        work.accept(one);
        other.join();
    }
}
