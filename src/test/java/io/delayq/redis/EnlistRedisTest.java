package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Callback;
import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.OnExpire;
import io.delayq.job.TopicSettings.RedisList;
import io.delayq.job.TopicSettings.RedisList.Payload;
import io.delayq.job.When;
import io.delayq.redis.ListStore.Left;
import io.delayq.redis.ListStore.Moved;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ready jobs that go to a Redis list. Not on the shared Redis: that is a cluster, which keeps scripts in one slot. */
class EnlistRedisTest {
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static TestRedis redis;

    private StoreHarness store;
    private SetClock clock;
    private String list;

    @BeforeEach
    void open() {
        if (redis == null) {
            redis = TestRedis.start(TestRedis.Options.standalone());
        }
        store = new StoreHarness(redis, 1);
        clock = new SetClock(store);
        list = "list of " + store.namespace;
    }

    @AfterEach
    void close() {
        clock.close();
        store.close();
    }

    @AfterAll
    static void closeRedis() {
        redis.close();
        redis = null;
    }

    private void configure(Payload payload, Long keepDone, Integer rate) {
        configure(payload, keepDone, rate, null);
    }

    private void configure(Payload payload, Long keepDone, Integer rate, OnExpire onExpire) {
        RedisList to = new RedisList(list, payload);
        TopicSettings settings =
                new TopicSettings(null, Retry.INHERITED, null, null, onExpire, null, null, to, keepDone, null, 1, rate);
        store.call(s -> s.topics().configure("t", settings));
    }

    private void push(String id, Priority priority, Long ttl, String group, String trace) {
        JobOptions options = new JobOptions(null, Retry.INHERITED, null, priority, ttl, group, trace);
        NewJob job = new NewJob("t", id, When.NOW, options, Buffer.buffer("{\"n\": 1.0}"));
        assertTrue(store.call(s -> s.push(job)).created());
    }

    private void push(String id) {
        push(id, null, null, null, null);
    }

    private Moved move(int most, boolean inTurn) {
        return store.call(s -> new ListStore(s, null, 1_000).move(0, "t", most, inTurn));
    }

    private Moved move(int most) {
        return move(most, false);
    }

    private List<?> entries() {
        return (List<?>) redis.command("LRANGE", list, "0", "-1");
    }

    private void recount() {
        new Recount(store).check(List.of("t"));
    }

    private void nothingLeft() {
        new Recount(store).nothingLeft();
    }

    @Test
    void ready_jobs_go_to_the_list_in_their_order_and_nothing_is_left_of_them() {
        configure(Payload.ID, null, null);
        for (int i = 0; i < 5; i++) {
            push("j" + i);
        }
        Moved some = move(3);
        assertEquals(Left.MORE, some.left());
        assertEquals(3, some.dues().size());
        recount();
        Moved rest = move(3);
        assertEquals(Left.NOTHING, rest.left());
        assertTrue(rest.dues().stream().allMatch(due -> due <= rest.now() && due > rest.now() - 60_000));
        assertEquals(List.of("j0", "j1", "j2", "j3", "j4"), entries());
        assertEquals(List.of(), move(3).dues());
        nothingLeft();
    }

    @Test
    void a_whole_job_is_json_whatever_its_id_is() {
        configure(Payload.JOB, null, null);
        String id = "a\"b\\c/é%s";
        push(id, null, null, "g", TRACE);
        push("b");
        List<Long> dues = move(2).dues();
        assertEquals(
                List.of(
                        "{\"topic\":\"t\",\"id\":\"a\\\"b\\\\c/é%s\",\"attempt\":1,\"due\":" + dues.get(0)
                                + ",\"traceparent\":\"" + TRACE + "\",\"body\":{\"n\": 1.0}}",
                        "{\"topic\":\"t\",\"id\":\"b\",\"attempt\":1,\"due\":" + dues.get(1)
                                + ",\"body\":{\"n\": 1.0}}"),
                entries());
        nothingLeft();
    }

    @Test
    void a_job_with_a_callback_of_its_own_is_called_and_does_not_go_to_the_list() {
        configure(Payload.ID, null, null);
        Callback callback = new Callback("http://own.example/", "POST", Map.of());
        JobOptions options = new JobOptions(null, Retry.INHERITED, callback, null, null, null, null);
        store.call(s -> s.push(new NewJob("t", "called", When.NOW, options, Buffer.buffer("1"))));
        push("listed");
        assertEquals(Left.NOTHING, move(10).left());
        assertEquals(List.of("listed"), entries());
        recount();
        List<Delivery> called = store.call(s -> s.reserve(0, List.of(new Store.Want(Callback.jobsOf("t"), 10, true))))
                .leased()
                .get(0)
                .jobs();
        assertEquals(List.of("called"), called.stream().map(Delivery::id).toList());
        store.call(s -> s.ack("t", "called", called.get(0).lease(), "", ",\"more\":1"));
        nothingLeft();
    }

    @Test
    void settings_that_change_while_jobs_are_ready_leave_nobody_awake_for_callbacks() {
        push("a");
        configure(Payload.ID, null, null);
        move(10);
        assertEquals(List.of(), store.call(s -> s.look(0)).awake());
        nothingLeft();
    }

    /** On a cluster Java writes it. */
    @Test
    void both_ways_write_the_same_entry() {
        push("a\"b\\c/é", null, null, null, TRACE);
        Delivery job = store.reserve("t", 1).get(0);
        store.call(s -> s.release("t", job.id(), job.lease()));
        configure(Payload.JOB, null, null);
        move(1);
        assertEquals(
                entries(),
                List.of(new String(ListEntry.of(Payload.JOB, job), java.nio.charset.StandardCharsets.UTF_8)));
    }

    @Test
    void what_the_topic_keeps_is_done_as_after_an_ack() {
        configure(Payload.ID, 60_000L, null);
        push("a", null, 3_600_000L, "g", null);
        move(1);
        assertEquals(JobState.DONE, store.call(s -> s.get("t", "a")).state());
        String log = store.call(s -> s.get("t", "a")).log();
        assertTrue(log.contains("\"outcome\":\"acked\"") && log.contains("\"by\":\"redisList\""), log);
        recount();
        // the id is free, and what is kept goes when its time is over
        push("a");
        move(1);
        clock.advance(61_000);
        store.dueAll();
        assertEquals(List.of("a", "a"), entries());
        nothingLeft();
    }

    @Test
    void a_job_whose_ttl_is_over_does_not_go_to_the_list() {
        configure(Payload.ID, null, null);
        push("a", null, 1_000L, "g", null);
        clock.advance(2_000);
        assertEquals(List.of(), move(1).dues());
        configure(Payload.ID, null, null, OnExpire.DEAD);
        push("b", null, 1_000L, "g", null);
        push("c", null, 60_000L, "g", null);
        clock.advance(2_000);
        assertEquals(1, move(5).dues().size());
        assertEquals(List.of("c"), entries());
        assertEquals(JobState.DEAD, store.call(s -> s.get("t", "b")).state());
        recount();
    }

    @Test
    void cancelled_jobs_do_not_go_to_the_list() {
        configure(Payload.ID, null, null);
        for (int i = 0; i < 6; i++) {
            push("j" + i);
        }
        for (String id : List.of("j0", "j3", "j5")) {
            store.call(s -> s.cancel("t", id));
        }
        move(10);
        assertEquals(List.of("j1", "j2", "j4"), entries());
        nothingLeft();
    }

    @Test
    void higher_priority_first_with_a_share_for_the_lower_ones() {
        configure(Payload.ID, null, null);
        for (int i = 0; i < 20; i++) {
            push("l" + i, Priority.LOW, null, null, null);
            push("h" + i, Priority.HIGH, null, null, null);
        }
        move(10);
        long high =
                entries().stream().filter(id -> id.toString().startsWith("h")).count();
        assertTrue(high >= 7 && high <= 9, "of ten " + high);
        recount();
    }

    @Test
    void a_key_that_holds_something_else_changes_nothing() {
        configure(Payload.ID, null, null);
        push("a");
        redis.command("SET", list, "mine");
        Moved moved = move(1);
        assertEquals(Left.NO_LIST, moved.left());
        assertEquals(List.of(), moved.dues());
        assertEquals("mine", redis.command("GET", list));
        recount();
        redis.command("DEL", list);
        assertEquals(1, move(1).dues().size());
    }

    @Test
    void a_paused_topic_and_one_without_a_list_keep_their_jobs() {
        configure(Payload.ID, null, null);
        push("a");
        store.call(s -> s.topics().pause("t", true));
        assertEquals(Left.NOTHING, move(1).left());
        store.call(s -> s.topics().pause("t", false));
        store.call(s -> s.topics().configure("t", TopicSettings.NONE));
        assertEquals(List.of(), move(1).dues());
        assertEquals(1, store.reserve("t", 1).size());
    }

    @Test
    void nobody_else_gets_jobs_that_go_to_a_list() {
        push("a");
        configure(Payload.ID, null, null);
        assertEquals(List.of(), store.reserve("t", 1));
        Store.Want want = new Store.Want("t", 5);
        assertEquals(
                1,
                store.call(s -> s.reserveForList(0, List.of(want)))
                        .leased()
                        .get(0)
                        .jobs()
                        .size());
        store.call(s -> s.topics().configure("t", TopicSettings.NONE));
        push("b");
        assertEquals(
                List.of(),
                store.call(s -> s.reserveForList(0, List.of(want)))
                        .leased()
                        .get(0)
                        .jobs());
    }

    @Test
    void a_rate_needs_a_turn_and_a_limit_in_flight_means_nothing() {
        configure(Payload.ID, null, 5);
        push("a");
        push("b");
        assertEquals(Left.TURN_NEEDED, move(2).left());
        assertEquals(List.of(), entries());
        assertEquals(2, move(2, true).dues().size());
    }

    @Test
    void large_jobs_go_in_parts() {
        configure(Payload.JOB, null, null);
        Buffer body = Buffer.buffer("\"" + "x".repeat(200_000) + "\"");
        for (int i = 0; i < 5; i++) {
            NewJob job = new NewJob("t", "j" + i, When.NOW, JobOptions.NONE, body);
            store.call(s -> s.push(job));
        }
        assertEquals(2, move(100).dues().size());
        recount();
        while (move(100).left() == Left.MORE) {
            recount();
        }
        assertEquals(5, entries().size());
        nothingLeft();
    }

    @Test
    void of_two_servers_each_job_comes_by_one() {
        configure(Payload.ID, null, null);
        for (int i = 0; i < 300; i++) {
            push("j" + i);
        }
        try (StoreHarness other = new StoreHarness(redis, redis.url(), store.namespace, 1)) {
            List<CompletableFuture<Moved>> calls = new ArrayList<>();
            for (StoreHarness one : List.of(store, other)) {
                ListStore lists = one.call(s -> io.vertx.core.Future.succeededFuture(new ListStore(s, null, 1_000)));
                for (int i = 0; i < 10; i++) {
                    calls.add(one.async(s -> lists.move(0, "t", 20, false)));
                }
            }
            assertEquals(
                    300,
                    calls.stream().mapToInt(call -> call.join().dues().size()).sum());
        }
        assertEquals(300, entries().size());
        assertEquals(300, entries().stream().distinct().count());
        nothingLeft();
    }

    /** A call whose answer was lost is sent again under its number. */
    @Test
    void the_same_call_again_moves_nothing_and_answers_the_same() {
        configure(Payload.ID, null, null);
        push("a");
        push("b");
        Object first = sentAgain();
        assertEquals(first, sentAgain());
        assertEquals(List.of("a"), entries());
    }

    private Object sentAgain() {
        List<String> words = new ArrayList<>(
                List.of("EVAL", new String(Script.ENLIST.text(), java.nio.charset.StandardCharsets.UTF_8), "5"));
        words.addAll(List.of(store.keys.ofBucket(0)));
        words.add(store.keys.call(0, "me", "enlist"));
        words.addAll(List.of(store.keys.hints(), "0", "1", "1000000", "t", "1"));
        return redis.command(words.toArray(String[]::new));
    }
}
