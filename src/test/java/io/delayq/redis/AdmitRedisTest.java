package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.When;
import io.delayq.redis.IntakeStore.Entry;
import io.delayq.redis.IntakeStore.Outcome;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs from a list: stored and their entries gone in one step. Not on the shared Redis, which is a cluster. */
class AdmitRedisTest {
    private static TestRedis redis;
    private StoreHarness store;
    private String list;

    @BeforeEach
    void open() {
        if (redis == null) {
            redis = TestRedis.start(TestRedis.Options.standalone());
        }
        store = new StoreHarness(redis, 1);
        list = "in of " + store.namespace;
    }

    @AfterEach
    void close() {
        store.close();
    }

    @AfterAll
    static void closeRedis() {
        redis.close();
        redis = null;
    }

    private IntakeStore intake(StoreHarness harness) {
        return harness.call(s -> Future.succeededFuture(new IntakeStore(s, harness.keys, list, 5, 100)));
    }

    private static Entry entry(String text, String id, When when, JobOptions options) {
        return new Entry(Bytes.of(text), new NewJob("t", id, when, options, Buffer.buffer("1")));
    }

    private static Entry entry(String text, String id) {
        return entry(text, id, When.NOW, JobOptions.NONE);
    }

    private List<Outcome> admit(Entry... entries) {
        IntakeStore intake = intake(store);
        return store.call(s -> intake.admit(0, List.of(entries)));
    }

    private Object left() {
        return redis.command("LRANGE", list, "0", "-1");
    }

    private void recount() {
        new Recount(store).check(List.of("t"));
    }

    @Test
    void a_look_leaves_everything_where_it_is_and_takes_so_many_in_order() {
        redis.command("RPUSH", list, "a", "b", "c", "d", "e", "f");
        IntakeStore intake = intake(store);
        IntakeStore.Peeked peeked = store.call(s -> intake.peek());
        assertEquals(5, peeked.entries().size());
        assertArrayEquals(Bytes.of("a"), peeked.entries().get(0));
        assertEquals(List.of("a", "b", "c", "d", "e", "f"), left());
    }

    @Test
    void an_entry_is_gone_with_its_job_stored_whatever_options_that_has() {
        redis.command("RPUSH", list, "a", "b", "c", "d");
        JobOptions options = new JobOptions(5_000L, Retry.INHERITED, null, Priority.HIGH, 60_000L, "g", null);
        assertEquals(
                List.of(Outcome.STORED, Outcome.STORED, Outcome.STORED),
                admit(
                        entry("a", "1", When.NOW, options),
                        entry("c", "2", When.in(60_000), options),
                        entry("d", "3", When.in(60_000), JobOptions.NONE)));
        assertEquals(List.of("b"), left());
        assertEquals(JobState.READY, store.call(s -> s.get("t", "1")).state());
        assertEquals(JobState.DELAYED, store.call(s -> s.get("t", "2")).state());
        recount();
    }

    @Test
    void an_id_in_use_is_refused_and_that_of_a_done_job_is_free() {
        store.call(s -> s.topics()
                .configure("t", TopicSettingsRedisTest.settings(null, null, null, null, null, 60_000L, null)));
        redis.command("RPUSH", list, "a", "b");
        assertEquals(List.of(Outcome.STORED, Outcome.ID_IN_USE), admit(entry("a", "1"), entry("b", "1")));
        assertEquals(List.of("b"), left());
        io.delayq.job.Delivery job = store.reserve("t", 1).get(0);
        store.call(s -> s.ack("t", "1", job.lease(), ""));
        assertEquals(List.of(Outcome.STORED), admit(entry("b", "1")));
        recount();
    }

    @Test
    void a_done_job_of_a_front_end_gives_up_its_id() {
        store.call(s -> s.topics()
                .configure("t", TopicSettingsRedisTest.settings(null, null, null, null, null, 60_000L, null)));
        NewJob owned = new NewJob("t", "1", When.NOW, JobOptions.NONE, Buffer.buffer("1"));
        store.call(s -> s.byId().own(owned, null, false));
        io.delayq.job.Delivery job = store.reserve("t", 1).get(0);
        store.call(s -> s.ack("t", "1", job.lease(), ""));
        redis.command("RPUSH", list, "a");
        assertEquals(List.of(Outcome.STORED), admit(entry("a", "1")));
        assertNull(store.call(s -> s.byId().find("1")));
        recount();
    }

    /** As many jobs as entries, whoever has seen them. */
    @Test
    void entries_that_are_gone_make_no_job_and_equal_ones_one_each() {
        redis.command("RPUSH", list, "a", "a");
        try (StoreHarness other = new StoreHarness(redis, redis.url(), store.namespace, 1)) {
            IntakeStore second = intake(other);
            assertEquals(List.of(Outcome.STORED), admit(entry("a", "1")));
            assertEquals(
                    List.of(Outcome.STORED, Outcome.NOT_THERE),
                    other.call(s -> second.admit(0, List.of(entry("a", "2"), entry("a", "3")))));
        }
        assertEquals(2, store.reserve("t", 10).size());
        assertEquals(List.of(), left());
    }

    @Test
    void bad_ones_move_once() {
        redis.command("RPUSH", list, "a", "b");
        IntakeStore intake = intake(store);
        List<IntakeStore.Bad> bad = List.of(new IntakeStore.Bad(Bytes.of("a"), Buffer.buffer("said")));
        for (int i = 0; i < 2; i++) {
            store.call(s -> intake.reject(bad));
        }
        assertEquals(List.of("b"), left());
        assertEquals(List.of("said"), redis.command("LRANGE", list + ":bad", "0", "-1"));
    }

    @Test
    void a_look_moves_what_is_too_long() {
        redis.command("RPUSH", list, "a", "x".repeat(101), "b");
        IntakeStore intake = intake(store);
        assertEquals(2, store.call(s -> intake.peek()).entries().size());
        assertEquals(List.of("a", "b"), left());
        assertEquals(
                List.of("{\"job\":\"" + "x".repeat(101)
                        + "\",\"reason\":\"expected at most 100 bytes, found 101; this is its beginning\"}"),
                redis.command("LRANGE", list + ":bad", "0", "-1"));
    }
}
