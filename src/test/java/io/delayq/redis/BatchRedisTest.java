package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Delivery;
import io.delayq.job.IdSource;
import io.delayq.job.Ids;
import io.delayq.job.JobOptions;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.When;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many jobs in one call: the same one twice, more than fit, more than one step. */
class BatchRedisTest {
    private static final List<String> T = List.of("t");

    private static <R> List<R> together(StoreHarness store, int count, BiFunction<Store, Integer, Future<R>> work) {
        List<CompletableFuture<R>> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int at = i;
            running.add(store.async(s -> work.apply(s, at)));
        }
        return running.stream().map(CompletableFuture::join).toList();
    }

    @Test
    void of_the_same_thing_twice_in_one_call_one_counts() {
        try (StoreHarness store = new StoreHarness(TestRedis.shared(), 1)) {
            List<Store.Pushed> pushed = together(store, 3, (s, i) -> s.push(StoreHarness.job("t", "a", When.NOW)));
            assertEquals(1, pushed.stream().filter(Store.Pushed::created).count());
            Delivery first = store.reserve("t", 1).get(0);
            List<Boolean> released = together(store, 3, (s, i) -> s.release("t", "a", first.lease()));
            assertEquals(1, released.stream().filter(held -> held).count());
            Delivery second = store.reserve("t", 1).get(0);
            List<Store.Nacked> nacked = together(store, 3, (s, i) -> s.nack("t", "a", second.lease(), 0L, "", ""));
            assertEquals(2, nacked.stream().filter(Store.Nacked::stale).count());
            Delivery third = store.reserve("t", 1).get(0);
            assertEquals(2, third.attempt());
            List<Boolean> acked = together(store, 3, (s, i) -> s.ack("t", "a", third.lease(), ""));
            assertEquals(1, acked.stream().filter(held -> held).count());
            together(store, 3, (s, i) -> s.put(StoreHarness.job("t", "a", When.NOW)));
            new Recount(store).check(T);
            List<Boolean> cancelled = together(store, 3, (s, i) -> s.cancel("t", "a"));
            assertEquals(1, cancelled.stream().filter(there -> there).count());
            new Recount(store).nothingLeft();
        }
    }

    @Test
    void what_does_not_fit_into_one_answer_stays_as_it_stood() {
        try (StoreHarness store = new StoreHarness(TestRedis.shared(), 1)) {
            Buffer body = Buffer.buffer("\"" + "x".repeat(200_000) + "\"");
            List<String> pushed = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                NewJob job = new NewJob("t", "j" + i, When.NOW, JobOptions.NONE, body);
                pushed.add(job.id());
                store.call(s -> s.push(job));
            }
            // somebody pages meanwhile
            store.call(s -> s.topics().list(JobQuery.all("t", JobState.READY, 1, null)));
            List<String> delivered = new ArrayList<>();
            boolean more = true;
            while (more) {
                Store.Leased leased = store.call(s -> s.reserve(0, List.of(new Store.Want("t", 10))))
                        .leased()
                        .get(0);
                assertTrue(leased.jobs().size() <= 3, "too many at once");
                leased.jobs().forEach(job -> delivered.add(job.id()));
                more = leased.more();
                new Recount(store).check(T);
            }
            assertEquals(pushed, delivered);
        }
    }

    @Test
    void some_ids_that_are_drawn_together_share_a_call_and_many_are_spread_evenly() {
        try (StoreHarness store = new StoreHarness(TestRedis.shared(), 4)) {
            Keys keys = new Keys("any", 4);
            IdSource ids = store.call(s -> Future.succeededFuture(s.ids(new Ids())));
            int[] drawn = new int[4];
            for (int i = 0; i < 20; i++) {
                drawn[keys.bucketOf(ids.next())]++;
            }
            assertEquals(20, IntStream.of(drawn).max().orElseThrow());
            for (int i = 0; i < 780; i++) {
                drawn[keys.bucketOf(ids.next())]++;
            }
            assertEquals(
                    List.of(200, 200, 200, 200), IntStream.of(drawn).boxed().toList());

            int before = keys.bucketOf(ids.next());
            String there = new Ids().nextIn(before, keys::bucketOf);
            store.call(s -> s.push(StoreHarness.job("t", there, When.NOW)));
            assertTrue(keys.bucketOf(ids.next()) != before, "the call for it is gone");
        }
    }

    @Test
    void ghosts_are_swept_and_nobody_is_lost() {
        try (StoreHarness store = new StoreHarness(TestRedis.shared(), 1);
                SetClock clock = new SetClock(store)) {
            int count = 4_000;
            together(store, count, (s, i) -> s.push(StoreHarness.job("t", "j" + i, When.NOW)));
            together(store, count / 2, (s, i) -> s.cancel("t", "j" + 2 * i));
            together(store, 200, (s, i) -> s.reschedule("t", "j" + (2 * i + 1), When.in(1_000)));
            store.call(s -> s.topics().list(JobQuery.all("t", JobState.READY, 1, null)));
            store.dueAll();
            assertEquals(
                    (long) count,
                    store.redis.command("LLEN", store.keys.key(0, "ready:t:n")),
                    "swept under the eyes of one who pages");
            store.redis.command("DEL", store.keys.key(0, "heads:t"));
            clock.advance(60_000);
            store.dueAll();
            new Recount(store).check(T);
            long left = (long) store.redis.command("SCARD", store.keys.key(0, "ghosts:t"));
            assertTrue(left <= 2_000, left + " ghosts are left");
            Set<String> delivered = new HashSet<>();
            store.reserve("t", count).forEach(job -> delivered.add(job.id()));
            assertEquals(count / 2, delivered.size());
            new Recount(store).check(T);
        }
    }

    @Test
    void more_than_one_step_of_dead_jobs_is_requeued_once() {
        try (StoreHarness store = new StoreHarness(TestRedis.shared(), 2)) {
            store.call(s ->
                    s.topics().configure("t", TopicSettingsRedisTest.settings(null, 1, null, null, null, null, null)));
            together(store, 450, (s, i) -> s.push(StoreHarness.job("t", "j" + i, When.NOW)));
            List<Delivery> jobs = store.reserve("t", 450);
            together(
                    store,
                    450,
                    (s, i) -> s.nack("t", jobs.get(i).id(), jobs.get(i).lease(), null, "why", ""));
            long requeued = store.call(s -> s.topics().requeue("t", null, () -> false));
            assertEquals(450, requeued);
            assertEquals(450, store.reserve("t", 1_000).size());
            new Recount(store).check(T);
        }
    }

    @Test
    void a_list_goes_through_many_empty_buckets() {
        try (StoreHarness store = new StoreHarness(TestRedis.shared(), 64)) {
            List<String> ids = List.of("a", "b", "c");
            ids.forEach(id -> store.call(s -> s.push(StoreHarness.job("t", id, When.NOW))));
            List<JobView> found = ModelCheck.pages(store, JobQuery.all("t", null, 2, null));
            assertEquals(ids, found.stream().map(JobView::id).sorted().toList());
        }
    }
}
