package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Callback;
import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.Webhook;
import io.delayq.job.When;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs that go by callback: who gets them, and how they are given back. */
class CallbackRedisTest {
    private static final Callback OWN = new Callback("http://own.example/", "POST", Map.of());
    private static final Callback TOPICS = new Callback("http://topics.example/", "PUT", Map.of("a", "b"));
    private static final Webhook WEBHOOK = new Webhook(List.of("0123456789abcdef"), Webhook.Success.SUCCESS_TRUE);
    private static final String CALLED = Callback.jobsOf("t");

    private final StoreHarness store = new StoreHarness(TestRedis.shared(), 2);
    private final SetClock clock = new SetClock(store);

    @AfterEach
    void close() {
        new Recount(store).check(List.of("t"));
        clock.close();
        store.close();
    }

    private void push(String id, Callback callback, Priority priority) {
        JobOptions options = new JobOptions(null, Retry.INHERITED, callback, priority, null, null, null);
        store.call(s -> s.push(new NewJob("t", id, When.NOW, options, Buffer.buffer("1"))));
    }

    private void configure(Callback callback, Long keepDone) {
        store.call(s -> s.topics()
                .configure(
                        "t",
                        new TopicSettings(
                                null,
                                Retry.INHERITED,
                                null,
                                null,
                                null,
                                callback,
                                WEBHOOK,
                                null,
                                keepDone,
                                null,
                                null,
                                null)));
    }

    private TreeSet<String> awake() {
        TreeSet<String> names = new TreeSet<>();
        for (int bucket = 0; bucket < 2; bucket++) {
            int at = bucket;
            names.addAll(store.call(s -> s.look(at)).awake());
        }
        return names;
    }

    @Test
    void a_jobs_own_callback_keeps_it_from_consumers_and_brings_what_a_call_needs() {
        push("own", OWN, Priority.LOW);
        push("plain", null, null);
        configure(null, 60_000L);
        assertEquals(List.of("plain"), ids(store.reserve("t", 10)));
        List<Delivery> called = store.reserve(CALLED, 10);
        assertEquals(List.of("own"), ids(called));
        assertEquals("t", called.get(0).topic());
        long now = clock.advance(0);
        assertEquals(
                new Delivery.Hook(OWN, WEBHOOK, now, now, true), called.get(0).hook());
        assertEquals(List.of(), store.reserve(CALLED, 10));
    }

    @Test
    void a_topics_callback_is_for_all_of_its_jobs() {
        configure(TOPICS, null);
        for (int i = 0; i < 10; i++) {
            push("own" + i, OWN, null);
            push("high" + i, null, Priority.HIGH);
            push("low" + i, null, Priority.LOW);
        }
        assertEquals(List.of(), store.reserve("t", 100));
        List<Delivery> called = store.reserve(CALLED, 100);
        assertEquals(30, called.size());
        for (Delivery job : called) {
            assertEquals(job.id().startsWith("own") ? OWN : TOPICS, job.hook().callback());
            assertFalse(job.hook().kept());
        }
        assertEquals(new TreeSet<>(), awake());
    }

    @Test
    void whoever_makes_callbacks_is_told_of_them_and_of_nothing_else() {
        push("plain", null, null);
        assertEquals(new TreeSet<>(List.of("t")), awake());
        push("own", OWN, null);
        assertEquals(new TreeSet<>(List.of("t", CALLED)), awake());
        store.reserve("t", 10);
        assertEquals(new TreeSet<>(List.of(CALLED)), awake());
        Delivery job = store.reserve(CALLED, 10).get(0);
        assertEquals(new TreeSet<>(), awake());
        store.call(s -> s.release(job.topic(), job.id(), job.lease()));
        assertEquals(new TreeSet<>(List.of(CALLED)), awake());
        store.call(s -> s.cancel("t", "own"));
        assertEquals(new TreeSet<>(), awake());
    }

    @Test
    void jobs_that_are_ready_are_told_of_when_their_topic_gets_a_callback() {
        push("a", null, null);
        configure(TOPICS, null);
        assertTrue(awake().contains(CALLED));
        assertEquals(List.of("a"), ids(store.reserve(CALLED, 10)));
    }

    @Test
    void nothing_of_a_paused_topic_is_called() {
        push("own", OWN, null);
        store.call(s -> s.topics().pause("t", true));
        assertEquals(List.of(), store.reserve(CALLED, 10));
        store.call(s -> s.topics().pause("t", false));
        assertEquals(1, store.reserve(CALLED, 10).size());
    }

    @Test
    void a_job_that_is_put_off_comes_again_after_a_while_with_all_its_attempts() {
        push("own", OWN, null);
        Delivery job = store.reserve(CALLED, 1).get(0);
        assertEquals(true, store.call(s -> s.defer("t", "own", job.lease(), 700)));
        assertEquals(false, store.call(s -> s.defer("t", "own", job.lease(), 700)), "a lease holds once");
        JobView view = store.call(s -> s.get("t", "own"));
        assertEquals(JobState.DELAYED, view.state());
        assertEquals(clock.advance(0) + 700, view.due());
        assertEquals(0, view.attempts());
        assertNull(view.log());
        clock.advance(699);
        store.dueAll();
        assertEquals(List.of(), store.reserve(CALLED, 1));
        clock.advance(1);
        store.dueAll();
        assertEquals(1, store.reserve(CALLED, 1).get(0).attempt());
    }

    @Test
    void a_job_that_is_not_wanted_any_more_is_dead_with_attempts_left() {
        push("own", OWN, null);
        Delivery job = store.reserve(CALLED, 1).get(0);
        Store.Nacked killed =
                store.call(s -> s.kill("t", "own", job.lease(), "gone", "there", ",\"answer\":{\"status\":410}"));
        assertEquals(JobState.DEAD, killed.state());
        JobView view = store.call(s -> s.get("t", "own"));
        assertEquals("gone", view.lastError());
        assertTrue(
                view.log().endsWith("\"error\":\"gone\",\"by\":\"there\",\"answer\":{\"status\":410}}]"), view.log());
    }

    @Test
    void what_a_call_was_answered_is_kept_with_a_job_that_is_done() {
        configure(TOPICS, 60_000L);
        push("a", null, null);
        Delivery job = store.reserve(CALLED, 1).get(0);
        assertEquals(true, store.call(s -> s.ack("t", "a", job.lease(), "there", ",\"curl\":\"x\"")));
        JobView view = store.call(s -> s.get("t", "a"));
        assertEquals(JobState.DONE, view.state());
        assertTrue(view.log().endsWith("\"outcome\":\"acked\",\"by\":\"there\",\"curl\":\"x\"}]"), view.log());
    }

    /** The answer of a reserve may be lost, and is then asked for again under the same number. */
    @Test
    void the_same_call_again_is_answered_the_same() {
        push("own", OWN, null);
        configure(null, null);
        List<byte[]> args = List.of(Bytes.of("token"), Bytes.of(1_000_000), Bytes.of(CALLED), Bytes.of(10));
        int bucket = store.keys.bucketOf("own");
        List<?> first = reserve(bucket, args);
        assertTrue(first.toString().contains("own.example"), first::toString);
        List<?> again = reserve(bucket, args);
        // the topic's rules are told once for all its jobs; the second time each has its own
        for (int i : List.of(0, 1, 2, 5, 6, 8)) {
            assertEquals(first.get(i), again.get(i));
        }
        assertEquals(first.size(), again.size());
    }

    /** Always under the same name and number. */
    private List<?> reserve(int bucket, List<byte[]> args) {
        List<byte[]> all = new java.util.ArrayList<>();
        all.add(Bytes.of("EVAL"));
        all.add(Script.RESERVE.text());
        all.add(Bytes.of(5));
        for (String key : store.keys.ofBucket(bucket)) {
            all.add(Bytes.of(key));
        }
        all.add(Bytes.of(store.keys.call(bucket, "me", "reserve")));
        all.addAll(List.of(Bytes.of(store.keys.hints()), Bytes.of(bucket), Bytes.of(1)));
        all.addAll(args);
        return (List<?>) store.command(all.stream()
                .map(bytes -> new String(bytes, java.nio.charset.StandardCharsets.UTF_8))
                .toArray(String[]::new));
    }

    private static List<String> ids(List<Delivery> jobs) {
        return jobs.stream().map(Delivery::id).toList();
    }
}
