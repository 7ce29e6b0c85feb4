package io.delayq.path;

import static io.delayq.path.Wire.job;
import static io.delayq.path.Wire.jobs;
import static io.delayq.path.Wire.pointers;
import static io.delayq.path.Wire.problem;
import static io.delayq.path.Wire.topic;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the wire contract says of putting jobs in, looking at them, moving and cancelling them. */
class RestContractTest {
    private static final long HOUR = 3_600_000;
    private static final JsonObject DEFAULT_RETRY = new JsonObject(
            "{\"maxAttempts\":10,\"backoff\":{\"base\":1000,\"factor\":2,\"max\":600000,\"jitter\":0.1}}");

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void a_path_that_is_nearly_right_is_answered_with_the_right_one() {
        Map.of(
                        "/v1/topic/order/jobs", "/v1/topics/…",
                        "/v2/topics", "/v1/…",
                        "/v1/topics/order/job", "/v1/topics/{topic}/jobs",
                        "/v1/topics/order/jobs/1/acks", "/v1/topics/{topic}/jobs/{id}/ack",
                        "/helth/live", "/health/…")
                .forEach((path, right) -> assertEquals(
                        "there is nothing at this path; did you mean " + right + "?",
                        server.post(path, "{}").json().getString("detail")));
        for (String path : List.of("/nothing", "/v1/nothing/like/it", "/v1/topics/order/jobs/1/ack/more")) {
            assertEquals(
                    "there is nothing at this path; the API begins with /v1",
                    server.post(path, "{}").json().getString("detail"));
        }
    }

    @Test
    void a_push_answers_201_with_location_and_the_due_time() {
        String topic = topic();
        long before = System.currentTimeMillis();
        TestServer.Reply reply = server.push(topic, "{\"id\":\"1001\",\"delay\":\"30m\",\"body\":{\"orderId\":1001}}");
        long after = System.currentTimeMillis();
        assertEquals("/v1/topics/" + topic + "/jobs/1001", header(reply, "Location"));
        assertEquals("application/json", header(reply, "Content-Type"));
        assertEquals(Set.of("topic", "id", "state", "due"), reply.json().fieldNames());
        assertEquals(topic, reply.json().getString("topic"));
        assertEquals("1001", reply.json().getString("id"));
        assertEquals("delayed", reply.json().getString("state"));
        assertBetween(before + HOUR / 2, reply.json().getLong("due"), after + HOUR / 2);
    }

    @Test
    void a_push_without_delay_is_ready_and_due_at_once() {
        long before = System.currentTimeMillis();
        JsonObject json = server.push(topic(), "{}").json();
        assertEquals("ready", json.getString("state"));
        assertBetween(before, json.getLong("due"), System.currentTimeMillis());
    }

    @Test
    void a_push_is_due_at_the_time_given_as_number_or_text() {
        String topic = topic();
        long at = (System.currentTimeMillis() + HOUR) / 1_000 * 1_000;
        assertEquals(at, server.push(topic, "{\"at\":" + at + "}").json().getLong("due"));
        String text = Instant.ofEpochMilli(at).toString();
        assertEquals(at, server.push(topic, "{\"at\":\"" + text + "\"}").json().getLong("due"));
    }

    @Test
    void a_push_for_a_time_that_is_past_is_due_when_it_was_pushed() {
        for (String at : List.of("1000", "\"2001-01-31T12:00:00Z\"")) {
            long before = System.currentTimeMillis();
            JsonObject json = server.push(topic(), "{\"at\":" + at + "}").json();
            assertEquals("ready", json.getString("state"));
            assertBetween(before, json.getLong("due"), System.currentTimeMillis());
        }
    }

    @Test
    void the_server_makes_ids_that_differ_and_are_in_order_of_time() {
        String topic = topic();
        List<String> ids = IntStream.range(0, 50)
                .mapToObj(i -> server.push(topic, "{\"delay\":\"1h\"}").json().getString("id"))
                .toList();
        assertEquals(50, new HashSet<>(ids).size());
        assertTrue(ids.get(0).length() < 32, ids.get(0));
        assertEquals(ids.stream().sorted().toList(), ids);
    }

    @Test
    void an_id_in_use_answers_409_with_the_job_without_its_body_and_changes_nothing() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"delay\":\"1h\",\"group\":\"g\",\"body\":\"first\"}");
        JsonObject before = server.get(job(topic, "a")).json();
        JsonObject problem = problem(
                409, "job-exists", server.post(jobs(topic), "{\"id\":\"a\",\"delay\":\"2h\",\"body\":\"second\"}"));
        JsonObject shown = before.copy();
        shown.remove("body");
        assertEquals(shown, problem.getJsonObject("job"));
        assertEquals(before, server.get(job(topic, "a")).json());
    }

    @Test
    void an_id_is_in_use_while_ready_reserved_or_dead_and_free_after_ack_or_delete() {
        String topic = topic();
        String json = "{\"id\":\"a\",\"retry\":{\"maxAttempts\":2}}";
        server.push(topic, json);
        problem(409, "job-exists", server.post(jobs(topic), json));
        JsonObject first = server.reserve(topic, 1, "5s").job(0);
        problem(409, "job-exists", server.post(jobs(topic), json));
        server.settle("nack", first, ",\"delay\":0");
        server.settle("nack", server.reserve(topic, 1, "5s").job(0), "");
        assertEquals("dead", server.get(job(topic, "a")).json().getString("state"));
        problem(409, "job-exists", server.post(jobs(topic), json));
        assertEquals(204, server.send("DELETE", job(topic, "a"), null).status());
        server.push(topic, json);
        assertEquals(
                204,
                server.settle("ack", server.reserve(topic, 1, "5s").job(0), "").status());
        server.push(topic, json);
    }

    @Test
    void an_id_belongs_to_its_topic() {
        String one = topic();
        String two = topic();
        server.push(one, "{\"id\":\"1001\",\"delay\":\"1h\",\"body\":1}");
        server.push(two, "{\"id\":\"1001\",\"delay\":\"1h\",\"body\":2}");
        assertEquals(204, server.send("DELETE", job(one, "1001"), null).status());
        assertEquals(2, server.get(job(two, "1001")).json().getInteger("body"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a/b",
                "100%",
                "%2F",
                "a b+c",
                "\"quoted\"'",
                "日本語 😀",
                "a?b#c&d=e",
                "...",
                "{dq:0:0}:jobs:t",
                "jobs:x",
                "ack",
                "\\",
                "~:@!$&'()*+,;="
            })
    void any_text_can_be_an_id(String id) {
        String topic = topic();
        JsonObject push = new JsonObject().put("id", id).put("body", id);
        TestServer.Reply reply = server.push(topic, push.encode());
        assertEquals(id, reply.json().getString("id"));
        assertEquals(id, server.get(header(reply, "Location")).json().getString("id"));
        assertEquals(200, server.send("PUT", job(topic, id), push.encode()).status());
        JsonObject delivered = server.reserve(topic, 1, "5s").job(0);
        assertEquals(id, delivered.getString("id"));
        assertEquals(200, server.settle("extend", delivered, "").status());
        assertEquals(200, server.settle("nack", delivered, ",\"delay\":\"1h\"").status());
        assertEquals(
                200, server.send("PATCH", job(topic, id), "{\"delay\":\"2h\"}").status());
        assertEquals(204, server.send("DELETE", job(topic, id), null).status());
    }

    @Test
    void an_id_may_have_256_bytes_and_a_topic_128_characters() {
        String topic = "T0._:-" + "x".repeat(122);
        for (String id : List.of("i".repeat(256), "é".repeat(128), "😀".repeat(64))) {
            server.push(topic, new JsonObject().put("id", id).put("delay", "1h").encode());
            assertEquals(id, server.get(job(topic, id)).json().getString("id"));
        }
    }

    @Test
    void put_creates_with_201_and_replaces_with_200() {
        String topic = topic();
        TestServer.Reply created =
                server.send("PUT", job(topic, "a"), "{\"id\":\"a\",\"delay\":\"1h\",\"ttr\":\"5s\",\"body\":1}");
        assertEquals(201, created.status());
        assertEquals(job(topic, "a"), header(created, "Location"));
        assertEquals(Set.of("topic", "id", "state", "due"), created.json().fieldNames());
        TestServer.Reply replaced = server.send("PUT", job(topic, "a"), "{\"delay\":\"2h\",\"body\":2}");
        assertEquals(200, replaced.status());
        JsonObject job = server.get(job(topic, "a")).json();
        assertEquals(2, job.getInteger("body"));
        assertEquals(60_000, job.getInteger("ttr"));
        assertEquals(replaced.json().getLong("due"), job.getLong("due"));
        assertBetween(2 * HOUR - 5_000, job.getLong("due") - System.currentTimeMillis(), 2 * HOUR);
    }

    @Test
    void put_of_a_reserved_job_makes_its_lease_stale_and_attempts_start_anew() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\"}");
        JsonObject old = server.reserve(topic, 1, "5s").job(0);
        assertEquals(200, server.send("PUT", job(topic, "a"), "{\"body\":2}").status());
        problem(409, "stale-lease", server.settle("ack", old, ""));
        JsonObject anew = server.reserve(topic, 1, "5s").job(0);
        assertEquals(1, anew.getInteger("attempt"));
        assertEquals(2, anew.getInteger("body"));
        assertNotEquals(old.getString("lease"), anew.getString("lease"));
    }

    @Test
    void put_after_the_job_is_gone_answers_201_again() {
        String topic = topic();
        server.send("PUT", job(topic, "a"), "{}");
        server.settle("ack", server.reserve(topic, 1, "5s").job(0), "");
        assertEquals(201, server.send("PUT", job(topic, "a"), "{}").status());
    }

    @Test
    void put_again_and_again_debounces() {
        String topic = topic();
        for (int i = 0; i < 20; i++) {
            server.send("PUT", job(topic, "a"), "{\"delay\":200,\"body\":" + i + "}");
        }
        JsonObject only = server.reserve(topic, 10, "5s").job(0);
        assertEquals(19, only.getInteger("body"));
        server.settle("ack", only, "");
        assertEquals("{\"jobs\":[]}", server.reserve(topic, 10, "300ms").text());
    }

    @Test
    void get_shows_every_field_with_durations_in_milliseconds() {
        String topic = topic();
        long before = System.currentTimeMillis();
        JsonObject pushed = server.push(
                        topic,
                        """
                        { "id": "1001", "delay": "30m", "body": {"orderId": 1001},
                          "ttr": "1m30s", "retry": {"maxAttempts": 6, "backoff": ["5s","15s","PT30S","3m","1h",7200000]},
                          "callback": {"url": "https://shop.example/close", "method": "PUT", "headers": {"X-App": "shop"}},
                          "priority": "high", "ttl": "2h", "group": "customer-7" }
                        """)
                .json();
        JsonObject job = server.get(job(topic, "1001")).json();
        assertBetween(before, job.getLong("created"), System.currentTimeMillis());
        assertEquals(pushed.getLong("due"), job.getLong("due"));
        job.remove("created");
        job.remove("due");
        JsonObject expected = new JsonObject(
                """
                { "id": "1001", "state": "delayed", "attempts": 0, "body": {"orderId": 1001},
                  "ttr": 90000, "retry": {"maxAttempts": 6, "backoff": [5000,15000,30000,180000,3600000,7200000]},
                  "callback": {"url": "https://shop.example/close", "method": "PUT", "headers": {"X-App": "shop"}},
                  "priority": "high", "ttl": 7200000, "group": "customer-7" }
                """);
        assertEquals(expected.put("topic", topic), job);
    }

    @Test
    void get_leaves_out_what_is_absent_and_shows_the_rules_in_force() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"delay\":\"1h\"}");
        JsonObject job = server.get(job(topic, "a")).json();
        assertEquals(
                Set.of("topic", "id", "state", "due", "created", "attempts", "ttr", "retry", "priority", "body"),
                without(job.fieldNames(), "log"));
        assertEquals(60_000, job.getInteger("ttr"));
        assertEquals(DEFAULT_RETRY, job.getJsonObject("retry"));
        assertEquals("normal", job.getString("priority"));
        assertEquals(0, job.getInteger("attempts"));
        assertTrue(job.containsKey("body") && job.getValue("body") == null);
    }

    @Test
    void each_part_of_retry_left_out_is_the_default() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"delay\":\"1h\",\"retry\":{\"maxAttempts\":0}}");
        server.push(topic, "{\"id\":\"b\",\"delay\":\"1h\",\"retry\":{\"backoff\":{\"factor\":1.5}}}");
        assertEquals(DEFAULT_RETRY.copy().put("maxAttempts", 0), retry(topic, "a"));
        JsonObject backoff = new JsonObject("{\"base\":1000,\"factor\":1.5,\"max\":600000,\"jitter\":0.1}");
        assertEquals(DEFAULT_RETRY.copy().put("backoff", backoff), retry(topic, "b"));
    }

    @Test
    void get_of_a_reserved_job_shows_its_deadline_and_attempts() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\"}");
        JsonObject delivered = server.reserve(topic, 1, "5s").job(0);
        JsonObject job = server.get(job(topic, "a")).json();
        assertEquals("reserved", job.getString("state"));
        assertEquals(1, job.getInteger("attempts"));
        assertEquals(delivered.getLong("deadline"), job.getLong("deadline"));
        assertEquals(delivered.getLong("due"), job.getLong("due"));
        assertFalse(job.containsKey("lease"), "a lease is its holder's alone");
    }

    @Test
    void calls_on_a_job_that_is_not_there_answer_404_also_without_the_topic() {
        String topic = topic();
        server.push(topic, "{}");
        for (String path : List.of(job(topic, "nobody"), job(topic(), "nobody"))) {
            problem(404, "job-not-found", server.get(path));
            problem(404, "job-not-found", server.send("DELETE", path, null));
            problem(404, "job-not-found", server.send("PATCH", path, "{\"delay\":0}"));
        }
    }

    @Test
    void delete_cancels_a_job_in_any_state() {
        String topic = topic();
        server.push(topic, "{\"id\":\"delayed\",\"delay\":\"1h\"}");
        cancelled(topic, "delayed");
        server.push(topic, "{\"id\":\"ready\"}");
        cancelled(topic, "ready");
        assertEquals("{\"jobs\":[]}", server.reserve(topic, 1, "0s").text());
        server.push(topic, "{\"id\":\"reserved\"}");
        JsonObject held = server.reserve(topic, 1, "5s").job(0);
        cancelled(topic, "reserved");
        problem(409, "stale-lease", server.settle("ack", held, ""));
        server.push(topic, "{\"id\":\"dead\",\"retry\":{\"maxAttempts\":1}}");
        server.settle("nack", server.reserve(topic, 1, "5s").job(0), "");
        cancelled(topic, "dead");
    }

    @Test
    void patch_moves_a_delayed_job_and_answers_it_whole() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"delay\":\"1h\",\"group\":\"g\",\"body\":[1]}");
        TestServer.Reply reply = server.send("PATCH", job(topic, "a"), "{\"delay\":\"2h\"}");
        assertEquals(200, reply.status());
        assertEquals(server.get(job(topic, "a")).json(), reply.json());
        assertBetween(2 * HOUR - 5_000, reply.json().getLong("due") - System.currentTimeMillis(), 2 * HOUR);
        long at = System.currentTimeMillis() + 3 * HOUR;
        reply = server.send("PATCH", job(topic, "a"), "{\"at\":" + at + "}");
        assertEquals(at, reply.json().getLong("due"));
        reply = server.send("PATCH", job(topic, "a"), "{\"delay\":0}");
        assertEquals("ready", reply.json().getString("state"));
        assertEquals("a", server.reserve(topic, 1, "5s").job(0).getString("id"));
    }

    @Test
    void patch_delays_a_ready_job() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\"}");
        assertEquals(
                "delayed",
                server.send("PATCH", job(topic, "a"), "{\"delay\":\"1h\"}")
                        .json()
                        .getString("state"));
        assertEquals("{\"jobs\":[]}", server.reserve(topic, 1, "200ms").text());
    }

    @Test
    void patch_brings_a_dead_job_back_with_its_attempts_anew() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"retry\":{\"maxAttempts\":1}}");
        server.settle("nack", server.reserve(topic, 1, "5s").job(0), "");
        JsonObject back = server.send("PATCH", job(topic, "a"), "{\"at\":1}").json();
        assertEquals("ready", back.getString("state"));
        assertEquals(0, back.getInteger("attempts"));
        assertEquals(1, server.reserve(topic, 1, "5s").job(0).getInteger("attempt"));
    }

    @Test
    void patch_of_a_reserved_job_answers_wrong_state_and_leaves_the_lease() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\"}");
        JsonObject held = server.reserve(topic, 1, "5s").job(0);
        problem(409, "wrong-state", server.send("PATCH", job(topic, "a"), "{\"delay\":\"1h\"}"));
        assertEquals(204, server.settle("ack", held, "").status());
    }

    @Test
    void many_are_answered_in_input_order_and_a_bad_one_does_not_sink_the_others() {
        String topic = topic();
        server.push(topic, "{\"id\":\"used\",\"delay\":\"1h\"}");
        JsonArray list = new JsonArray();
        for (int i = 0; i < 40; i++) {
            list.add(new JsonObject().put("topic", topic).put("id", "j" + i).put("delay", "1h"));
        }
        list.add(new JsonObject("{\"topic\":\"" + topic + "\",\"id\":\"j0\",\"body\":\"again\"}"));
        list.add(new JsonObject("{\"topic\":\"" + topic + "\",\"id\":\"used\"}"));
        list.add(new JsonObject("{\"id\":\"no topic\"}"));
        list.add(new JsonObject("{\"topic\":\"a{b\",\"id\":\"x\",\"ttr\":1}"));
        list.add(7);
        list.add(new JsonObject("{\"topic\":\"" + topic + "\"}"));
        TestServer.Reply reply = server.post("/v1/jobs", list.encode());
        assertEquals(200, reply.status());
        assertEquals(Set.of("accepted", "rejected", "results"), reply.json().fieldNames());
        assertEquals(41, reply.json().getInteger("accepted"));
        assertEquals(5, reply.json().getInteger("rejected"));
        JsonArray rows = reply.json().getJsonArray("results");
        for (int i = 0; i < rows.size(); i++) {
            assertEquals(i, rows.getJsonObject(i).getInteger("index"));
        }
        for (int i = 0; i < 40; i++) {
            accepted(rows.getJsonObject(i), topic, "j" + i, "delayed");
        }
        rejected(rows.getJsonObject(40), 409, "job-exists", topic, "j0");
        rejected(rows.getJsonObject(41), 409, "job-exists", topic, "used");
        rejected(rows.getJsonObject(42), 400, "invalid-request", null, "no topic");
        rejected(rows.getJsonObject(43), 400, "invalid-request", null, "x");
        String detail = rows.getJsonObject(43).getString("detail");
        assertTrue(detail.contains("/topic") && detail.contains("/ttr"), detail);
        rejected(rows.getJsonObject(44), 400, "invalid-request", null, null);
        accepted(rows.getJsonObject(45), topic, rows.getJsonObject(45).getString("id"), "ready");
        assertEquals(null, server.get(job(topic, "j0")).json().getValue("body"));
    }

    @Test
    void many_can_be_none_or_ten_thousand_and_no_more() {
        assertEquals(
                "{\"accepted\":0,\"rejected\":0,\"results\":[]}",
                server.post("/v1/jobs", "[]").text());
        String topic = topic();
        assertEquals(10_000, server.post("/v1/jobs", list(topic, 10_000)).json().getInteger("accepted"));
        assertEquals(10_000, server.get("/v1/topics/" + topic).json().getInteger("delayed"));
        String other = topic();
        problem(413, "too-large", server.post("/v1/jobs", list(other, 10_001)));
        problem(404, "topic-not-found", server.get("/v1/topics/" + other));
    }

    @Test
    void many_over_16_mib_answer_413_and_store_nothing() {
        String topic = topic();
        String body = "\"" + "x".repeat(250_000) + "\"";
        String large = IntStream.range(0, 70)
                .mapToObj(i -> "{\"topic\":\"" + topic + "\",\"body\":" + body + "}")
                .collect(Collectors.joining(",", "[", "]"));
        problem(413, "too-large", server.post("/v1/jobs", large));
        problem(404, "topic-not-found", server.get("/v1/topics/" + topic));
    }

    @Test
    void many_of_nearly_16_mib_are_taken() {
        String topic = topic();
        String body = "\"" + "x".repeat(250_000) + "\"";
        String large = IntStream.range(0, 66)
                .mapToObj(i -> "{\"topic\":\"" + topic + "\",\"delay\":\"1h\",\"body\":" + body + "}")
                .collect(Collectors.joining(",", "[", "]"));
        assertEquals(66, server.post("/v1/jobs", large).json().getInteger("accepted"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "null", "[", "[%s", "[%s,]", "[%s]x", "[%s,{\"topic\":\"a\",\"topic\":\"a\"}]"})
    void many_that_are_no_json_array_answer_400_and_store_nothing(String text) {
        String topic = topic();
        String json = text.replace("%s", "{\"topic\":\"" + topic + "\"}");
        assertEquals(
                1,
                pointers(problem(400, "invalid-request", server.post("/v1/jobs", json)))
                        .size());
        problem(404, "topic-not-found", server.get("/v1/topics/" + topic));
    }

    private static void cancelled(String topic, String id) {
        TestServer.Reply reply = server.send("DELETE", job(topic, id), null);
        assertEquals(204, reply.status());
        assertEquals("", reply.text());
        problem(404, "job-not-found", server.send("DELETE", job(topic, id), null));
        problem(404, "job-not-found", server.get(job(topic, id)));
    }

    private static void accepted(JsonObject row, String topic, String id, String state) {
        assertEquals(Set.of("index", "status", "topic", "id", "state", "due"), row.fieldNames());
        assertEquals(
                List.of(201, topic, id, state),
                List.of(row.getInteger("status"), row.getString("topic"), row.getString("id"), row.getString("state")));
    }

    private static void rejected(JsonObject row, int status, String type, String topic, String id) {
        assertEquals(status, row.getInteger("status"), row.encode());
        assertEquals("/problems/" + type, row.getString("type"));
        assertEquals(topic, row.getString("topic"));
        assertEquals(id, row.getString("id"));
        assertFalse(row.getString("detail").isBlank());
        Set<String> allowed = Set.of("index", "status", "topic", "id", "type", "detail");
        assertTrue(allowed.containsAll(row.fieldNames()), row.encode());
    }

    private static JsonObject retry(String topic, String id) {
        return server.get(job(topic, id)).json().getJsonObject("retry");
    }

    private static String list(String topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"topic\":\"" + topic + "\",\"id\":\"" + i + "\",\"delay\":\"1h\"}")
                .collect(Collectors.joining(",", "[", "]"));
    }

    private static String header(TestServer.Reply reply, String name) {
        return reply.response().headers().firstValue(name).orElse(null);
    }

    private static Set<String> without(Set<String> names, String name) {
        Set<String> rest = new HashSet<>(names);
        rest.remove(name);
        return rest;
    }

    private static void assertBetween(long from, long value, long to) {
        assertTrue(from <= value && value <= to, value + " is not between " + from + " and " + to);
    }
}
