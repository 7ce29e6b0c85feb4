package io.delayq.path;

import static io.delayq.path.Wire.awaitPolls;
import static io.delayq.path.Wire.job;
import static io.delayq.path.Wire.jobs;
import static io.delayq.path.Wire.problem;
import static io.delayq.path.Wire.take;
import static io.delayq.path.Wire.topic;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the wire contract says of taking jobs out, settling them, and running them again. */
class ConsumeContractTest {
    private static final String NONE = "{\"jobs\":[]}";
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

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
    void reserve_takes_one_job_with_its_lease_and_no_more_by_default() {
        String topic = topic();
        long due = server.push(topic, "{\"id\":\"a\",\"ttr\":\"30s\",\"body\":{\"n\":1}}")
                .json()
                .getLong("due");
        server.push(topic, "{\"id\":\"b\"}");
        long before = System.currentTimeMillis();
        TestServer.Reply reply = server.post("/v1/topics/" + topic + "/reserve", "{}");
        long after = System.currentTimeMillis();
        assertEquals(200, reply.status());
        assertEquals(Set.of("jobs"), reply.json().fieldNames());
        assertEquals(1, reply.jobs().size());
        JsonObject first = reply.job(0);
        JsonObject second = server.post("/v1/topics/" + topic + "/reserve", "").job(0);
        JsonObject a = first.getString("id").equals("a") ? first : second;
        assertEquals(
                Set.of("topic", "id", "lease", "attempt", "maxAttempts", "due", "deadline", "body"), a.fieldNames());
        assertEquals(topic, a.getString("topic"));
        assertEquals(1, a.getInteger("attempt"));
        assertEquals(10, a.getInteger("maxAttempts"));
        assertEquals(due, a.getLong("due"));
        assertEquals(new JsonObject().put("n", 1), a.getJsonObject("body"));
        long ttr = first == a ? 30_000 : 60_000;
        assertBetween(before + ttr, first.getLong("deadline"), after + ttr);
        assertEquals(NONE, server.post("/v1/topics/" + topic + "/reserve", "").text());
    }

    @Test
    void reserve_takes_up_to_max() {
        String topic = topic();
        push(topic, 25, "");
        int first = server.reserve(topic, 10, "0s").jobs().size();
        assertBetween(1, first, 10);
        assertEquals(25 - first, take(server, topic, 25 - first).size());
        assertEquals(NONE, server.reserve(topic, 1000, "0s").text());
    }

    @Test
    void reserve_answers_none_after_its_wait_and_makes_no_topic() {
        String topic = topic();
        assertEquals(NONE, server.reserve(topic, 5, "0s").text());
        long begin = System.nanoTime();
        assertEquals(NONE, server.reserve(topic, 5, "300ms").text());
        assertBetween(300, (System.nanoTime() - begin) / 1_000_000, 2_000);
        problem(404, "topic-not-found", server.get("/v1/topics/" + topic));
    }

    @Test
    void reserve_waiting_on_a_topic_that_does_not_exist_wakes_up_when_a_job_is_pushed() {
        String topic = topic();
        CompletableFuture<TestServer.Reply> poll =
                server.sendAsync("POST", "/v1/topics/" + topic + "/reserve", "{\"wait\":\"20s\"}");
        awaitPolls(server, 1);
        long pushed = System.nanoTime();
        server.push(topic, "{\"id\":\"a\"}");
        assertEquals("a", TestServer.await(poll).job(0).getString("id"));
        assertBetween(0, (System.nanoTime() - pushed) / 1_000_000, 1_000);
    }

    @Test
    void reserve_waits_for_a_delayed_job_and_never_sees_it_early() {
        String topic = topic();
        long due = server.push(topic, "{\"delay\":400}").json().getLong("due");
        assertEquals(NONE, server.reserve(topic, 1, "0s").text());
        assertEquals(due, server.reserve(topic, 1, "10s").job(0).getLong("due"));
        assertTrue(System.currentTimeMillis() >= due);
    }

    @Test
    void a_client_that_goes_away_while_waiting_takes_no_job_with_it() {
        String topic = topic();
        try (RawHttp client = new RawHttp(server.port())) {
            client.send(RawHttp.request("POST", "/v1/topics/" + topic + "/reserve", "{\"wait\":\"60s\"}"));
            awaitPolls(server, 1);
        }
        awaitPolls(server, 0);
        server.push(topic, "{\"id\":\"a\"}");
        JsonObject job = server.reserve(topic, 1, "5s").job(0);
        assertEquals("a", job.getString("id"));
        assertEquals(1, job.getInteger("attempt"));
    }

    @Test
    void a_job_with_a_callback_is_never_reserved() {
        String topic = topic();
        server.push(topic, "{\"id\":\"c\",\"callback\":{\"url\":\"http://shop.example/\"}}");
        server.push(topic, "{\"id\":\"d\",\"delay\":50,\"callback\":{\"url\":\"http://shop.example/\"}}");
        server.push(topic, "{\"id\":\"a\",\"delay\":100}");
        JsonArray jobs = server.reserve(topic, 10, "5s").jobs();
        assertEquals(1, jobs.size());
        assertEquals("a", jobs.getJsonObject(0).getString("id"));
        assertEquals(NONE, server.reserve(topic, 10, "200ms").text());
    }

    @Test
    void high_priority_goes_first_and_low_still_moves() {
        String topic = topic();
        push(topic, 200, ",\"priority\":\"low\"");
        push(topic, 200, ",\"priority\":\"high\"");
        List<String> first = take(server, topic, 100).stream()
                .map(delivered ->
                        server.get(job(topic, delivered.getString("id"))).json().getString("priority"))
                .toList();
        long high = first.stream().filter("high"::equals).count();
        assertBetween(60, high, 99);
    }

    @Test
    void within_a_priority_the_order_is_about_by_due_time() {
        String topic = topic();
        push(topic, 50, ",\"body\":\"early\"");
        push(topic, 50, ",\"body\":\"late\"");
        long early = take(server, topic, 50).stream()
                .filter(delivered -> "early".equals(delivered.getString("body")))
                .count();
        assertBetween(35, early, 50);
    }

    @Test
    void a_traceparent_comes_back_with_each_delivery_and_a_malformed_one_is_dropped() throws Exception {
        String topic = topic();
        pushTraced(jobs(topic), "{\"id\":\"a\"}", TRACE);
        JsonObject job = server.reserve(topic, 1, "5s").job(0);
        assertEquals(TRACE, job.getString("traceparent"));
        server.settle("nack", job, ",\"delay\":0");
        job = server.reserve(topic, 1, "5s").job(0);
        assertEquals(TRACE, job.getString("traceparent"));
        server.settle("ack", job, "");
        pushTraced("/v1/jobs", "[{\"topic\":\"" + topic + "\"}]", TRACE);
        assertEquals(TRACE, server.reserve(topic, 1, "5s").job(0).getString("traceparent"));
        pushTraced(jobs(topic), "{}", "nonsense");
        assertFalse(server.reserve(topic, 1, "5s").job(0).containsKey("traceparent"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "true",
                "\"\"",
                "-0",
                "1.0",
                "1e400",
                "1E+2",
                "18446744073709551621",
                "[]",
                "{}",
                "{\"b\":1.0,\"a\":[1e5,-0.0,{\"\":null}]}",
                "\"\\u00e9\\/\\ud83d\\ude00\\u0000\\ud800 é😀\\b\\t\"",
                "\"{lease}\\\\\\\"\""
            })
    void a_body_comes_back_as_the_same_text(String body) {
        keepsBody(body);
    }

    @Test
    void a_body_with_a_number_of_5000_digits_or_of_256_kib_comes_back_as_the_same_text() {
        keepsBody("9".repeat(5_000) + "." + "1".repeat(5_000) + "e" + "5".repeat(100));
        keepsBody("\"" + "é".repeat((256 << 9) - 1) + "\"");
        keepsBody("[".repeat(98) + "]".repeat(98));
    }

    @Test
    void an_ack_ends_a_job_once() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\"}");
        JsonObject job = server.reserve(topic, 1, "5s").job(0);
        TestServer.Reply acked = server.settle("ack", job, "");
        assertEquals(204, acked.status());
        assertEquals("", acked.text());
        problem(404, "job-not-found", server.get(job(topic, "a")));
        problem(409, "stale-lease", server.settle("ack", job, ""));
        assertEquals(NONE, server.reserve(topic, 1, "0s").text());
    }

    @Test
    void a_lease_that_does_not_hold_is_stale_for_whatever_reason_and_never_404() {
        String topic = topic();
        server.push(topic, "{\"id\":\"ready\",\"delay\":\"1h\"}");
        JsonObject noTopic = held(topic(), "nobody", "xyz");
        JsonObject noJob = held(topic, "nobody", "xyz");
        JsonObject waiting = held(topic, "ready", "xyz");
        JsonObject empty = held(topic, "ready", "");
        for (JsonObject job : List.of(noTopic, noJob, waiting, empty)) {
            for (String what : List.of("ack", "nack", "extend")) {
                problem(409, "stale-lease", server.settle(what, job, ""));
            }
        }
        assertEquals("delayed", server.get(job(topic, "ready")).json().getString("state"));
    }

    @Test
    void a_wrong_lease_does_not_settle_a_reserved_job() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\"}");
        JsonObject job = server.reserve(topic, 1, "5s").job(0);
        for (String what : List.of("ack", "nack", "extend")) {
            problem(409, "stale-lease", server.settle(what, held(topic, "a", job.getString("lease") + "0"), ""));
        }
        assertEquals(204, server.settle("ack", job, "").status());
    }

    @Test
    void a_lease_from_before_is_stale_after_a_nack_delete_and_push() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\"}");
        JsonObject first = server.reserve(topic, 1, "5s").job(0);
        server.settle("nack", first, ",\"delay\":0");
        JsonObject second = server.reserve(topic, 1, "5s").job(0);
        problem(409, "stale-lease", server.settle("ack", first, ""));
        server.send("DELETE", job(topic, "a"), null);
        server.push(topic, "{\"id\":\"a\"}");
        problem(409, "stale-lease", server.settle("ack", second, ""));
        JsonObject third = server.reserve(topic, 1, "5s").job(0);
        problem(409, "stale-lease", server.settle("extend", second, ""));
        assertEquals(1, third.getInteger("attempt"));
        assertEquals(204, server.settle("ack", third, "").status());
    }

    @Test
    void nack_with_delay_0_makes_ready_and_with_a_delay_delayed() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\"}");
        JsonObject job = server.reserve(topic, 1, "5s").job(0);
        TestServer.Reply nacked = server.settle("nack", job, ",\"delay\":0,\"error\":\"wh\\u00fd 😀\"");
        assertEquals(200, nacked.status());
        assertEquals("{\"state\":\"ready\"}", nacked.text());
        assertEquals("whý 😀", server.get(job(topic, "a")).json().getString("lastError"));
        job = server.reserve(topic, 1, "5s").job(0);
        assertEquals(2, job.getInteger("attempt"));
        long before = System.currentTimeMillis();
        JsonObject delayed = server.settle("nack", job, ",\"delay\":\"1h\"").json();
        assertEquals(Set.of("state", "due"), delayed.fieldNames());
        assertEquals("delayed", delayed.getString("state"));
        assertBetween(before + 3_600_000, delayed.getLong("due"), System.currentTimeMillis() + 3_600_000);
        JsonObject shown = server.get(job(topic, "a")).json();
        assertEquals(delayed.getLong("due"), shown.getLong("due"));
        assertEquals(2, shown.getInteger("attempts"));
        assertFalse(shown.containsKey("deadline"));
    }

    @Test
    void nack_without_delay_follows_the_backoff_list_whose_last_one_repeats() {
        assertEquals(List.of(1, 60, 60), backoffs("[\"1s\",\"1m\"]", 3));
    }

    @Test
    void nack_without_delay_follows_the_exponential_backoff_up_to_its_max() {
        assertEquals(List.of(1, 3, 9, 20, 20), backoffs("{\"factor\":3,\"max\":\"20s\",\"jitter\":0}", 5));
    }

    @Test
    void the_jitter_moves_a_retry_by_no_more_than_its_share() {
        String topic = topic();
        push(topic, 20, ",\"retry\":{\"backoff\":{\"base\":\"100s\",\"jitter\":0.5}}");
        List<Long> waits = new ArrayList<>();
        for (JsonObject job : take(server, topic, 20)) {
            long due = server.settle("nack", job, "").json().getLong("due");
            waits.add(due - System.currentTimeMillis());
        }
        waits.forEach(wait -> assertBetween(49_000, wait, 150_000));
        assertTrue(waits.stream().distinct().count() > 10, waits.toString());
    }

    @Test
    void a_job_is_dead_after_its_last_attempt() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"retry\":{\"maxAttempts\":2}}");
        JsonObject job = server.reserve(topic, 1, "5s").job(0);
        assertEquals(2, job.getInteger("maxAttempts"));
        server.settle("nack", job, ",\"delay\":0");
        job = server.reserve(topic, 1, "5s").job(0);
        assertEquals(
                "{\"state\":\"dead\"}",
                server.settle("nack", job, ",\"delay\":0,\"error\":\"at last\"").text());
        JsonObject dead = server.get(job(topic, "a")).json();
        assertEquals("dead", dead.getString("state"));
        assertEquals(2, dead.getInteger("attempts"));
        assertEquals("at last", dead.getString("lastError"));
        problem(409, "stale-lease", server.settle("ack", job, ""));
        assertEquals(NONE, server.reserve(topic, 1, "0s").text());
    }

    @Test
    void max_attempts_0_is_without_limit() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"retry\":{\"maxAttempts\":0}}");
        for (int attempt = 1; attempt <= 15; attempt++) {
            JsonObject job = server.reserve(topic, 1, "5s").job(0);
            assertEquals(attempt, job.getInteger("attempt"));
            assertEquals(0, job.getInteger("maxAttempts"));
            assertEquals(
                    "{\"state\":\"ready\"}",
                    server.settle("nack", job, ",\"delay\":0").text());
        }
    }

    @Test
    void a_lease_that_ends_brings_the_job_back_by_its_backoff_and_then_dead() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"ttr\":\"100ms\",\"retry\":{\"maxAttempts\":2,\"backoff\":[400]}}");
        JsonObject first = server.reserve(topic, 1, "5s").job(0);
        awaitState(topic, "delayed");
        JsonObject waiting = server.get(job(topic, "a")).json();
        assertBetween(first.getLong("deadline") + 400, waiting.getLong("due"), System.currentTimeMillis() + 400);
        assertEquals(1, waiting.getInteger("attempts"));
        assertFalse(waiting.getString("lastError").isBlank());
        assertFalse(waiting.containsKey("deadline"));
        problem(409, "stale-lease", server.settle("ack", first, ""));
        JsonObject second = server.reserve(topic, 1, "5s").job(0);
        assertEquals(2, second.getInteger("attempt"));
        assertEquals(waiting.getLong("due"), second.getLong("due"));
        assertTrue(System.currentTimeMillis() >= waiting.getLong("due"));
        awaitState(topic, "dead");
        problem(409, "stale-lease", server.settle("nack", second, ""));
    }

    @Test
    void extend_sets_the_deadline_from_now() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"ttr\":\"200ms\",\"retry\":{\"maxAttempts\":1}}");
        JsonObject job = server.reserve(topic, 1, "5s").job(0);
        long before = System.currentTimeMillis();
        TestServer.Reply extended = server.settle("extend", job, ",\"ttr\":\"1h\"");
        assertEquals(200, extended.status());
        assertEquals(Set.of("deadline"), extended.json().fieldNames());
        assertBetween(before + 3_600_000, extended.json().getLong("deadline"), System.currentTimeMillis() + 3_600_000);
        assertEquals(
                extended.json().getLong("deadline"),
                server.get(job(topic, "a")).json().getLong("deadline"));
        TestRedis.await("the first deadline", () -> System.currentTimeMillis() > job.getLong("deadline") + 200);
        before = System.currentTimeMillis();
        long own = server.settle("extend", job, "").json().getLong("deadline");
        assertBetween(before + 200, own, System.currentTimeMillis() + 200);
        awaitState(topic, "dead");
    }

    @Test
    void acks_settle_many_and_name_the_stale_ones() {
        String topic = topic();
        push(topic, 5, "");
        List<JsonObject> jobs = take(server, topic, 5);
        JsonArray acks = new JsonArray().add(held("nobody", "xyz"));
        jobs.forEach(job -> acks.add(held(job.getString("id"), job.getString("lease"))));
        String again = jobs.get(0).getString("id");
        acks.add(held(again, jobs.get(1).getString("lease")));
        String body = new JsonObject().put("jobs", acks).encode();
        TestServer.Reply reply = server.post("/v1/topics/" + topic + "/acks", body);
        assertEquals(200, reply.status());
        assertEquals(
                new JsonObject()
                        .put("acked", 5)
                        .put("stale", new JsonArray().add("nobody").add(again)),
                reply.json());
        reply = server.post("/v1/topics/" + topic + "/acks", body);
        assertEquals(0, reply.json().getInteger("acked"));
        assertEquals(7, reply.json().getJsonArray("stale").size());
    }

    private static void keepsBody(String body) {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"body\":" + body + "}");
        String shown = server.get(job(topic, "a")).text();
        assertTrue(shown.contains("\"body\":" + body), shown);
        String delivered = server.reserve(topic, 1, "5s").text();
        assertTrue(delivered.contains("\"body\":" + body), delivered);
        server.post("/v1/jobs", "[ {\"body\" : " + body + " , \"topic\":\"" + topic + "\"}, 1]");
        delivered = server.reserve(topic, 1, "5s").text();
        assertTrue(delivered.contains("\"body\":" + body), delivered);
    }

    /** How many seconds a job with this backoff waits after each of its nacks. */
    private static List<Integer> backoffs(String backoff, int count) {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"retry\":{\"backoff\":" + backoff + "}}");
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    JsonObject job = server.reserve(topic, 1, "5s").job(0);
                    assertEquals(i + 1, job.getInteger("attempt"));
                    long before = System.currentTimeMillis();
                    long due = server.settle("nack", job, "").json().getLong("due");
                    long slack = System.currentTimeMillis() - before;
                    server.send("PATCH", job(topic, "a"), "{\"delay\":0}");
                    long wait = (due - before) / 1_000;
                    assertBetween(wait * 1_000, due - before, wait * 1_000 + slack);
                    return (int) wait;
                })
                .toList();
    }

    private static void push(String topic, int count, String more) {
        JsonArray jobs = new JsonArray();
        for (int i = 0; i < count; i++) {
            jobs.add(new JsonObject("{\"topic\":\"" + topic + "\"" + more + "}"));
        }
        assertEquals(count, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
    }

    private static void pushTraced(String path, String json, String traceparent) throws Exception {
        int status = server.raw(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                        .POST(HttpRequest.BodyPublishers.ofString(json))
                        .header("traceparent", traceparent)
                        .build())
                .statusCode();
        assertTrue(status < 300, "status " + status);
    }

    private static void awaitState(String topic, String state) {
        TestRedis.await(
                state, () -> state.equals(server.get(job(topic, "a")).json().getString("state")));
    }

    private static JsonObject held(String id, String lease) {
        return new JsonObject().put("id", id).put("lease", lease);
    }

    private static JsonObject held(String topic, String id, String lease) {
        return held(id, lease).put("topic", topic);
    }

    private static void assertBetween(long from, long value, long to) {
        assertTrue(from <= value && value <= to, value + " is not between " + from + " and " + to);
    }
}
