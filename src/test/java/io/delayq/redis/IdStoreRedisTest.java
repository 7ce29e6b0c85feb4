package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.NewJob;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.When;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs whose ids are the same in all topics: the index has them while they are there, and never longer. */
class IdStoreRedisTest {
    private static final long FOREVER = (1L << 31) * 1_000;

    private final StoreHarness store = new StoreHarness(TestRedis.shared(), 2);
    private final SetClock clock = new SetClock(store);

    @AfterEach
    void close() {
        try {
            new Recount(store).check(List.of("a", "b"));
        } finally {
            clock.close();
            store.close();
        }
    }

    private static NewJob job(String topic, String id, When when, Retry retry, Long ttl, String group) {
        JobOptions options = new JobOptions(null, retry, null, null, ttl, group, null);
        return new NewJob(topic, id, when, options, Buffer.buffer("1"));
    }

    private IdStore.Owned own(String topic, String id, When when) {
        return store.call(s -> s.byId().own(job(topic, id, when, Retry.INHERITED, null, null), "note", true));
    }

    private boolean add(String topic, String id) {
        return store.call(s -> s.byId().own(job(topic, id, When.NOW, Retry.INHERITED, null, null), null, false))
                .stored();
    }

    private IdStore.Found find(String id) {
        return store.call(s -> s.byId().find(id));
    }

    private boolean finish(String topic, String id) {
        return store.call(s -> s.byId().finish(topic, id, "me"));
    }

    private JobState state(String id) {
        IdStore.Found found = find(id);
        return found == null ? null : found.job().state();
    }

    private void configure(long keepDone, long keepDead) {
        store.call(s -> s.topics()
                .configure(
                        "a",
                        new TopicSettings(
                                null,
                                Retry.INHERITED,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                keepDone,
                                keepDead,
                                null,
                                null)));
    }

    private void ack(Delivery job) {
        boolean held = store.call(s -> s.ack(job.topic(), job.id(), job.lease(), "me"));
        assertTrue(held);
    }

    private void dieInA(String id) {
        store.call(s -> s.byId().own(job("a", id, When.NOW, new Retry(1, null), null, null), null, true));
        Delivery job = store.reserve("a", 1).get(0);
        store.call(s -> s.nack("a", id, job.lease(), null, "why", "me"));
        assertEquals(JobState.DEAD, state(id));
    }

    @Test
    void a_job_is_found_by_its_id_alone_with_what_was_noted() {
        IdStore.Owned owned = own("a", "1", When.in(5_000));
        assertEquals(new IdStore.Owned(true, clock.now() + 5_000, clock.now()), owned);
        IdStore.Found found = find("1");
        assertEquals("a", found.job().topic());
        assertEquals("note", found.note());
        assertEquals(0, found.started());
        assertEquals(clock.now() + 5_000, found.job().due());
        assertNull(find("2"));
    }

    @Test
    void a_job_that_came_in_another_way_is_not_found() {
        store.call(s -> s.push(job("a", "1", When.NOW, Retry.INHERITED, null, null)));
        assertNull(find("1"));
    }

    @Test
    void the_longest_delay_is_2_to_the_31_seconds() {
        own("a", "1", When.in(FOREVER));
        assertEquals(clock.now() + FOREVER, find("1").job().due());
        clock.advance(FOREVER - 1);
        store.dueAll();
        assertEquals(List.of(), store.reserve("a", 1));
        clock.advance(1);
        store.dueAll();
        assertEquals(clock.now(), store.reserve("a", 1).get(0).due());
    }

    @ParameterizedTest
    @EnumSource(JobState.class)
    void an_id_pushed_to_another_topic_ends_the_job_in_the_first_in_whatever_state_it_is(JobState state) {
        configure(60_000, 60_000);
        bring("1", state);
        assertEquals(state, state("1"));
        assertTrue(own("b", "1", When.NOW).stored());
        assertEquals("b", find("1").job().topic());
        assertNull(store.call(s -> s.get("a", "1")));
        assertEquals(List.of(), store.reserve("a", 10));
        assertEquals(1, store.reserve("b", 10).size());
    }

    private void bring(String id, JobState state) {
        switch (state) {
            case DELAYED -> own("a", id, When.in(1_000));
            case READY -> own("a", id, When.NOW);
            case RESERVED -> {
                own("a", id, When.NOW);
                assertEquals(1, store.reserve("a", 1).size());
            }
            case DEAD -> dieInA(id);
            default -> {
                own("a", id, When.NOW);
                ack(store.reserve("a", 1).get(0));
            }
        }
    }

    @Test
    void the_same_id_to_two_topics_in_one_call_leaves_one_job() {
        List<CompletableFuture<IdStore.Owned>> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            String topic = i % 2 == 0 ? "a" : "b";
            String id = "id" + i / 2 % 10;
            NewJob job = job(topic, id, When.in(i), Retry.INHERITED, null, null);
            all.add(store.async(s -> s.byId().own(job, null, true)));
        }
        all.forEach(CompletableFuture::join);
        clock.advance(200);
        store.dueAll();
        assertEquals(
                10, store.reserve("a", 100).size() + store.reserve("b", 100).size());
    }

    @Test
    void an_id_in_use_is_refused_if_it_is_not_to_be_replaced_in_whatever_topic_it_is() {
        assertTrue(add("a", "1"));
        assertFalse(add("a", "1"));
        assertFalse(add("b", "1"));
        assertEquals("a", find("1").job().topic());
        store.call(s -> s.push(job("b", "2", When.NOW, Retry.INHERITED, null, null)));
        assertFalse(add("b", "2"), "one that came in another way");
        dieInA("3");
        assertFalse(add("a", "3"), "a dead one is in use");
        configure(60_000, 60_000);
        ack(store.reserve("a", 1).get(0));
        assertTrue(add("b", "1"), "a done one is not");
        assertEquals("b", find("1").job().topic());
    }

    @Test
    void a_job_of_its_topic_that_came_in_another_way_is_replaced() {
        store.call(s -> s.push(job("a", "1", When.NOW, Retry.INHERITED, null, "g")));
        own("a", "1", When.in(10));
        assertEquals(JobState.DELAYED, state("1"));
        assertEquals(List.of(), store.reserve("a", 10));
    }

    @Test
    void it_leaves_the_index_when_it_is_acked() {
        own("a", "1", When.NOW);
        ack(store.reserve("a", 1).get(0));
        assertNull(find("1"));
    }

    @Test
    void a_done_job_is_found_as_long_as_it_is_kept() {
        configure(1_000, 1_000);
        own("a", "1", When.NOW);
        ack(store.reserve("a", 1).get(0));
        assertEquals(JobState.DONE, state("1"));
        clock.advance(1_000);
        store.dueAll();
        assertNull(find("1"));
    }

    @Test
    void a_dead_job_is_found_as_long_as_it_is_kept() {
        configure(0, 1_000);
        dieInA("1");
        clock.advance(1_000);
        store.dueAll();
        assertNull(find("1"));
    }

    @Test
    void it_leaves_the_index_when_it_is_cancelled_replaced_purged_deleted_or_expires() {
        own("a", "1", When.NOW);
        store.call(s -> s.cancel("a", "1"));
        own("a", "2", When.NOW);
        store.call(s -> s.put(job("a", "2", When.NOW, Retry.INHERITED, null, null)));
        own("a", "3", When.NOW);
        store.call(s -> s.topics().purge("a", JobState.READY, () -> false));
        own("a", "4", When.in(100));
        store.call(s -> s.topics().delete("a", () -> false));
        store.call(s -> s.byId().own(job("a", "5", When.NOW, Retry.INHERITED, 1_000L, "g"), null, true));
        store.call(s -> s.byId().own(job("a", "6", When.NOW, Retry.INHERITED, 1_000L, "g"), null, true));
        store.call(s -> s.byId().own(job("a", "7", When.in(5), Retry.INHERITED, null, "h"), null, true));
        store.call(s -> s.topics().cancelGroup("a", "h", () -> false));
        store.reserve("a", 1);
        clock.advance(70_000);
        store.dueAll();
        for (int id = 1; id <= 7; id++) {
            assertNull(find("" + id), "id " + id);
        }
        new Recount(store).check(List.of("a", "b"));
        new Recount(store).nothingLeft();
    }

    @Test
    void it_leaves_the_index_when_a_push_takes_the_id_of_one_that_is_done() {
        configure(60_000, 60_000);
        own("a", "1", When.NOW);
        ack(store.reserve("a", 1).get(0));
        assertTrue(store.call(s -> s.push(job("a", "1", When.NOW, Retry.INHERITED, null, null)))
                .created());
        assertNull(find("1"));
    }

    @Test
    void a_nacked_a_lost_and_a_released_job_stays_in_it() {
        own("a", "1", When.NOW);
        Delivery first = store.reserve("a", 1).get(0);
        store.call(s -> s.release("a", "1", first.lease()));
        Delivery second = store.reserve("a", 1).get(0);
        store.call(s -> s.lost("a", "1", second.lease(), "me"));
        Delivery third = store.reserve("a", 1).get(0);
        store.call(s -> s.nack("a", "1", third.lease(), 5L, "why", "me"));
        assertEquals(2, find("1").job().attempts());
        assertEquals(clock.now(), find("1").started());
    }

    @Test
    void finishing_a_reserved_job_is_an_ack_and_any_other_a_cancel() {
        own("a", "1", When.NOW);
        store.reserve("a", 1);
        own("a", "2", When.NOW);
        own("a", "3", When.in(1_000));
        assertTrue(finish("a", "1"));
        assertFalse(finish("a", "1"), "it is gone");
        assertFalse(finish("a", "2"));
        assertFalse(finish("a", "3"));
        assertFalse(finish("b", "nobody"));
        new Recount(store).check(List.of("a", "b"));
        new Recount(store).nothingLeft();
    }

    @Test
    void a_finished_job_is_kept_if_its_topic_keeps_such() {
        configure(60_000, 60_000);
        own("a", "1", When.NOW);
        Delivery job = store.reserve("a", 1).get(0);
        assertTrue(finish("a", "1"));
        assertEquals(JobState.DONE, state("1"));
        assertTrue(find("1").job().log().contains("\"outcome\":\"acked\",\"by\":\"me\""));
        assertFalse(finish("a", "1"), "and only once");
        assertEquals(JobState.DONE, state("1"));
        boolean held = store.call(s -> s.ack("a", "1", job.lease(), "me"));
        assertFalse(held, "its lease holds no more");
    }
}
