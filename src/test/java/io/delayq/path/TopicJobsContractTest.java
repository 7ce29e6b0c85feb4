package io.delayq.path;

import static io.delayq.path.Wire.job;
import static io.delayq.path.Wire.jobs;
import static io.delayq.path.Wire.pointers;
import static io.delayq.path.Wire.problem;
import static io.delayq.path.Wire.take;
import static io.delayq.path.Wire.topic;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the wire contract says of listing, purging, requeueing and forecasting the jobs of a topic. */
class TopicJobsContractTest {
    private static final long HOUR = 3_600_000;
    private static final List<String> STATES = List.of("delayed", "ready", "reserved", "dead", "done");
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    // lists

    @Test
    void a_listed_job_is_as_it_is_alone_without_body_and_log() {
        String topic = inEveryState();
        for (String state : STATES) {
            JsonObject alone = server.get(job(topic, state)).json();
            assertEquals(state, alone.getString("state"));
            JsonObject page = server.get(jobs(topic) + "?state=" + state).json();
            assertEquals(Set.of("jobs"), page.fieldNames());
            assertEquals(1, page.getJsonArray("jobs").size(), page.encode());
            alone.remove("log");
            JsonObject whole = server.get(jobs(topic) + "?body=true&state=" + state)
                    .json()
                    .getJsonArray("jobs")
                    .getJsonObject(0);
            assertEquals(alone, whole);
            assertEquals(state, whole.getJsonObject("body").getString("was"));
            alone.remove("body");
            assertEquals(alone, page.getJsonArray("jobs").getJsonObject(0));
            assertEquals(
                    page, server.get(jobs(topic) + "?body=false&state=" + state).json());
        }
    }

    @Test
    void a_list_without_state_has_the_jobs_of_every_state_once() {
        String topic = inEveryState();
        assertEquals(STATES.stream().sorted().toList(), ids(topic, ""));
        assertEquals(STATES.stream().sorted().toList(), ids(topic, "limit=1"));
        assertEquals(STATES.stream().sorted().toList(), ids(topic, "limit=2"));
        assertEquals(STATES.stream().sorted().toList(), ids(topic, "limit=500"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 50, 499, 500})
    void paging_brings_each_job_that_does_not_change_exactly_once(int limit) {
        String topic = topic();
        // enough due at the same time for a page to end among them
        pushMany(topic, 60, "\"at\":" + (System.currentTimeMillis() + HOUR));
        pushMany(topic, 20, "\"delay\":\"2h\",\"id\":\"x%d\"");
        assertEquals(80, ids(topic, "state=delayed&limit=" + limit).size());
        assertEquals(80, Set.copyOf(ids(topic, "limit=" + limit)).size());
    }

    @Test
    void jobs_that_come_and_go_while_paging_do_not_touch_the_others() {
        String topic = topic();
        for (int i = 0; i < 30; i++) {
            server.push(topic, "{\"id\":\"s" + i + "\",\"delay\":\"" + (i + 10) + "h\"}");
        }
        List<String> found = new ArrayList<>();
        String cursor = null;
        int round = 0;
        do {
            JsonObject page = page(topic, "state=delayed&limit=4", cursor);
            page.getJsonArray("jobs").forEach(job -> found.add(((JsonObject) job).getString("id")));
            cursor = page.getString("cursor");
            server.push(topic, "{\"id\":\"new" + round + "\",\"delay\":\"1h\"}");
            server.send("DELETE", job(topic, "new" + (round - 1)), null);
            round++;
        } while (cursor != null);
        List<String> steady =
                found.stream().filter(id -> id.startsWith("s")).sorted().toList();
        assertEquals(IntStream.range(0, 30).mapToObj(i -> "s" + i).sorted().toList(), steady);
    }

    @Test
    void a_page_has_at_most_50_unless_asked_otherwise() {
        String topic = topic();
        pushMany(topic, 60, "\"delay\":\"1h\"");
        JsonObject page = server.get(jobs(topic)).json();
        assertTrue(page.getJsonArray("jobs").size() <= 50);
        assertTrue(page.containsKey("cursor"));
        assertEquals(60, ids(topic, "").size());
    }

    @Test
    void a_list_can_be_narrowed_by_the_beginning_of_the_id() {
        String topic = topic();
        for (String id : List.of("a", "ab", "abc", "b", "a*", "a[b", "é1", "é2")) {
            server.push(topic, "{\"delay\":\"1h\",\"id\":\"" + id + "\"}");
        }
        assertEquals(List.of("ab", "abc"), ids(topic, "idPrefix=ab"));
        assertEquals(List.of("a*"), ids(topic, "idPrefix=" + TestServer.encode("a*")));
        assertEquals(List.of("a[b"), ids(topic, "idPrefix=" + TestServer.encode("a[")));
        assertEquals(List.of("é1", "é2"), ids(topic, "idPrefix=" + TestServer.encode("é")));
        assertEquals(List.of(), ids(topic, "idPrefix=abcd"));
        assertEquals(List.of(), ids(topic, "idPrefix=ab&state=dead"));
        assertEquals(8, ids(topic, "idPrefix=").size());
    }

    @Test
    void a_list_can_be_narrowed_by_due_time_from_inclusive_to_exclusive() {
        String topic = topic();
        long base = (System.currentTimeMillis() + HOUR) / 1_000 * 1_000;
        for (int i = 0; i < 4; i++) {
            server.push(topic, "{\"id\":\"" + i + "\",\"at\":" + (base + i) + "}");
        }
        assertEquals(List.of("1", "2", "3"), ids(topic, "from=" + (base + 1)));
        assertEquals(List.of("0", "1"), ids(topic, "to=" + (base + 2)));
        assertEquals(List.of("1", "2"), ids(topic, "from=" + (base + 1) + "&to=" + (base + 3)));
        assertEquals(List.of("1"), ids(topic, "limit=1&from=" + (base + 1) + "&to=" + (base + 2) + "&state=delayed"));
        assertEquals(List.of(), ids(topic, "from=" + (base + 2) + "&to=" + (base + 2)));
        assertEquals(
                List.of("0"),
                ids(
                        topic,
                        "to=" + TestServer.encode(Instant.ofEpochMilli(base + 1).toString())));
        assertEquals(
                List.of("3"),
                ids(
                        topic,
                        "from="
                                + TestServer.encode(
                                        Instant.ofEpochMilli(base + 3).toString())));
        assertEquals(List.of("2"), ids(topic, "idPrefix=2&from=" + base));
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "%20", "0", "AAAA", "../..", "zzzzzzzzzzzzzzzzzzzzzzzz"})
    void a_cursor_that_came_with_no_page_answers_400(String cursor) {
        String topic = topic();
        server.push(topic, "{\"delay\":\"1h\"}");
        TestServer.Reply reply = server.get(jobs(topic) + "?cursor=" + cursor);
        assertEquals(List.of("/cursor"), pointers(problem(400, "invalid-request", reply)));
    }

    @ParameterizedTest
    @CsvSource({
        "state=gone, /state",
        "limit=0, /limit",
        "limit=501, /limit",
        "cursor=, /cursor",
        "from=soon, /from",
        "to=-1, /to",
        "body=yes, /body",
        "idPrefix=%00, /idPrefix",
        "prefix=a, /prefix",
        "limit=1&limit=1, /limit",
        "state=x&limit=x&from=x&to=x&body=x&x=x, /x /state /limit /from /to /body"
    })
    void a_bad_list_answers_400_with_all_its_faults(String query, String expected) {
        TestServer.Reply reply = server.get(jobs("t") + "?" + query);
        assertEquals(List.of(expected.split(" ")), pointers(problem(400, "invalid-request", reply)));
    }

    @Test
    void a_bad_topic_is_told_along_with_a_bad_query() {
        assertEquals(
                List.of("/topic", "/limit"),
                pointers(problem(400, "invalid-request", server.get(jobs("-t") + "?limit=0"))));
    }

    // the log

    @Test
    void a_job_shows_how_its_attempts_ended() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\"}");
        server.settle("nack", take(server, topic, 1).get(0), ",\"delay\":0,\"error\":\"why\"");
        server.settle("nack", take(server, topic, 1).get(0), ",\"delay\":\"1h\"");
        JsonArray log = server.get(job(topic, "a")).json().getJsonArray("log");
        assertEquals(2, log.size());
        JsonObject first = log.getJsonObject(0);
        assertEquals(1, first.getInteger("attempt"));
        assertEquals("nacked", first.getString("outcome"));
        assertEquals("why", first.getString("error"));
        assertTrue(first.getLong("start") <= first.getLong("end"), log.encode());
        assertEquals(2, log.getJsonObject(1).getInteger("attempt"));
        assertFalse(log.getJsonObject(1).containsKey("error"), log.encode());
        assertFalse(server.get(jobs(topic) + "?body=true").text().contains("\"log\""));
    }

    // purge

    @Test
    void a_purge_deletes_the_jobs_of_one_state() {
        for (String state : STATES) {
            String topic = inEveryState();
            assertEquals(new JsonObject("{\"deleted\":1}"), delete(jobs(topic) + "?state=" + state));
            Set<String> left = new TreeSet<>(STATES);
            left.remove(state);
            assertEquals(List.copyOf(left), ids(topic, ""));
            assertEquals(new JsonObject("{\"deleted\":0}"), delete(jobs(topic) + "?state=" + state));
        }
    }

    @Test
    void a_purge_without_state_deletes_all_jobs_and_keeps_the_topic_with_its_settings() {
        String topic = topic();
        server.send("PUT", "/v1/topics/" + topic, "{\"ttr\":\"5s\"}");
        server.push(topic, "{\"id\":\"held\"}");
        JsonObject held = take(server, topic, 1).get(0);
        pushMany(topic, 1_500, "\"delay\":\"1h\"");
        pushMany(topic, 500, "\"priority\":\"low\"");
        assertEquals(new JsonObject("{\"deleted\":2001}"), delete(jobs(topic)));
        problem(409, "stale-lease", server.settle("ack", held, ""));
        JsonObject shown = server.get("/v1/topics/" + topic).json();
        assertEquals(new JsonObject("{\"ttr\":5000}"), shown.getJsonObject("settings"));
        STATES.forEach(state -> assertEquals(0, shown.getInteger(state), shown.encode()));
        assertEquals(new JsonObject("{\"deleted\":0}"), delete(jobs(topic)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"state=gone", "state=", "state=dead&state=done", "state=DEAD"})
    void a_purge_of_a_state_that_is_none_answers_400_and_deletes_nothing(String query) {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\"}");
        TestServer.Reply reply = server.send("DELETE", jobs(topic) + "?" + query, null);
        assertEquals(List.of("/state"), pointers(problem(400, "invalid-request", reply)));
        assertEquals(200, server.get(job(topic, "a")).status());
    }

    // requeue

    @Test
    void dead_jobs_are_requeued_with_their_attempts_anew() {
        String topic = dead("a", "b", "c");
        server.push(topic, "{\"id\":\"waits\",\"delay\":\"1h\"}");
        String some = "{\"ids\":[\"a\",\"c\",\"a\",\"waits\",\"nobody\"]}";
        assertEquals(new JsonObject("{\"requeued\":2}"), requeue(topic, some));
        assertEquals(List.of("b"), ids(topic, "state=dead"));
        assertEquals(List.of("waits"), ids(topic, "state=delayed"));
        List<JsonObject> again = take(server, topic, 2);
        assertEquals(
                Set.of("a", "c"),
                Set.copyOf(again.stream().map(job -> job.getString("id")).toList()));
        again.forEach(job -> assertEquals(1, job.getInteger("attempt")));
        assertEquals(new JsonObject("{\"requeued\":0}"), requeue(topic, some));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}"})
    void all_dead_jobs_are_requeued_when_none_is_named(String body) {
        String topic = dead("a", "b", "c");
        assertEquals(new JsonObject("{\"requeued\":3}"), requeue(topic, body));
        assertEquals(List.of("a", "b", "c"), ids(topic, "state=ready"));
        assertEquals(new JsonObject("{\"requeued\":0}"), requeue(topic, body));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"ids\":[]} | /ids",
                "{\"ids\":\"a\"} | /ids",
                "{\"ids\":[\"a\",7,\"..\"],\"all\":true} | /ids/1 /ids/2 /all",
                "[] | ''"
            })
    void a_bad_requeue_answers_400_with_all_its_faults(String body, String expected) {
        TestServer.Reply reply = server.post("/v1/topics/t/dead/requeue", body);
        assertEquals(List.of(expected.split(" ")), pointers(problem(400, "invalid-request", reply)));
    }

    @Test
    void up_to_1000_ids_can_be_requeued_at_once() {
        String topic = dead("7");
        JsonArray ids = new JsonArray(
                IntStream.range(0, 1_000).mapToObj(Integer::toString).toList());
        assertEquals(
                new JsonObject("{\"requeued\":1}"),
                requeue(topic, new JsonObject().put("ids", ids).encode()));
        TestServer.Reply reply = server.post(
                "/v1/topics/" + topic + "/dead/requeue",
                new JsonObject().put("ids", ids.copy().add("x")).encode());
        assertEquals(List.of("/ids"), pointers(problem(400, "invalid-request", reply)));
    }

    // groups

    @Test
    void a_group_is_cancelled_but_for_its_dead_and_done_jobs() {
        String group = "customer/7 é%";
        String topic = topic();
        server.send("PUT", "/v1/topics/" + topic, "{\"keepDone\":\"1h\"}");
        String member = "\"group\":\"" + group + "\"";
        server.push(topic, "{\"id\":\"dead\",\"retry\":{\"maxAttempts\":1}," + member + "}");
        server.settle("nack", take(server, topic, 1).get(0), "");
        server.push(topic, "{\"id\":\"done\"," + member + "}");
        server.settle("ack", take(server, topic, 1).get(0), "");
        server.push(topic, "{\"id\":\"held\"," + member + "}");
        JsonObject held = take(server, topic, 1).get(0);
        server.push(topic, "{\"id\":\"ready\"," + member + "}");
        server.push(topic, "{\"id\":\"delayed\",\"delay\":\"1h\"," + member + "}");
        server.push(topic, "{\"id\":\"other\",\"delay\":\"1h\",\"group\":\"customer\"}");
        server.push(topic, "{\"id\":\"none\",\"delay\":\"1h\"}");
        String path = "/v1/topics/" + topic + "/groups/" + TestServer.encode(group);
        assertEquals(new JsonObject("{\"deleted\":3}"), delete(path));
        problem(409, "stale-lease", server.settle("ack", held, ""));
        assertEquals(List.of("dead", "done", "none", "other"), ids(topic, ""));
        assertEquals(new JsonObject("{\"deleted\":0}"), delete(path));
        assertEquals(new JsonObject("{\"deleted\":0}"), delete("/v1/topics/" + topic + "/groups/nobody"));
    }

    @Test
    void a_group_of_another_topic_stays() {
        String topic = topic();
        String other = topic();
        for (String each : List.of(topic, other)) {
            server.push(each, "{\"id\":\"a\",\"delay\":\"1h\",\"group\":\"g\"}");
        }
        assertEquals(new JsonObject("{\"deleted\":1}"), delete("/v1/topics/" + topic + "/groups/g"));
        assertEquals(200, server.get(job(other, "a")).status());
    }

    @Test
    void a_group_that_cannot_be_answers_400() {
        for (String group : List.of("%00", "%0A", "x".repeat(257))) {
            TestServer.Reply reply = server.send("DELETE", "/v1/topics/-t/groups/" + group + "?x=1", null);
            assertEquals(List.of("/topic", "/group", "/x"), pointers(problem(400, "invalid-request", reply)));
        }
    }

    // forecast

    @Test
    void a_forecast_counts_delayed_jobs_by_the_step_they_are_due_in() {
        String topic = topic();
        server.push(topic, "{}");
        // far enough from where a step ends for the time between push and forecast
        for (String delay : List.of("30m", "90m", "90m", "23h30m", "25h")) {
            server.push(topic, "{\"delay\":\"" + delay + "\"}");
        }
        long before = System.currentTimeMillis();
        JsonObject day = server.get("/v1/topics/" + topic + "/forecast").json();
        assertEquals(Set.of("from", "step", "due"), day.fieldNames());
        assertTrue(day.getLong("from") >= before && day.getLong("from") <= System.currentTimeMillis(), day.encode());
        assertEquals(HOUR, day.getLong("step"));
        List<Integer> expected = new ArrayList<>(Collections.nCopies(24, 0));
        expected.set(0, 1);
        expected.set(1, 2);
        expected.set(23, 1);
        assertEquals(expected, day.getJsonArray("due").getList());
        JsonObject coarse = server.get("/v1/topics/" + topic + "/forecast?window=26h&step=PT12H")
                .json();
        assertEquals(12 * HOUR, coarse.getLong("step"));
        assertEquals(List.of(3, 1, 1), coarse.getJsonArray("due").getList());
        JsonObject fine = server.get("/v1/topics/" + topic + "/forecast?window=1000s&step=1000")
                .json();
        assertEquals(Collections.nCopies(1_000, 0), fine.getJsonArray("due").getList());
    }

    @Test
    void a_forecast_does_not_count_past_its_window() {
        String topic = topic();
        server.push(topic, "{\"delay\":\"50m\"}");
        server.push(topic, "{\"delay\":\"100m\"}");
        JsonObject forecast = server.get("/v1/topics/" + topic + "/forecast?window=80m&step=1h")
                .json();
        assertEquals(List.of(1, 0), forecast.getJsonArray("due").getList());
    }

    @ParameterizedTest
    @CsvSource({
        "step=999, /step",
        "window=59m, /window",
        "window=3651d&step=30d, /window",
        "step=1s, /step",
        "window=soon&step=later&x=1, /x /window /step"
    })
    void a_bad_forecast_answers_400_with_all_its_faults(String query, String expected) {
        TestServer.Reply reply = server.get("/v1/topics/t/forecast?" + query);
        assertEquals(List.of(expected.split(" ")), pointers(problem(400, "invalid-request", reply)));
    }

    /** A topic with one job in each state, which is its id and stands in its body. */
    private static String inEveryState() {
        String topic = topic();
        server.send("PUT", "/v1/topics/" + topic, "{\"keepDone\":\"1h\"}");
        server.push(topic, "{\"id\":\"dead\",\"retry\":{\"maxAttempts\":1},\"body\":{\"was\":\"dead\"}}");
        server.settle("nack", take(server, topic, 1).get(0), ",\"error\":\"why\"");
        server.push(topic, "{\"id\":\"done\",\"body\":{\"was\":\"done\"}}");
        server.settle("ack", take(server, topic, 1).get(0), "");
        server.push(topic, "{\"id\":\"reserved\",\"body\":{\"was\":\"reserved\"}}");
        take(server, topic, 1);
        server.push(topic, "{\"id\":\"ready\",\"body\":{\"was\":\"ready\"}}");
        server.push(topic, "{\"id\":\"delayed\",\"delay\":\"1h\",\"body\":{\"was\":\"delayed\"}}");
        return topic;
    }

    private static String dead(String... ids) {
        String topic = topic();
        for (String id : ids) {
            server.push(topic, "{\"id\":\"" + id + "\",\"retry\":{\"maxAttempts\":1}}");
        }
        take(server, topic, ids.length).forEach(job -> server.settle("nack", job, ""));
        return topic;
    }

    /** @param fields of each, with %d for its number */
    private static void pushMany(String topic, int count, String fields) {
        JsonArray jobs = new JsonArray();
        for (int i = 0; i < count; i++) {
            jobs.add(new JsonObject("{" + fields.replace("%d", Integer.toString(i)) + "}").put("topic", topic));
        }
        assertEquals(count, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
    }

    /** The ids of all pages, in order; each page is checked to be no longer than asked for. */
    private static List<String> ids(String topic, String query) {
        List<String> found = new ArrayList<>();
        String cursor = null;
        do {
            JsonObject page = page(topic, query, cursor);
            page.getJsonArray("jobs").forEach(job -> found.add(((JsonObject) job).getString("id")));
            cursor = page.getString("cursor");
        } while (cursor != null);
        Collections.sort(found);
        return found;
    }

    private static JsonObject page(String topic, String query, String cursor) {
        String next = cursor == null ? "" : "&cursor=" + TestServer.encode(cursor);
        TestServer.Reply reply = server.get(jobs(topic) + "?" + query + next);
        assertEquals(200, reply.status(), reply.text());
        int limit = query.contains("limit=") ? Integer.parseInt(query.replaceAll(".*limit=(\\d+).*", "$1")) : 50;
        assertTrue(reply.jobs().size() <= limit, reply.text());
        return reply.json();
    }

    private static JsonObject delete(String path) {
        TestServer.Reply reply = server.send("DELETE", path, null);
        assertEquals(200, reply.status(), reply.text());
        return reply.json();
    }

    private static JsonObject requeue(String topic, String body) {
        TestServer.Reply reply = server.post("/v1/topics/" + topic + "/dead/requeue", body);
        assertEquals(200, reply.status(), reply.text());
        return reply.json();
    }
}
