package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Callback;
import io.delayq.job.Delivery;
import io.delayq.job.JobState;
import io.delayq.job.NewJob;
import io.delayq.job.TopicSettings;
import io.delayq.job.When;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random operations on few ids of few topics, each done to the store and to the model. */
final class ModelRun {
    private static final String[] IDS = {"a", "ab", "c", "1001", "jobs:t", "naïve ☃ id/with %"};
    private static final String[] TOPICS = {"t", "t:g"};
    private static final int ALL = 50;
    /** A letter for each operation, as often as it is to come. */
    private static final String WEIGHTS = "pppppp".repeat(2) + "PPPcccssssss" + "rrrrrrr".repeat(2) + "aaaaaa"
            + "nnnnnnnnlllllleeeebbbb" + "tttttttt" + "hhhSSSqqqDDDgggx";

    private final StoreHarness store;
    private final SetClock clock;
    private final QueueModel model = new QueueModel();
    private final Random random;
    private final Drawn drawn;
    private final List<Delivery> seen = new ArrayList<>();
    private final ModelCheck check;
    private String did = "";

    ModelRun(StoreHarness store, SetClock clock, Random random) {
        this.store = store;
        this.clock = clock;
        this.random = random;
        this.drawn = new Drawn(random);
        this.model.now = clock.now();
        this.check = new ModelCheck(store, model, seen, random);
    }

    void run(int steps) {
        for (int step = 0; step < steps; step++) {
            try {
                step();
                check.all(List.of(TOPICS), List.of(IDS));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("step " + step + " (" + did + "): " + e.getMessage(), e);
            }
        }
        new Recount(store).check(List.of(TOPICS));
        drain();
    }

    private void step() {
        String topic = drawn.any(TOPICS);
        String id = drawn.any(IDS);
        switch (WEIGHTS.charAt(random.nextInt(WEIGHTS.length()))) {
            case 'p' -> push(drawn.job(topic, id, model.now));
            case 'P' -> put(drawn.job(topic, id, model.now));
            case 'c' -> cancel(topic, id);
            case 's' -> reschedule(topic, id, drawn.when(model.now));
            case 'r' -> reserve();
            case 'a' -> ack();
            case 'n' -> nack();
            case 'l' -> lost();
            case 'e' -> extend();
            case 'b' -> release();
            case 't' -> pass();
            case 'h' -> pause(topic);
            case 'S' -> configure(topic);
            case 'q' -> requeue(topic);
            case 'D' -> purge(topic);
            case 'g' -> cancelGroup(topic);
            default -> delete(topic);
        }
    }

    private void push(NewJob job) {
        did = "push " + job;
        assertEquals(model.push(job), store.call(s -> s.push(job)), did);
    }

    private void put(NewJob job) {
        did = "put " + job;
        assertEquals(model.put(job), store.call(s -> s.put(job)), did);
    }

    private void cancel(String topic, String id) {
        did = "cancel " + topic + " " + id;
        assertEquals(model.cancel(topic, id), store.call(s -> s.cancel(topic, id)), did);
    }

    private void reschedule(String topic, String id, When when) {
        did = "reschedule " + topic + " " + id + " " + when;
        assertEquals(model.reschedule(topic, id, when), store.call(s -> s.reschedule(topic, id, when)), did);
    }

    /** Mostly where there is something. */
    private void reserve() {
        List<String> topics = new ArrayList<>(List.of(TOPICS));
        List.of(TOPICS).forEach(topic -> topics.add(Callback.jobsOf(topic)));
        if (random.nextInt(5) > 0) {
            topics.removeIf(topic -> model.jobs(job -> job.isFor(topic)).isEmpty());
        }
        String topic = topics.isEmpty() ? drawn.any(TOPICS) : topics.get(random.nextInt(topics.size()));
        reserve(topic, 1 + random.nextInt(4));
    }

    private void reserve(String name, int some) {
        String topic = Callback.isJobsOf(name) ? Callback.topicOf(name) : name;
        // which of the expired ones a smaller call comes across is not said
        boolean over =
                !model.jobs(job -> job.isFor(name) && job.isOver(model.now)).isEmpty();
        int max = over ? ALL : some;
        did = "reserve " + name + " " + max;
        List<Delivery> jobs = store.reserve(name, max);
        if (!model.isPaused(topic)) {
            model.findExpired(name);
        }
        List<ModelJob> ready = model.isPaused(topic) ? List.of() : model.jobs(job -> job.isFor(name));
        assertEquals(Math.min(max, ready.size()), jobs.size(), "reserved of " + ready);
        for (Delivery job : jobs) {
            ModelJob known = model.job(topic, job.id());
            assertTrue(known != null && known.isFor(name), job.id() + " was delivered but is not ready, or twice");
            model.reserved(job);
            assertEquals(known.attempts, job.attempt(), "attempt of " + job.id());
            assertEquals(known.due, job.due(), "due time of " + job.id());
            assertEquals(known.deadline, job.deadline(), "deadline of " + job.id());
            assertEquals(model.retry(known).maxAttempts(), job.maxAttempts(), "most attempts of " + job.id());
            seen.add(job);
        }
    }

    /** A delivery, of old ones too, that may not hold any more. */
    private Delivery delivery() {
        List<Delivery> held = seen.stream().filter(model::holds).toList();
        if (held.isEmpty()) {
            reserve();
            held = seen.stream().filter(model::holds).toList();
        }
        if (!held.isEmpty() && random.nextInt(4) > 0) {
            return held.get(random.nextInt(held.size()));
        }
        if (seen.isEmpty()) {
            return new Delivery(drawn.any(TOPICS), drawn.any(IDS), "none", 1, 1, 0, 0, null, Buffer.buffer());
        }
        return seen.get(random.nextInt(seen.size()));
    }

    private void ack() {
        Delivery job = delivery();
        did = "ack of " + job;
        assertEquals(model.ack(job), store.call(s -> s.ack(job.topic(), job.id(), job.lease(), "me")), did);
    }

    private void nack() {
        Delivery job = delivery();
        Long wait = drawn.maybe(0L, 700L, Drawn.MUCH);
        String error = drawn.maybe("why", "\"quoted\" \\ \n ☃");
        did = "nack of " + job + " " + wait;
        assertEquals(
                model.nack(job, wait, error),
                store.call(s -> s.nack(job.topic(), job.id(), job.lease(), wait, error, "me")),
                did);
    }

    private void lost() {
        Delivery job = delivery();
        did = "lost " + job;
        assertEquals(model.lost(job), store.call(s -> s.lost(job.topic(), job.id(), job.lease(), "me")), did);
    }

    private void extend() {
        Delivery job = delivery();
        Long ttr = drawn.maybe(100L, 10_000L);
        did = "extend " + job + " " + ttr;
        assertEquals(model.extend(job, ttr), store.call(s -> s.extend(job.topic(), job.id(), job.lease(), ttr)), did);
    }

    private void release() {
        Delivery job = delivery();
        long wait = random.nextInt(2) * 700L;
        did = "release of " + job + " " + wait;
        assertEquals(model.release(job, wait), store.call(s -> s.defer(job.topic(), job.id(), job.lease(), wait)), did);
    }

    /** Time passes; mostly the scanner runs then. */
    private void pass() {
        long millis = new long[] {1, 100, 100, 500, 1_000, 1_000, 5_000, 30_000}[random.nextInt(8)];
        model.now = clock.advance(millis);
        did = "pass " + millis;
        if (random.nextInt(3) > 0) {
            did = did + " and due";
            model.due();
            store.dueAll();
        }
    }

    private void pause(String topic) {
        boolean on = random.nextInt(4) == 0;
        did = "pause " + topic + " " + on;
        model.pause(topic, on);
        store.call(s -> s.topics().pause(topic, on));
    }

    private void configure(String topic) {
        TopicSettings settings = drawn.settings();
        did = "configure " + topic + " " + settings;
        model.configure(topic, settings);
        store.call(s -> s.topics().configure(topic, settings));
    }

    private void requeue(String topic) {
        List<String> ids = random.nextBoolean() ? null : List.of(drawn.any(IDS), drawn.any(IDS), "nobody");
        did = "requeue " + topic + " " + ids;
        assertEquals(model.requeue(topic, ids), store.call(s -> s.topics().requeue(topic, ids, () -> false)), did);
    }

    private void purge(String topic) {
        JobState state = random.nextInt(6) == 0 ? null : drawn.any(JobState.values());
        did = "purge " + topic + " " + state;
        assertEquals(
                model.remove(job -> job.topic.equals(topic) && (state == null || job.state == state)),
                store.call(s -> s.topics().purge(topic, state, () -> false)),
                did);
    }

    private void cancelGroup(String topic) {
        String group = drawn.any(Drawn.GROUPS);
        did = "cancel group " + topic + " " + group;
        assertEquals(
                model.remove(job -> job.topic.equals(topic)
                        && group.equals(job.options.group())
                        && job.state != JobState.DEAD
                        && job.state != JobState.DONE),
                store.call(s -> s.topics().cancelGroup(topic, group, () -> false)),
                did);
    }

    private void delete(String topic) {
        did = "delete " + topic;
        assertEquals(model.delete(topic), store.call(s -> s.topics().delete(topic, () -> false)), did);
    }

    /** After the last job is gone, nothing of any job is left. */
    private void drain() {
        for (ModelJob job : model.jobs(job -> true)) {
            cancel(job.topic, job.id);
        }
        new Recount(store).nothingLeft();
    }
}
