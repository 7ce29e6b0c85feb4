package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.OnExpire;
import io.delayq.job.When;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A topic's settings are the same in all buckets, whatever comes late, twice or not at all. */
class TopicSettingsRedisTest {
    private static final int BUCKETS = 4;

    private final StoreHarness store = new StoreHarness(TestRedis.shared(), BUCKETS);

    @AfterEach
    void close() {
        store.close();
    }

    static TopicSettings ttr(long millis) {
        return settings(millis, null, null, null, null, null, null);
    }

    static TopicSettings settings(
            Long ttr, Integer most, Priority priority, Long ttl, OnExpire onExpire, Long keepDone, Long keepDead) {
        return new TopicSettings(
                ttr, new Retry(most, null), priority, ttl, onExpire, null, null, null, keepDone, keepDead, null, null);
    }

    private void configure(String topic, TopicSettings settings) {
        store.call(s -> s.topics().configure(topic, settings));
    }

    private String stored(int bucket, String field) {
        return (String) store.redis.command("HGET", store.keys.key(bucket, "topics"), field);
    }

    private void plant(int bucket, String field, String text) {
        store.redis.command("HSET", store.keys.key(bucket, "topics"), field, text);
    }

    private void apply(int bucket, String topic, String text) {
        List<byte[]> args = List.of(Bytes.of(topic), Bytes.of("apply"), Bytes.of(text));
        store.call(s -> s.topics().inTurn(Script.CONFIGURE, bucket, args));
    }

    private int mend(int bucket) {
        return store.call(s -> s.topics().mend(bucket));
    }

    private String idIn(int bucket) {
        for (int i = 0; ; i++) {
            if (store.keys.bucketOf("id" + i) == bucket) {
                return "id" + i;
            }
        }
    }

    private void push(String topic, String id) {
        store.call(s -> s.push(StoreHarness.job(topic, id, When.NOW)));
    }

    @Test
    void count_in_every_bucket() {
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            push("t", idIn(bucket));
        }
        configure("t", ttr(1_234));
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            String id = idIn(bucket);
            assertEquals(1_234, store.call(s -> s.get("t", id)).ttr());
            assertEquals(stored(0, "t"), stored(bucket, "t"));
        }
        assertEquals(ttr(1_234), store.call(s -> s.topics().settings("t")));
        assertEquals(BUCKETS, store.reserve("t", 10).size());
    }

    @Test
    void a_pause_counts_in_every_bucket_and_survives_other_settings() {
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            push("t", idIn(bucket));
        }
        store.call(s -> s.topics().pause("t", true));
        configure("t", ttr(1_234));
        assertEquals(List.of(), store.reserve("t", 10));
        assertEquals(true, store.call(s -> s.counts(List.of("t"))).get(0).paused());
        store.call(s -> s.topics().pause("t", false));
        assertEquals(BUCKETS, store.reserve("t", 10).size());
        assertEquals(ttr(1_234), store.call(s -> s.topics().settings("t")));
    }

    @Test
    void an_older_change_that_comes_late_is_ignored() {
        configure("t", ttr(1_000));
        String older = stored(0, "t");
        configure("t", ttr(2_000));
        apply(1, "t", older);
        assertEquals(stored(0, "t"), stored(1, "t"));
    }

    @Test
    void a_bucket_that_missed_changes_is_mended() {
        configure("t", ttr(1_000));
        configure("gone", ttr(1_000));
        String older = stored(0, "t");
        String gone = stored(0, "gone");
        configure("t", ttr(2_000));
        configure("new", ttr(3_000));
        store.call(s -> s.topics().delete("gone", () -> false));
        plant(2, "t", older);
        plant(2, "gone", gone);
        store.redis.command("ZADD", store.keys.key(2, "names"), "0", "gone");
        store.redis.command("HDEL", store.keys.key(2, "topics"), "new");
        store.redis.command("ZREM", store.keys.key(2, "names"), "new");
        plant(2, "#rev", "1");
        assertEquals(3, mend(2));
        assertEquals(stored(0, "t"), stored(2, "t"));
        assertEquals(stored(0, "new"), stored(2, "new"));
        assertEquals(stored(0, "#rev"), stored(2, "#rev"));
        assertNull(stored(2, "gone"));
        assertEquals(List.of("new", "t"), store.call(s -> s.topics("", null, 10)));
        assertEquals(0, mend(2));
    }

    @Test
    void many_topics_are_mended_in_ranges() {
        int topics = 1_100;
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < topics; i++) {
            String topic = "t" + i;
            running.add(store.async(s -> s.topics().configure(topic, ttr(1_000))));
            if (running.size() == 100) {
                running.forEach(CompletableFuture::join);
                running.clear();
            }
        }
        store.redis.command("DEL", store.keys.key(1, "topics"), store.keys.key(1, "names"));
        assertEquals(topics, mend(1));
        assertEquals(
                new HashSet<>((List<?>) store.redis.command("HGETALL", store.keys.key(0, "topics"))),
                new HashSet<>((List<?>) store.redis.command("HGETALL", store.keys.key(1, "topics"))));
    }

    @Test
    void a_mended_bucket_keeps_dead_jobs_no_longer_than_the_topic_says() {
        try (SetClock clock = new SetClock(store)) {
            String id = idIn(1);
            configure("t", settings(null, 1, null, null, null, null, null));
            String older = stored(1, "t");
            push("t", id);
            Delivery job = store.reserve("t", 1).get(0);
            store.call(s -> s.nack("t", id, job.lease(), null, null, ""));
            configure("t", settings(null, 1, null, null, null, null, 5_000L));
            store.dueAll();
            plant(1, "t", older);
            plant(1, "#rev", "1");
            store.redis.command("ZADD", store.keys.key(1, "next"), "9999999999999", "dt");
            mend(1);
            clock.advance(5_000);
            store.dueAll();
            assertNull(store.call(s -> s.get("t", id)));
        }
    }

    @Test
    void a_deleted_topic_does_not_come_back_with_a_change_that_was_on_its_way() {
        configure("other", ttr(1_000));
        // made in bucket 0 and on its way to bucket 1, when another server deletes the topic
        configure("t", ttr(1_000));
        String late = stored(0, "t");
        plant(1, "#rev", "1");
        store.redis.command("HDEL", store.keys.key(1, "topics"), "t");
        store.redis.command("ZREM", store.keys.key(1, "names"), "t");
        store.call(s -> s.topics().delete("t", () -> false));
        apply(1, "t", late);
        mend(1);
        assertEquals(false, store.call(s -> s.topics().exists("t")), "a deleted topic is back");
        assertEquals(List.of("other"), store.call(s -> s.topics("", null, 10)));
    }

    @Test
    void a_topic_made_anew_does_not_get_settings_from_before_its_end() {
        configure("t", ttr(1_000));
        String late = stored(0, "t");
        store.call(s -> s.topics().delete("t", () -> false));
        push("t", idIn(1));
        apply(1, "t", late);
        assertEquals(60_000, store.call(s -> s.get("t", idIn(1))).ttr());
    }

    @Test
    void nothing_of_a_paused_topic_is_delivered_while_it_is_deleted() {
        for (int i = 0; i < 400; i++) {
            push("t", "j" + i);
        }
        store.call(s -> s.topics().pause("t", true));
        List<Future<Store.Reserved>> tries = new ArrayList<>();
        long deleted = store.call(s -> s.topics().delete("t", () -> {
            if (tries.isEmpty() || tries.get(tries.size() - 1).isComplete()) {
                tries.add(s.reserve(3, List.of(new Store.Want("t", 10))));
            }
            return false;
        }));
        store.call(s -> Future.all(tries));
        assertEquals(400, deleted);
        Set<String> delivered = new HashSet<>();
        tries.forEach(reserved ->
                reserved.result().leased().forEach(leased -> leased.jobs().forEach(job -> delivered.add(job.id()))));
        assertEquals(Set.of(), delivered, "delivered of a paused topic");
        assertEquals(false, store.call(s -> s.topics().exists("t")));
    }

    @Test
    void the_number_of_attempts_counts_for_jobs_already_waiting() {
        push("t", "a");
        configure("t", settings(null, 1, null, null, null, null, null));
        Delivery job = store.reserve("t", 1).get(0);
        assertEquals(1, job.maxAttempts());
        assertEquals(
                JobState.DEAD,
                store.call(s -> s.nack("t", "a", job.lease(), null, null, "")).state());
    }

    @Test
    void priority_is_fixed_at_push() {
        push("t", "before");
        configure("t", settings(null, null, Priority.HIGH, null, null, null, null));
        push("t", "after");
        JobOptions normal = new JobOptions(null, Retry.INHERITED, null, Priority.NORMAL, null, null, null);
        store.call(s -> s.push(new NewJob("t", "own", When.NOW, normal, Buffer.buffer("1"))));
        configure("t", TopicSettings.NONE);
        assertEquals(Priority.NORMAL, priority("before"));
        assertEquals(Priority.HIGH, priority("after"));
        assertEquals(Priority.NORMAL, priority("own"));
    }

    @Test
    void a_pause_that_meets_a_deletion_does_not_leave_buckets_that_differ_for_ever() {
        push("t", idIn(1));
        List<byte[]> pause = List.of(Bytes.of("t"), Bytes.of("pause"), Bytes.of(""));
        String paused = store.call(s -> s.topics().inTurn(Script.CONFIGURE, 0, pause))
                .get(0)
                .toString();
        // the pause is numbered, and on its way to the other buckets when the topic ends
        store.call(s -> s.topics().delete("t", () -> false));
        apply(1, "t", paused);
        assertTrue(
                !stored(1, "#rev").equals(stored(0, "#rev")) || stored(1, "t") == null,
                "bucket 1 is paused, and nobody will notice");
        mend(1);
        assertNull(stored(1, "t"));
    }

    private Priority priority(String id) {
        return store.call(s -> s.get("t", id)).options().priorityOrDefault();
    }
}
