package io.delayq.redis;

import static io.delayq.redis.TopicSettingsRedisTest.settings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.OnExpire;
import io.delayq.job.When;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of jobs with a ttl, a group, an attempt log, and of those that are kept. */
class JobLifeRedisTest {
    private final StoreHarness store = new StoreHarness(TestRedis.shared(), 2);
    private final SetClock clock = new SetClock(store);

    @AfterEach
    void close() {
        clock.close();
        store.close();
    }

    private void push(String id, When when, Long ttl, String group) {
        push("t", id, when, ttl, group);
    }

    private void push(String topic, String id, When when, Long ttl, String group) {
        JobOptions options = new JobOptions(null, Retry.INHERITED, null, null, ttl, group, null);
        NewJob job = new NewJob(topic, id, when, options, Buffer.buffer("1"));
        assertTrue(store.call(s -> s.push(job)).created(), "pushed");
    }

    private void configure(TopicSettings settings) {
        store.call(s -> s.topics().configure("t", settings));
    }

    private static TopicSettings ttl(long millis, OnExpire onExpire) {
        return settings(null, null, null, millis, onExpire, null, null);
    }

    private Store.Nacked nack(Delivery job, String error) {
        return store.call(s -> s.nack(job.topic(), job.id(), job.lease(), 0L, error, "me"));
    }

    private void pass(long millis) {
        clock.advance(millis);
        store.dueAll();
    }

    private JobView get(String id) {
        return store.call(s -> s.get("t", id));
    }

    private JobState state(String id) {
        JobView view = get(id);
        return view == null ? null : view.state();
    }

    private List<JsonNode> log(String id) {
        List<JsonNode> entries = new ArrayList<>();
        String log = get(id).log();
        JobRecord.parse(Bytes.of(log == null ? "[]" : log)).forEach(entries::add);
        return entries;
    }

    private List<String> outcomes(String id) {
        return log(id).stream().map(entry -> entry.get("outcome").asText()).toList();
    }

    @Test
    void a_ttl_is_fixed_at_push() {
        configure(ttl(5_000, null));
        push("a", When.in(1_000), null, null);
        configure(ttl(1_000, null));
        push("b", When.in(1_000), null, null);
        configure(TopicSettings.NONE);
        push("c", When.in(1_000), null, null);
        pass(2_000);
        assertNull(state("b"));
        pass(3_999);
        assertEquals(JobState.READY, state("a"));
        pass(1);
        assertNull(state("a"));
        assertEquals(JobState.READY, state("c"));
    }

    @Test
    void patch_and_requeue_begin_a_ttl_anew() {
        configure(settings(null, null, null, null, OnExpire.DEAD, null, null));
        push("a", When.NOW, 2_000L, null);
        pass(1_500);
        store.call(s -> s.reschedule("t", "a", When.NOW));
        pass(1_999);
        assertEquals(JobState.READY, state("a"));
        pass(1);
        assertEquals(JobState.DEAD, state("a"));
        assertEquals(List.of(), outcomes("a"), "that was no attempt");
        assertEquals(
                1L,
                store.call(s -> s.topics().requeue("t", List.of("a"), () -> false))
                        .longValue());
        pass(1_999);
        assertEquals(JobState.READY, state("a"));
        pass(1);
        assertEquals(JobState.DEAD, state("a"));
        store.call(s -> s.reschedule("t", "a", When.in(10_000)));
        pass(11_999);
        assertEquals(JobState.READY, state("a"));
        pass(1);
        assertEquals(JobState.DEAD, state("a"));
    }

    @Test
    void a_retry_does_not_begin_a_ttl_anew() {
        push("a", When.NOW, 2_000L, null);
        clock.advance(1_000);
        nack(store.reserve("t", 1).get(0), "why");
        pass(999);
        assertEquals(JobState.READY, state("a"));
        pass(1);
        assertNull(state("a"));
    }

    @Test
    void a_ready_job_whose_ttl_is_over_is_not_delivered_even_before_the_scanner_comes() {
        push("gone", When.NOW, 1_000L, "g");
        push("live", When.NOW, 5_000L, "g");
        clock.advance(1_000);
        assertEquals(
                List.of("live"),
                store.reserve("t", 5).stream().map(Delivery::id).toList());
        assertNull(state("gone"));
        configure(settings(null, null, null, null, OnExpire.DEAD, null, null));
        push("dead", When.NOW, 1_000L, "g");
        clock.advance(1_000);
        assertEquals(List.of(), store.reserve("t", 5));
        assertEquals(JobState.DEAD, state("dead"));
        new Recount(store).check(List.of("t"));
    }

    @Test
    void a_purge_of_one_state_takes_every_job_of_it_and_no_other() {
        configure(settings(null, 1, null, null, null, 60_000L, null));
        for (int i = 0; i < 300; i++) {
            push("dead" + i, When.NOW, null, "g");
            push("done" + i, When.NOW, null, "g");
        }
        for (Delivery job : store.reserve("t", 1_000)) {
            if (job.id().startsWith("dead")) {
                nack(job, "why");
            } else {
                store.call(s -> s.ack("t", job.id(), job.lease(), ""));
            }
        }
        for (int i = 0; i < 300; i++) {
            push("held" + i, When.NOW, 90_000L, "g");
        }
        store.reserve("t", 1_000);
        for (int i = 0; i < 400; i++) {
            push("ready" + i, When.NOW, 90_000L, "g");
        }
        for (int i = 0; i < 150; i++) {
            String id = "ready" + 2 * i;
            store.call(s -> s.reschedule("t", id, When.in(1_000)));
        }
        Map<JobState, Long> expected = new EnumMap<>(Map.of(
                JobState.READY,
                250L,
                JobState.DELAYED,
                150L,
                JobState.RESERVED,
                300L,
                JobState.DEAD,
                300L,
                JobState.DONE,
                300L));
        new Recount(store).check(List.of("t"));
        expected.forEach((state, count) -> {
            assertEquals(count, store.call(s -> s.topics().purge("t", state, () -> false)), "purged " + state);
            new Recount(store).check(List.of("t"));
        });
        new Recount(store).nothingLeft();
    }

    @Test
    void a_reserved_job_does_not_expire_until_it_fails() {
        push("gone", When.NOW, 1_000L, "g");
        Delivery gone = store.reserve("t", 1).get(0);
        pass(5_000);
        assertEquals(JobState.RESERVED, state("gone"));
        assertEquals(new Store.Nacked(false, null, gone.due()), nack(gone, "why"));
        assertNull(state("gone"));
        configure(settings(null, null, null, null, OnExpire.DEAD, null, null));
        push("dead", When.NOW, 1_000L, "g");
        Delivery dead = store.reserve("t", 1).get(0);
        pass(5_000);
        assertEquals(JobState.DEAD, nack(dead, "why").state());
        assertEquals(List.of("expired"), outcomes("dead"));
        assertEquals("why", log("dead").get(0).get("error").asText());
        push("lease", When.NOW, 1_000L, "g");
        store.reserve("t", 1);
        pass(60_000);
        assertEquals(JobState.DEAD, state("lease"));
        push("acked", When.NOW, 1_000L, "g");
        Delivery acked = store.reserve("t", 1).get(0);
        clock.advance(5_000);
        assertEquals(true, store.call(s -> s.ack("t", "acked", acked.lease(), "")));
        new Recount(store).check(List.of("t"));
    }

    @Test
    void a_done_job_is_kept_as_long_as_its_topic_says_and_its_id_is_free() {
        configure(settings(null, null, null, null, null, 5_000L, null));
        for (String id : List.of("a", "b")) {
            push(id, When.NOW, 60_000L, "g");
            Delivery job = store.reserve("t", 1).get(0);
            assertEquals(true, store.call(s -> s.ack("t", id, job.lease(), "who")));
        }
        assertEquals(JobState.DONE, state("a"));
        assertEquals(List.of("acked"), outcomes("a"));
        assertEquals("who", log("a").get(0).get("by").asText());
        assertEquals(
                0L,
                store.call(s -> s.topics().cancelGroup("t", "g", () -> false)).longValue());
        push("a", When.NOW, null, null);
        assertEquals(JobState.READY, state("a"));
        assertEquals(0, get("a").attempts());
        assertEquals(List.of(), outcomes("a"));
        pass(4_999);
        assertEquals(JobState.DONE, state("b"));
        pass(1);
        assertNull(state("b"));
        assertEquals(JobState.READY, state("a"));
        new Recount(store).check(List.of("t"));
    }

    @Test
    void keeping_for_a_shorter_time_sweeps_at_once() {
        configure(settings(null, 1, null, null, null, 60_000L, null));
        push("dead", When.NOW, null, "g");
        nack(store.reserve("t", 1).get(0), "why");
        push("done", When.NOW, null, "g");
        Delivery done = store.reserve("t", 1).get(0);
        store.call(s -> s.ack("t", "done", done.lease(), ""));
        pass(10_000);
        assertEquals(JobState.DEAD, state("dead"));
        assertEquals(JobState.DONE, state("done"));
        configure(settings(null, 1, null, null, null, 60_000L, 20_000L));
        store.dueAll();
        assertEquals(JobState.DEAD, state("dead"));
        configure(settings(null, 1, null, null, null, 9_000L, 10_000L));
        store.dueAll();
        assertNull(state("dead"));
        assertNull(state("done"));
        new Recount(store).nothingLeft();
    }

    @Test
    void a_log_keeps_the_last_ten_attempts_and_cuts_their_errors_between_characters() {
        configure(settings(null, 0, null, null, null, null, null));
        push("a", When.NOW, null, null);
        String[] errors = {
            "\"\\/\b\f\n\r\t\u0000\u007f", "☃".repeat(400), "x" + "😀".repeat(300), "é".repeat(256), "</script>\u2028"
        };
        for (int i = 0; i < 13; i++) {
            clock.advance(10);
            nack(store.reserve("t", 1).get(0), errors[i % errors.length]);
        }
        List<JsonNode> log = log("a");
        assertEquals(10, log.size());
        for (int i = 0; i < 10; i++) {
            String whole = errors[(i + 3) % errors.length];
            String error = log.get(i).get("error").asText();
            assertEquals(i + 4, log.get(i).get("attempt").asInt());
            assertTrue(whole.startsWith(error), "cut between characters: " + error);
            int bytes = error.getBytes(StandardCharsets.UTF_8).length;
            assertTrue(error.equals(whole) || bytes > 508 && bytes <= 512, "cut to " + bytes + " bytes");
            assertTrue(log.get(i).get("end").asLong() >= log.get(i).get("start").asLong());
        }
        assertEquals(errors[12 % errors.length], get("a").lastError());
    }

    @Test
    void groups_of_topics_whose_names_would_run_together_are_two() {
        push("a", "x", When.in(1_000), null, "b:c");
        push("a:b", "y", When.in(1_000), null, "c");
        assertEquals(
                1L,
                store.call(s -> s.topics().cancelGroup("a", "b:c", () -> false)).longValue());
        assertNull(store.call(s -> s.get("a", "x")));
        assertEquals(JobState.DELAYED, store.call(s -> s.get("a:b", "y")).state());
    }

    @Test
    void a_cancelled_group_makes_leases_stale_and_leaves_its_dead() {
        configure(settings(null, 1, null, null, null, null, null));
        push("dead", When.NOW, null, "g");
        nack(store.reserve("t", 1).get(0), "why");
        push("held", When.NOW, null, "g");
        Delivery held = store.reserve("t", 1).get(0);
        push("ready", When.NOW, null, "g");
        push("other", When.NOW, null, "h");
        for (int i = 0; i < 700; i++) {
            push("many" + i, When.in(1_000), null, "g");
        }
        assertEquals(
                702L,
                store.call(s -> s.topics().cancelGroup("t", "g", () -> false)).longValue());
        assertEquals(false, store.call(s -> s.ack("t", "held", held.lease(), "")));
        assertEquals(JobState.DEAD, state("dead"));
        assertEquals(JobState.READY, state("other"));
        new Recount(store).check(List.of("t"));
    }

    @Test
    void jobs_due_at_the_same_time_keep_each_its_priority_over_a_retry() {
        When same = When.at(clock.now() + 1_000);
        List<Priority> priorities = List.of(Priority.NORMAL, Priority.HIGH, Priority.LOW);
        for (int i = 0; i < 30; i++) {
            JobOptions options = new JobOptions(null, Retry.INHERITED, null, priorities.get(i % 3), null, null, null);
            NewJob job = new NewJob("t", "p" + i, same, options, Buffer.buffer("1"));
            store.call(s -> s.push(job));
        }
        pass(1_000);
        store.reserve("t", 30).forEach(job -> nack(job, "no"));
        for (String lane : List.of("h", "n", "l")) {
            long entries = 0;
            for (Object key : (List<?>) store.redis.command("KEYS", "{" + store.namespace + "*ready:t:" + lane)) {
                entries += (Long) store.redis.command("LLEN", key.toString());
            }
            assertEquals(10, entries, lane);
        }
    }

    @Test
    void jobs_keep_each_its_time_whether_many_share_it_or_none() {
        long first = clock.now() + 1_000;
        Map<String, Long> due = new HashMap<>();
        // how many share a time, one time after the other; the last ones are not due yet
        List<Integer> together = List.of(1, 30, 2, 1, 40, 7, 3, 1, 1, 25, 1, 9);
        for (int i = 0; i < together.size(); i++) {
            for (int j = 0; j < together.get(i); j++) {
                String id = "j" + i + "-" + j;
                due.put(id, first + i * 10L);
                push(id, When.at(first + i * 10L), null, null);
            }
        }
        due.keySet().removeIf(id -> id.startsWith("j11-"));
        pass(1_105);
        Map<String, Long> delivered = new HashMap<>();
        store.reserve("t", 200).forEach(job -> delivered.put(job.id(), job.due()));
        assertEquals(due, delivered);
        assertEquals(JobState.DELAYED, state("j11-0"));
    }

    @Test
    void a_purge_that_begins_again_does_not_cross_what_is_empty_already() {
        for (int i = 0; i < 600; i++) {
            push("j" + i, When.in(3_600_000), null, null);
        }
        long before = scans();
        int[] asked = {0};
        long deleted = store.call(s -> s.topics().purge("t", null, () -> ++asked[0] > 5));
        assertTrue(deleted > 0 && deleted < 300, deleted + " deleted");
        // in their order, which has no gaps; a scan of all would begin at its start each time
        assertEquals(before, scans());
        deleted += store.call(s -> s.topics().purge("t", null, () -> false));
        assertEquals(600, deleted);
    }

    private long scans() {
        String stats = store.redis.command("INFO", "commandstats").toString();
        Matcher found = Pattern.compile("cmdstat_hscan:calls=(\\d+)").matcher(stats);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }
}
