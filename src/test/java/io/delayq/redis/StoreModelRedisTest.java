package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Delivery;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.Priority;
import io.delayq.job.TopicCounts;
import io.delayq.job.When;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random operations on few ids, each answer compared with a plain model. Waits are none or an hour, so that time decides
 * nothing: a job that an earlier life left behind in a ready list and that fires early is caught at once.
 */
public class StoreModelRedisTest {
    private static final int STEPS = 1_500;
    private static final When LATER = When.in(3_600_000);
    private static final String[] IDS = {"a", "b", "c", "1001", "jobs:t", "naïve ☃ id/with %"};
    private static final String[] TOPICS = {"t", "t:n"};

    /** What the model knows of one job. */
    private static final class Known {
        JobState state;
        String lease = "";
        int attempts;
    }

    private final Map<String, Known> model = new HashMap<>();
    private final List<Delivery> seen = new ArrayList<>();
    private StoreHarness store;
    private Random random;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void answers_as_the_model_does_in_every_order_of_operations(long seed) {
        check(seed, 2, STEPS);
    }

    @Test
    void answers_as_the_model_does_with_a_new_seed() {
        check(System.nanoTime(), 1, STEPS);
    }

    @Test
    void a_list_of_which_the_last_live_job_was_reserved_before_its_ghosts_is_deleted() {
        try (StoreHarness harness = new StoreHarness(TestRedis.shared(), 1)) {
            store = harness;
            for (String id : List.of("first", "ghost")) {
                harness.call(s -> s.push(StoreHarness.job("t", id, When.NOW)));
            }
            assertEquals(true, harness.call(s -> s.cancel("t", "ghost")));
            Delivery job = harness.reserve("t", 1).get(0);
            assertEquals("first", job.id());
            assertEquals(true, harness.call(s -> s.ack("t", job.id(), job.lease(), "")));
            drain();
        }
    }

    /** Also run with a fault planted, to see that it turns red. */
    public static void check(long seed, int buckets, int steps) {
        new StoreModelRedisTest().run(seed, buckets, steps);
    }

    private void run(long seed, int buckets, int steps) {
        random = new Random(seed);
        try (StoreHarness harness = new StoreHarness(TestRedis.shared(), buckets)) {
            store = harness;
            for (int step = 0; step < steps; step++) {
                step();
                if (step % 50 == 0) {
                    checkCounts();
                }
            }
            checkCounts();
            drain();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
        }
    }

    private void step() {
        String topic = TOPICS[random.nextInt(TOPICS.length)];
        String id = IDS[random.nextInt(IDS.length)];
        Known known = model.get(topic + "|" + id);
        When when = random.nextBoolean() ? When.NOW : LATER;
        switch (random.nextInt(10)) {
            case 0, 1 -> push(topic, id, when, known);
            case 2 -> put(topic, id, when, known);
            case 3 -> assertEquals(known != null, store.call(s -> s.cancel(topic, id)), "cancel " + forget(topic, id));
            case 4 -> reschedule(topic, id, when, known);
            case 5, 6 -> reserve(topic, 1 + random.nextInt(3));
            case 7 -> ack();
            case 8 -> nack();
            default -> release();
        }
    }

    private String forget(String topic, String id) {
        model.remove(topic + "|" + id);
        return id;
    }

    private void push(String topic, String id, When when, Known known) {
        Priority priority = Priority.values()[random.nextInt(3)];
        Store.Pushed pushed = store.call(s -> s.push(StoreHarness.job(topic, id, when, priority)));
        assertEquals(known == null, pushed.created(), "push of " + id);
        if (known == null) {
            model.put(topic + "|" + id, fresh(when));
        }
    }

    private void put(String topic, String id, When when, Known known) {
        Priority priority = Priority.values()[random.nextInt(3)];
        Store.Pushed pushed = store.call(s -> s.put(StoreHarness.job(topic, id, when, priority)));
        assertEquals(known == null, pushed.created(), "put of " + id);
        model.put(topic + "|" + id, fresh(when));
    }

    private static Known fresh(When when) {
        Known known = new Known();
        known.state = when == LATER ? JobState.DELAYED : JobState.READY;
        return known;
    }

    private void reschedule(String topic, String id, When when, Known known) {
        Store.Rescheduled moved = store.call(s -> s.reschedule(topic, id, when));
        assertEquals(known == null ? null : known.state, moved.before(), "reschedule of " + id);
        if (known != null && known.state != JobState.RESERVED) {
            known.state = when == LATER ? JobState.DELAYED : JobState.READY;
        }
    }

    private void reserve(String topic, int max) {
        List<Delivery> jobs = store.reserve(topic, max);
        Set<String> ready = new TreeSet<>();
        model.forEach((key, known) -> {
            if (key.startsWith(topic + "|") && known.state == JobState.READY) {
                ready.add(key.substring(topic.length() + 1));
            }
        });
        assertEquals(Math.min(max, ready.size()), jobs.size(), "reserved of " + ready);
        for (Delivery job : jobs) {
            assertTrue(ready.remove(job.id()), job.id() + " was delivered but is not ready, or twice");
            Known known = model.get(topic + "|" + job.id());
            known.state = JobState.RESERVED;
            known.lease = job.lease();
            known.attempts++;
            assertEquals(known.attempts, job.attempt(), "attempt of " + job.id());
            seen.add(job);
        }
    }

    /** A delivery of any time, most often one that does not hold any more. */
    private Delivery anyDelivery() {
        return seen.isEmpty() ? null : seen.get(random.nextInt(seen.size()));
    }

    private boolean holds(Delivery job) {
        Known known = model.get(job.topic() + "|" + job.id());
        return known != null && known.state == JobState.RESERVED && known.lease.equals(job.lease());
    }

    private void ack() {
        Delivery job = anyDelivery();
        if (job != null) {
            boolean held = holds(job);
            assertEquals(held, store.call(s -> s.ack(job.topic(), job.id(), job.lease(), "")), "ack of " + job);
            if (held) {
                forget(job.topic(), job.id());
            }
        }
    }

    private void nack() {
        Delivery job = anyDelivery();
        if (job == null) {
            return;
        }
        boolean held = holds(job);
        long wait = random.nextBoolean() ? 0 : 3_600_000;
        Store.Nacked nacked = store.call(s -> s.nack(job.topic(), job.id(), job.lease(), wait, "why", ""));
        assertEquals(!held, nacked.stale(), "nack of " + job);
        if (held) {
            Known known = model.get(job.topic() + "|" + job.id());
            known.state = known.attempts >= 10 ? JobState.DEAD : wait == 0 ? JobState.READY : JobState.DELAYED;
            if (known.state == JobState.DEAD) {
                known.attempts = 10;
            }
            assertEquals(known.state, nacked.state(), "state after nack of " + job);
            known.lease = "";
        }
    }

    private void release() {
        Delivery job = anyDelivery();
        if (job != null) {
            boolean held = holds(job);
            assertEquals(held, store.call(s -> s.release(job.topic(), job.id(), job.lease())), "release of " + job);
            if (held) {
                Known known = model.get(job.topic() + "|" + job.id());
                known.state = JobState.READY;
                known.lease = "";
                known.attempts--;
            }
        }
    }

    private void checkCounts() {
        store.dueAll();
        for (String topic : TOPICS) {
            List<TopicCounts> counts = store.call(s -> s.counts(List.of(topic)));
            if (counts.isEmpty()) {
                continue;
            }
            assertEquals(expected(topic), counts.get(0));
            for (String id : IDS) {
                JobView view = store.call(s -> s.get(topic, id));
                Known known = model.get(topic + "|" + id);
                assertEquals(known == null ? null : known.state, view == null ? null : view.state(), "state of " + id);
            }
        }
    }

    private TopicCounts expected(String topic) {
        Map<JobState, Long> by = new HashMap<>();
        model.forEach((key, known) -> {
            if (key.startsWith(topic + "|")) {
                by.merge(known.state, 1L, Long::sum);
            }
        });
        return new TopicCounts(
                topic,
                by.getOrDefault(JobState.DELAYED, 0L),
                by.getOrDefault(JobState.READY, 0L),
                by.getOrDefault(JobState.RESERVED, 0L),
                by.getOrDefault(JobState.DEAD, 0L),
                0,
                false);
    }

    /** After the last job is gone, nothing of any job is left: only the topics, alarms and calls. */
    private void drain() {
        for (String key : new HashSet<>(model.keySet())) {
            String topic = key.substring(0, key.indexOf('|'));
            String id = key.substring(topic.length() + 1);
            assertEquals(true, store.call(s -> s.cancel(topic, id)), "cancel of " + id);
        }
        Set<String> left = new TreeSet<>();
        for (String key : store.allKeys()) {
            String rest = key.substring(key.indexOf('}') + 2);
            if (!rest.equals("next") && !rest.equals("topics") && !rest.equals("names") && !rest.startsWith("call:")) {
                left.add(rest);
            }
        }
        assertEquals(Set.of(), left, "keys left after a full drain");
    }
}
