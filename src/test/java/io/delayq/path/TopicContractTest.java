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

import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the wire contract says of a topic as a whole: its settings, pause, and end. */
class TopicContractTest {
    private static TestServer server;

    /** Every call about one topic, with the topic to come. */
    record TopicCall(String method, String rest) {
        TestServer.Reply on(String topic) {
            return on(topic, "", null);
        }

        TestServer.Reply on(String topic, String query, String body) {
            return server.send(method, "/v1/topics/" + topic + rest + query, body);
        }
    }

    @BeforeAll
    static void start() {
        server = TestServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    static List<TopicCall> calls() {
        return List.of(
                new TopicCall("GET", ""),
                new TopicCall("DELETE", ""),
                new TopicCall("POST", "/pause"),
                new TopicCall("POST", "/resume"),
                new TopicCall("GET", "/jobs"),
                new TopicCall("DELETE", "/jobs"),
                new TopicCall("POST", "/dead/requeue"),
                new TopicCall("DELETE", "/groups/g"),
                new TopicCall("GET", "/forecast"));
    }

    /** Those that change something. */
    static List<TopicCall> changes() {
        return calls().stream().filter(call -> !call.method.equals("GET")).toList();
    }

    // settings

    @Test
    void settings_are_answered_and_shown_as_they_were_set_but_for_secrets() {
        String topic = topic();
        TestServer.Reply reply = put(
                topic,
                """
                { "ttr": "90s", "retry": {"maxAttempts": 6, "backoff": ["5s","1h"]}, "priority": "high", "ttl": "2h",
                  "onExpire": "dead", "callback": {"url": "http://shop.example/close", "headers": {"X-App": "shop"}},
                  "webhook": {"secrets": ["whsec_0123456789", "whsec_9876543210"], "success": "success-true"},
                  "keepDone": "1d", "keepDead": "30d", "maxInFlight": 50, "ratePerSecond": 200 }
                """);
        assertEquals(200, reply.status(), reply.text());
        JsonObject expected = new JsonObject(
                """
                { "ttr": 90000, "retry": {"maxAttempts": 6, "backoff": [5000,3600000]}, "priority": "high",
                  "ttl": 7200000, "onExpire": "dead",
                  "callback": {"url": "http://shop.example/close", "method": "POST", "headers": {"X-App": "shop"}},
                  "webhook": {"success": "success-true"}, "keepDone": 86400000, "keepDead": 2592000000,
                  "maxInFlight": 50, "ratePerSecond": 200 }
                """);
        assertEquals(expected, reply.json());
        assertEquals(expected, settings(topic));
        assertFalse(server.get("/v1/topics/" + topic).text().contains("whsec"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"redisList\":{\"key\":\"é due\"}} | {\"redisList\":{\"key\":\"é due\",\"payload\":\"job\"}}",
                "{\"redisList\":{\"key\":\"k\",\"payload\":\"id\"}} | {\"redisList\":{\"key\":\"k\",\"payload\":\"id\"}}",
                "{\"webhook\":{\"secrets\":[\"whsec_0123456789\"]}} | {\"webhook\":{}}",
                "{\"retry\":{\"maxAttempts\":0}} | {\"retry\":{\"maxAttempts\":0}}",
                "{\"retry\":{\"backoff\":{}}} | "
                        + "{\"retry\":{\"backoff\":{\"base\":1000,\"factor\":2,\"max\":600000,\"jitter\":0.1}}}",
                "{\"keepDone\":0,\"keepDead\":0,\"onExpire\":\"drop\"} | {\"onExpire\":\"drop\",\"keepDone\":0,\"keepDead\":0}",
                "{\"ratePerSecond\":1000000,\"maxInFlight\":1} | {\"maxInFlight\":1,\"ratePerSecond\":1000000}",
                "{\"ttl\":\"3650d\",\"keepDead\":\"365d\"} | {\"ttl\":315360000000,\"keepDead\":31536000000}",
                "{} | {}"
            })
    void only_what_was_set_is_kept_and_shown(String set, String shown) {
        String topic = topic();
        assertEquals(new JsonObject(shown), put(topic, set).json());
        assertEquals(new JsonObject(shown), settings(topic));
    }

    @Test
    void settings_replace_all_those_before() {
        String topic = topic();
        put(topic, "{\"ttr\":\"5s\",\"webhook\":{\"success\":\"2xx\"},\"maxInFlight\":7}");
        assertEquals(
                new JsonObject("{\"ttr\":6000}"), put(topic, "{\"ttr\":\"6s\"}").json());
        assertEquals(new JsonObject("{\"ttr\":6000}"), settings(topic));
        assertEquals(new JsonObject(), put(topic, "{}").json());
        assertEquals(new JsonObject(), settings(topic));
    }

    @Test
    void settings_make_a_topic() {
        String topic = topic();
        assertEquals(200, put(topic, "{}").status());
        assertEquals(
                new JsonObject("{\"delayed\":0,\"ready\":0,\"reserved\":0,\"dead\":0,\"done\":0,\"paused\":false,"
                                + "\"subscribers\":0,\"settings\":{}}")
                        .put("topic", topic),
                server.get("/v1/topics/" + topic).json());
        JsonArray listed = server.get("/v1/topics?prefix=" + topic).json().getJsonArray("topics");
        assertEquals(topic, listed.getJsonObject(0).getString("topic"));
    }

    @Test
    void what_a_job_leaves_out_follows_its_topic_also_while_it_waits() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"delay\":\"1h\"}");
        server.push(topic, "{\"id\":\"b\",\"delay\":\"1h\",\"ttr\":\"7s\",\"retry\":{\"maxAttempts\":2}}");
        put(topic, "{\"ttr\":\"5s\",\"retry\":{\"maxAttempts\":3,\"backoff\":[\"9s\"]}}");
        JsonObject a = server.get(job(topic, "a")).json();
        assertEquals(5_000, a.getInteger("ttr"));
        assertEquals(new JsonObject("{\"maxAttempts\":3,\"backoff\":[9000]}"), a.getJsonObject("retry"));
        JsonObject b = server.get(job(topic, "b")).json();
        assertEquals(7_000, b.getInteger("ttr"));
        assertEquals(new JsonObject("{\"maxAttempts\":2,\"backoff\":[9000]}"), b.getJsonObject("retry"));
        put(topic, "{}");
        a = server.get(job(topic, "a")).json();
        assertEquals(60_000, a.getInteger("ttr"));
        assertEquals(10, a.getJsonObject("retry").getInteger("maxAttempts"));
    }

    @Test
    void priority_and_ttl_are_fixed_at_push() {
        String topic = topic();
        put(topic, "{\"priority\":\"low\",\"ttl\":\"1h\"}");
        server.push(topic, "{\"id\":\"a\",\"delay\":\"1h\"}");
        server.push(topic, "{\"id\":\"b\",\"delay\":\"1h\",\"priority\":\"high\",\"ttl\":\"2h\"}");
        put(topic, "{\"priority\":\"normal\",\"ttl\":\"3h\"}");
        for (Map.Entry<String, JsonObject> job : Map.of(
                        "a", new JsonObject("{\"priority\":\"low\",\"ttl\":3600000}"),
                        "b", new JsonObject("{\"priority\":\"high\",\"ttl\":7200000}"))
                .entrySet()) {
            JsonObject shown = server.get(job(topic, job.getKey())).json();
            assertEquals(job.getValue().getString("priority"), shown.getString("priority"), job.getKey());
            assertEquals(job.getValue().getLong("ttl"), shown.getLong("ttl"), job.getKey());
        }
    }

    @Test
    void bad_settings_answer_400_with_every_fault_and_change_nothing() {
        String topic = topic();
        put(topic, "{\"ttr\":\"5s\"}");
        String bad = "{\"ttr\":1,\"retry\":{\"maxAttempts\":-1},\"priority\":\"urgent\",\"ttl\":1,\"onExpire\":\"x\","
                + "\"callback\":{},\"webhook\":{\"secrets\":[\"secret\"]},\"redisList\":{\"key\":\"\"},\"keepDone\":-1,"
                + "\"keepDead\":\"366d\",\"maxInFlight\":0,\"ratePerSecond\":0,\"ratePerSeconds\":1}";
        JsonObject problem = problem(400, "invalid-request", put(topic, bad));
        assertEquals(
                List.of(
                        "/ttr",
                        "/retry/maxAttempts",
                        "/priority",
                        "/ttl",
                        "/onExpire",
                        "/callback/url",
                        "/webhook/secrets/0",
                        "/redisList/key",
                        "/keepDone",
                        "/keepDead",
                        "/maxInFlight",
                        "/ratePerSecond",
                        "/ratePerSeconds",
                        "/redisList"),
                pointers(problem));
        assertTrue(problem.encode().contains("did you mean ratePerSecond?"), problem.encode());
        assertEquals(new JsonObject("{\"ttr\":5000}"), settings(topic));
        String other = topic();
        problem(400, "invalid-request", put(other, bad));
        problem(404, "topic-not-found", server.get("/v1/topics/" + other));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "[]", "{", "{} {}", "{\"ttr\":\"5s\",\"ttr\":\"5s\"}"})
    void settings_that_are_no_object_answer_400(String body) {
        problem(400, "invalid-request", put(topic(), body));
    }

    @Test
    void faults_of_path_query_and_body_are_told_at_once() {
        RawHttp.Answer answer =
                RawHttp.once(server.port(), RawHttp.request("PUT", "/v1/topics/-a?x=1", "{\"ttr\":1,\"y\":2}"));
        assertEquals(
                Set.of("/topic", "/x", "/ttr", "/y"), Set.copyOf(pointers(problem(400, "invalid-request", answer))));
    }

    @Test
    void settings_of_another_content_type_answer_415() {
        RawHttp.Answer answer = RawHttp.once(
                server.port(), RawHttp.request("PUT", "/v1/topics/" + topic(), "ttr: 5s", "Content-Type: text/yaml"));
        problem(415, "unsupported-media-type", answer);
    }

    // what all of them have in common

    @ParameterizedTest
    @MethodSource("calls")
    void a_topic_that_is_not_there_answers_404(TopicCall call) {
        problem(404, "topic-not-found", call.on(topic()));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void a_topic_that_cannot_be_answers_400(TopicCall call) {
        assertEquals(List.of("/topic"), pointers(problem(400, "invalid-request", call.on("-a"))));
        assertEquals(List.of("/topic"), pointers(problem(400, "invalid-request", call.on("a%2Fb"))));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void a_parameter_or_field_that_is_not_known_answers_400_and_changes_nothing(TopicCall call) {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"group\":\"g\",\"delay\":\"1h\"}");
        String before = server.get(job(topic, "a")).text();
        assertEquals(List.of("/stat"), pointers(problem(400, "invalid-request", call.on(topic, "?stat=dead", null))));
        assertEquals(
                List.of("/stat"), pointers(problem(400, "invalid-request", call.on(topic, "", "{\"stat\":\"dead\"}"))));
        assertEquals(
                List.of("/a", "/b"), pointers(problem(400, "invalid-request", call.on(topic, "?a=1", "{\"b\":1}"))));
        assertEquals(before, server.get(job(topic, "a")).text());
        assertFalse(server.get("/v1/topics/" + topic).json().getBoolean("paused"));
    }

    @ParameterizedTest
    @CsvSource({
        "'', 'DELETE, GET, PUT'",
        "/pause, POST",
        "/resume, POST",
        "/jobs, 'DELETE, GET, POST'",
        "/dead/requeue, POST",
        "/groups/g, DELETE",
        "/forecast, GET"
    })
    void another_method_answers_405_with_those_there_are(String rest, String allowed) {
        TestServer.Reply reply = server.send("PATCH", "/v1/topics/" + topic() + rest, "{}");
        problem(405, "method-not-allowed", reply);
        assertEquals(allowed, reply.response().headers().firstValue("Allow").orElse(null));
    }

    // pause

    @Test
    void nothing_is_reserved_after_pause_was_answered_until_resume() {
        String topic = topic();
        server.push(topic, "{\"id\":\"held\"}");
        JsonObject held = take(server, topic, 1).get(0);
        TestServer.Reply paused = server.post("/v1/topics/" + topic + "/pause", null);
        assertEquals(204, paused.status(), paused.text());
        assertEquals("", paused.text());
        assertTrue(server.get("/v1/topics/" + topic).json().getBoolean("paused"));
        server.push(topic, "{\"id\":\"a\"}");
        assertEquals(
                List.of(), server.reserve(topic, 10, "300ms").jobs().stream().toList());
        assertEquals(204, server.settle("ack", held, "").status());
        CompletableFuture<TestServer.Reply> poll =
                server.sendAsync("POST", "/v1/topics/" + topic + "/reserve", "{\"wait\":\"15s\"}");
        Wire.awaitPolls(server, 1);
        assertEquals(204, server.post("/v1/topics/" + topic + "/resume", "{}").status());
        assertEquals("a", TestServer.await(poll).job(0).getString("id"));
        assertFalse(server.get("/v1/topics/" + topic).json().getBoolean("paused"));
    }

    @Test
    void pause_and_resume_can_be_repeated_and_leave_the_settings_alone() {
        String topic = topic();
        put(topic, "{\"ttr\":\"5s\"}");
        for (String call : List.of("pause", "pause", "resume", "resume", "pause")) {
            assertEquals(
                    204, server.post("/v1/topics/" + topic + "/" + call, "{}").status());
            assertEquals(new JsonObject("{\"ttr\":5000}"), settings(topic));
        }
        put(topic, "{\"ttr\":\"6s\"}");
        JsonObject shown = server.get("/v1/topics/" + topic).json();
        assertTrue(shown.getBoolean("paused"), shown.encode());
        assertEquals(new JsonObject("{\"ttr\":6000}"), shown.getJsonObject("settings"));
    }

    // the end

    @Test
    void a_deleted_topic_leaves_nothing_behind_and_counts_its_jobs_in_every_state() {
        String topic = topic();
        put(topic, "{\"ttr\":\"5s\",\"keepDone\":\"1h\"}");
        server.push(topic, "{\"id\":\"dead\",\"retry\":{\"maxAttempts\":1}}");
        server.settle("nack", take(server, topic, 1).get(0), "");
        server.push(topic, "{\"id\":\"done\"}");
        server.settle("ack", take(server, topic, 1).get(0), "");
        server.push(topic, "{\"id\":\"held\",\"group\":\"g\"}");
        JsonObject held = take(server, topic, 1).get(0);
        server.push(topic, "{\"id\":\"ready\"}");
        server.push(topic, "{\"id\":\"delayed\",\"delay\":\"1h\",\"group\":\"g\"}");
        server.post("/v1/topics/" + topic + "/pause", null);
        TestServer.Reply reply = server.send("DELETE", "/v1/topics/" + topic, null);
        assertEquals(200, reply.status(), reply.text());
        assertEquals(new JsonObject("{\"deleted\":5}"), reply.json());
        problem(409, "stale-lease", server.settle("ack", held, ""));
        problem(404, "topic-not-found", server.get("/v1/topics/" + topic));
        problem(404, "topic-not-found", server.send("DELETE", "/v1/topics/" + topic, null));
        problem(404, "job-not-found", server.get(job(topic, "delayed")));
        server.push(topic, "{\"id\":\"delayed\"}");
        JsonObject anew = server.get("/v1/topics/" + topic).json();
        assertEquals(new JsonObject(), anew.getJsonObject("settings"));
        assertFalse(anew.getBoolean("paused"));
        assertEquals(1, anew.getInteger("ready"));
        assertEquals(0, anew.getInteger("dead") + anew.getInteger("done") + anew.getInteger("delayed"));
        assertEquals("delayed", take(server, topic, 1).get(0).getString("id"));
    }

    @Test
    void a_topic_without_jobs_can_be_deleted() {
        String topic = topic();
        put(topic, "{}");
        assertEquals(
                new JsonObject("{\"deleted\":0}"),
                server.send("DELETE", "/v1/topics/" + topic, "{}").json());
        problem(404, "topic-not-found", server.get("/v1/topics/" + topic));
    }

    @Test
    void a_paused_topic_hands_out_nothing_while_it_is_deleted() {
        String topic = topic();
        put(topic, "{}");
        server.post("/v1/topics/" + topic + "/pause", null);
        JsonArray jobs = new JsonArray();
        for (int i = 0; i < 2_000; i++) {
            jobs.add(new JsonObject().put("topic", topic));
        }
        assertEquals(2_000, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
        CompletableFuture<TestServer.Reply> poll =
                server.sendAsync("POST", "/v1/topics/" + topic + "/reserve", "{\"wait\":\"2s\"}");
        Wire.awaitPolls(server, 1);
        assertEquals(
                new JsonObject("{\"deleted\":2000}"),
                server.send("DELETE", "/v1/topics/" + topic, null).json());
        assertEquals(new JsonArray(), TestServer.await(poll).jobs());
    }

    // what a nack finds expired

    @Test
    void a_job_that_fails_after_its_ttl_is_gone() {
        String topic = topic();
        server.push(topic, "{\"id\":\"a\",\"ttl\":\"1s\"}");
        server.push(topic, "{\"id\":\"b\",\"ttl\":\"1s\"}");
        List<JsonObject> held = take(server, topic, 2);
        long expired = held.stream().mapToLong(job -> job.getLong("due")).max().orElseThrow() + 1_000;
        TestRedis.await("expired", () -> System.currentTimeMillis() > expired);
        TestServer.Reply reply = server.settle("nack", held.get(0), "");
        assertEquals(200, reply.status(), reply.text());
        assertEquals(new JsonObject("{\"state\":\"gone\"}"), reply.json());
        try (GenericClient client = GenericClient.connect(server)) {
            client.send(GenericClient.settling("nack", topic, held.subList(1, 2), "\"n\""));
            JsonObject nacked = client.expect("nacked");
            assertEquals(1, nacked.getInteger("nacked"));
            assertEquals(new JsonArray(), nacked.getJsonArray("stale"));
        }
        problem(404, "job-not-found", server.get(job(topic, "a")));
        problem(404, "job-not-found", server.get(job(topic, "b")));
        assertEquals(List.of(), server.get(jobs(topic)).jobs().stream().toList());
    }

    private static TestServer.Reply put(String topic, String settings) {
        return server.send("PUT", "/v1/topics/" + topic, settings);
    }

    private static JsonObject settings(String topic) {
        return server.get("/v1/topics/" + topic).json().getJsonObject("settings");
    }
}
