package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Delivery;
import io.delayq.job.Forecast;
import io.delayq.job.JobPage;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.When;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A job that does not change while somebody pages comes exactly once; so it counts in a forecast. */
class JobListRedisTest {
    private static final int PAGE = 7;

    private final StoreHarness store = new StoreHarness(TestRedis.shared(), 3);
    private final Random random = new Random(11);

    @AfterEach
    void close() {
        store.close();
    }

    private void push(int count, When when, boolean everyPriority) {
        List<CompletableFuture<Store.Pushed>> pushes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Priority priority = everyPriority ? Priority.values()[i % 3] : Priority.NORMAL;
            String id = "j" + i;
            pushes.add(store.async(s -> s.push(StoreHarness.job("t", id, when, priority))));
        }
        pushes.forEach(CompletableFuture::join);
    }

    /** Pages through, doing something between pages; how often each job came. */
    private Map<String, Integer> page(JobState state, Runnable between) {
        Map<String, Integer> seen = new HashMap<>();
        String cursor = null;
        do {
            String at = cursor;
            JobPage page = store.call(s -> s.topics().list(JobQuery.all("t", state, PAGE, at)));
            page.jobs().forEach(job -> seen.merge(job.id(), 1, Integer::sum));
            cursor = page.cursor();
            between.run();
        } while (cursor != null);
        return seen;
    }

    private static void assertOnce(Map<String, Integer> seen, int count, Set<String> changed) {
        for (int i = 0; i < count; i++) {
            String id = "j" + i;
            if (!changed.contains(id)) {
                assertEquals(1, seen.getOrDefault(id, 0), id + " was seen");
            }
        }
        assertTrue(changed.size() < count, "all have changed");
    }

    @Test
    void delayed_jobs_of_one_due_time_come_once_while_others_are_cancelled() {
        int count = 3_000;
        push(count, When.at(System.currentTimeMillis() + 3_600_000), true);
        Set<String> cancelled = new HashSet<>();
        Map<String, Integer> seen = page(JobState.DELAYED, () -> {
            for (int i = 0; i < 4; i++) {
                String id = "j" + random.nextInt(count);
                cancelled.add(id);
                store.call(s -> s.cancel("t", id));
            }
        });
        assertOnce(seen, count, cancelled);
    }

    @Test
    void a_forecast_of_more_steps_than_one_script_takes_counts_each_job_in_its_step() {
        int steps = 450;
        long minute = 60_000;
        long now = System.currentTimeMillis();
        List<CompletableFuture<Store.Pushed>> pushes = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            NewJob job = StoreHarness.job("t", "j" + i, When.at(now + i * minute + minute / 2));
            pushes.add(store.async(s -> s.push(job)));
        }
        pushes.forEach(CompletableFuture::join);
        Forecast forecast = store.call(s -> s.topics().forecast("t", steps * minute, minute));
        assertEquals(Collections.nCopies(steps, 1L), forecast.due());
    }

    @Test
    void merged_pages_come_in_order_and_full() {
        int count = 700;
        long hence = System.currentTimeMillis() + 3_600_000;
        List<CompletableFuture<Store.Pushed>> pushes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            NewJob job = StoreHarness.job("t", "j" + i, When.at(hence + random.nextInt(count)));
            pushes.add(store.async(s -> s.push(job)));
        }
        pushes.forEach(CompletableFuture::join);
        JobPage first = store.call(s -> s.topics().list(JobQuery.all("t", JobState.DELAYED, 500, null)));
        JobPage rest = store.call(s -> s.topics().list(JobQuery.all("t", JobState.DELAYED, 500, first.cursor())));
        assertEquals(500, first.jobs().size());
        assertEquals(count - 500, rest.jobs().size());
        assertEquals(null, rest.cursor());
        List<Long> due = new ArrayList<>();
        first.jobs().forEach(job -> due.add(job.due()));
        rest.jobs().forEach(job -> due.add(job.due()));
        assertEquals(due.stream().sorted().toList(), due);
    }

    @Test
    void ready_jobs_come_once_while_others_are_reserved_released_cancelled_and_pushed() {
        int count = 1_500;
        push(count, When.NOW, true);
        Set<String> changed = new HashSet<>();
        List<Delivery> held = new ArrayList<>();
        int[] pushed = {count};
        Map<String, Integer> seen = page(JobState.READY, () -> {
            int bucket = random.nextInt(3);
            store.call(s -> s.reserve(bucket, List.of(new Store.Want("t", 3))))
                    .leased()
                    .forEach(leased -> held.addAll(leased.jobs()));
            held.forEach(job -> changed.add(job.id()));
            if (random.nextBoolean() && !held.isEmpty()) {
                Delivery job = held.remove(random.nextInt(held.size()));
                // not if it was cancelled since
                store.call(s -> s.release("t", job.id(), job.lease()));
            }
            String id = "j" + random.nextInt(count);
            changed.add(id);
            store.call(s -> s.cancel("t", id));
            store.call(s -> s.push(StoreHarness.job("t", "j" + pushed[0]++, When.NOW)));
        });
        assertOnce(seen, count, changed);
    }

    @Test
    void dead_and_done_jobs_come_once_while_they_are_requeued() {
        int count = 500;
        store.call(
                s -> s.topics().configure("t", TopicSettingsRedisTest.settings(null, 1, null, null, null, null, null)));
        push(count, When.NOW, false);
        List<CompletableFuture<Store.Nacked>> nacks = new ArrayList<>();
        for (Delivery job : store.reserve("t", count)) {
            nacks.add(store.async(s -> s.nack("t", job.id(), job.lease(), null, "why", "me")));
        }
        nacks.forEach(nack -> assertEquals(JobState.DEAD, nack.join().state()));
        Set<String> changed = new HashSet<>();
        Map<String, Integer> seen = page(JobState.DEAD, () -> {
            String id = "j" + random.nextInt(count);
            changed.add(id);
            store.call(s -> s.topics().requeue("t", List.of(id), () -> false));
        });
        assertOnce(seen, count, changed);
    }

    @Test
    void all_states_come_one_after_the_other() {
        push(20, When.NOW, true);
        List<Delivery> held = store.reserve("t", 5);
        for (int i = 0; i < 10; i++) {
            String id = "later" + i;
            store.call(s -> s.push(StoreHarness.job("t", id, When.in(60_000))));
        }
        List<JobView> all = ModelCheck.pages(store, JobQuery.all("t", null, 4, null));
        assertEquals(30, all.stream().map(JobView::id).distinct().count());
        assertEquals(30, all.size());
        List<JobState> states = all.stream().map(JobView::state).distinct().toList();
        assertEquals(List.of(JobState.DELAYED, JobState.READY, JobState.RESERVED), states);
        assertEquals(5, held.size());
    }

    @Test
    void a_cursor_that_is_none_is_refused() {
        for (String cursor : List.of("", "x", "!!", "ZGVsYXllZCA", "ZGVsYXllZCA5IDEgeA", "cmVhZHkgMCB6IDE")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> store.call(s -> s.topics().list(JobQuery.all("t", null, 4, cursor))),
                    cursor);
        }
    }
}
