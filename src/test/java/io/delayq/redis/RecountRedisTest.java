package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.job.Backoff;
import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.OnExpire;
import io.delayq.job.When;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many operations at once, so that they go gathered; then every count is compared with what the keys hold. */
class RecountRedisTest {
    private static final List<String> TOPICS = List.of("t", "t:g", "third");
    private static final int BUCKETS = 4;
    private static final int IDS = 400;
    private static final int AT_ONCE = 200;
    private static final int MOST_HELD = 300;

    private final List<CompletableFuture<?>> running = new ArrayList<>();
    private final List<CompletableFuture<Store.Reserved>> reserving = new ArrayList<>();
    private final List<Delivery> held = new ArrayList<>();
    private StoreHarness store;
    private Random random;
    private int done;

    @Test
    void counts_are_what_the_keys_hold_after_100_000_operations() {
        check(100, 100_000);
    }

    @Test
    @Tag("storm")
    void counts_are_what_the_keys_hold_with_new_seeds() {
        for (int i = 0; i < 10; i++) {
            check(System.nanoTime(), 100_000);
        }
    }

    /** Also run with a fault planted. */
    static void check(long seed, int operations) {
        new RecountRedisTest().run(seed, operations);
    }

    private void run(long seed, int operations) {
        random = new Random(seed);
        try (StoreHarness harness = new StoreHarness(TestRedis.shared(), BUCKETS);
                SetClock clock = new SetClock(harness)) {
            store = harness;
            int recounted = 0;
            while (done < operations) {
                round(clock);
                if (done - recounted > operations / 5) {
                    recounted = done;
                    new Recount(store).check(TOPICS);
                }
            }
            new Recount(store).check(TOPICS);
            drain();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("with seed " + seed + " after " + done + " operations: " + e.getMessage(), e);
        }
    }

    private void round(SetClock clock) {
        clock.advance(random.nextInt(1_500));
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            int at = bucket;
            running.add(store.async(s -> s.due(at, 200)));
            List<Store.Want> wants =
                    TOPICS.stream().map(topic -> new Store.Want(topic, 10)).toList();
            reserving.add(store.async(s -> s.reserve(at, wants)));
        }
        for (int i = 0; i < AT_ONCE; i++) {
            one(any(TOPICS), "id" + random.nextInt(IDS));
        }
        whole(any(TOPICS));
        done += running.size();
        running.forEach(CompletableFuture::join);
        running.clear();
        for (CompletableFuture<Store.Reserved> reserved : reserving) {
            reserved.join().leased().forEach(leased -> held.addAll(leased.jobs()));
        }
        reserving.clear();
        // the oldest are left to their leases
        held.subList(0, Math.max(0, held.size() - MOST_HELD)).clear();
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private Long maybe(long... of) {
        int at = random.nextInt(of.length + 1) - 1;
        return at < 0 ? null : of[at];
    }

    private void one(String topic, String id) {
        When when = random.nextBoolean() ? When.NOW : When.in(random.nextInt(20_000));
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3, 4 -> running.add(store.async(s -> s.push(job(topic, id, when))));
            case 5 -> running.add(store.async(s -> s.put(job(topic, id, when))));
            case 6 -> running.add(store.async(s -> s.cancel(topic, id)));
            case 7 -> running.add(store.async(s -> s.reschedule(topic, id, when)));
            default -> settle();
        }
    }

    private void settle() {
        if (held.isEmpty()) {
            return;
        }
        int at = random.nextInt(held.size());
        // some are settled twice
        Delivery job = random.nextInt(10) == 0 ? held.get(at) : held.remove(at);
        String topic = job.topic();
        Long wait = maybe(0, 5_000);
        running.add(
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> store.async(s -> s.ack(topic, job.id(), job.lease(), "me"));
                    case 3, 4 -> store.async(s -> s.nack(topic, job.id(), job.lease(), wait, "why", "me"));
                    case 5 -> store.async(s -> s.lost(topic, job.id(), job.lease(), "me"));
                    case 6 -> store.async(s -> s.release(topic, job.id(), job.lease()));
                    default -> store.async(s -> s.extend(topic, job.id(), job.lease(), wait));
                });
    }

    /** Something done to the topic as a whole, in every other round. */
    private void whole(String topic) {
        JobState state = JobState.values()[random.nextInt(JobState.values().length)];
        String group = "g" + random.nextInt(5);
        switch (random.nextInt(14)) {
            case 0 -> running.add(store.async(s -> s.topics().pause(topic, true)));
            case 1 ->
                TOPICS.forEach(each -> running.add(store.async(s -> s.topics().pause(each, false))));
            case 2 -> running.add(store.async(s -> s.topics().configure(topic, settings())));
            case 3 -> running.add(store.async(s -> s.topics().requeue(topic, null, () -> false)));
            case 4 -> running.add(store.async(s -> s.topics().requeue(topic, List.of("id1", "id2"), () -> false)));
            case 5 -> running.add(store.async(s -> s.topics().cancelGroup(topic, group, () -> false)));
            case 6 -> running.add(store.async(s -> s.topics().list(JobQuery.all(topic, state, 50, null))));
            case 7 -> {
                if (random.nextInt(4) == 0) {
                    running.add(store.async(s -> s.topics().purge(topic, state, () -> false)));
                } else if (random.nextInt(8) == 0) {
                    running.add(store.async(s -> s.topics().purge(topic, null, () -> false)));
                }
            }
            default -> {}
        }
    }

    private NewJob job(String topic, String id, When when) {
        Long most = maybe(1, 2, 3);
        JobOptions options = new JobOptions(
                maybe(1_000, 10_000),
                new Retry(most == null ? null : most.intValue(), new Backoff.Steps(List.of(0L, 3_000L))),
                null,
                random.nextBoolean() ? null : Priority.values()[random.nextInt(3)],
                maybe(2_000, 30_000),
                random.nextBoolean() ? null : "g" + random.nextInt(5),
                null);
        return new NewJob(topic, id, when, options, Buffer.buffer("{}"));
    }

    private TopicSettings settings() {
        return new TopicSettings(
                maybe(1_000),
                Retry.INHERITED,
                null,
                maybe(5_000),
                random.nextBoolean() ? OnExpire.DEAD : null,
                null,
                null,
                null,
                maybe(10_000),
                maybe(10_000, 60_000),
                null,
                null);
    }

    private void drain() {
        for (String topic : TOPICS) {
            long jobs = store.call(s -> s.counts(List.of(topic))).stream()
                    .mapToLong(c -> c.delayed() + c.ready() + c.reserved() + c.dead() + c.done())
                    .sum();
            assertEquals(Long.valueOf(jobs), store.call(s -> s.topics().purge(topic, null, () -> false)), "purged");
        }
        new Recount(store).nothingLeft();
        TOPICS.forEach(topic -> store.call(s -> s.topics().delete(topic, () -> false)));
        assertEquals(List.of(), store.call(s -> s.topics("", null, 100)), "topics after their end");
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            assertEquals(List.of("#rev"), store.redis.command("HKEYS", store.keys.key(bucket, "topics")));
            assertEquals(0L, store.redis.command("EXISTS", store.keys.key(bucket, "next")), "alarms of no topic");
        }
    }
}
