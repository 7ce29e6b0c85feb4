package io.delayq.path;

import static io.delayq.path.Wire.job;
import static io.delayq.path.Wire.jobs;
import static io.delayq.path.Wire.pointers;
import static io.delayq.path.Wire.problem;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every bad input gets its clear problem, and after each of these tests the store is as it was. */
class BadInputTest {
    private static final long TEN_YEARS = 3_650L * 24 * 3_600_000;

    private static TestServer server;
    private static JsonObject held;
    private static Map<String, String> before;

    @BeforeAll
    static void start() {
        server = TestServer.start();
        server.push("t", "{\"id\":\"held\",\"ttr\":\"1h\"}");
        held = server.reserve("t", 1, "5s").job(0);
        server.push("t", "{\"id\":\"a\",\"delay\":\"1h\"}");
        before = Wire.stored(server);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void nothing_is_stored() {
        Map<String, String> was = before;
        before = Wire.stored(server);
        assertEquals(was, before);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                // not JSON
                "              | ``",
                "{             | ``",
                "nonsense      | ``",
                "{}x           | ``",
                "{} {}         | ``",
                "{'id':'a'}    | ``",
                "{\"id\":\"b\",} | ``",
                "{/* c */}     | ``",
                "{\"id\":1 // c | ``",
                "{\"delay\":01} | ``",
                "{\"delay\":NaN} | ``",
                "{\"delay\":+1} | ``",
                "{\"body\":\"\t\"} | ``",
                // not an object
                "[]            | ``",
                "null          | ``",
                "7             | ``",
                "\"{}\"        | ``",
                // fields
                "{\"dealy\":1} | /dealy",
                "{\"Delay\":1} | /Delay",
                "{\"topic\":\"t\"} | /topic",
                "{\"a/b~c\":1} | /a~1b~0c",
                "{\"id\":\"b\",\"id\":\"b\"} | /id",
                "{\"body\":{\"x\":1,\"x\":2}} | /body/x",
                "{\"delay\":1,\"at\":1} | /at",
                "{\"delay\":null} | /delay",
                "{\"priority\":\"urgent\"} | /priority",
                "{\"priority\":1} | /priority",
                "{\"group\":\"\"} | /group",
                "{\"group\":7} | /group",
                // durations and times
                "{\"delay\":18446744073709551621} | /delay",
                "{\"delay\":1.5} | /delay",
                "{\"delay\":1e3} | /delay",
                "{\"delay\":1000.0} | /delay",
                "{\"delay\":-1} | /delay",
                "{\"delay\":\"5\"} | /delay",
                "{\"delay\":\"\"} | /delay",
                "{\"delay\":\"-5s\"} | /delay",
                "{\"delay\":\"1.5h\"} | /delay",
                "{\"delay\":\"5 s\"} | /delay",
                "{\"delay\":\"5x\"} | /delay",
                "{\"delay\":\"3651d\"} | /delay",
                "{\"delay\":\"99999999999999999999d\"} | /delay",
                "{\"delay\":315360000001} | /delay",
                "{\"delay\":true} | /delay",
                "{\"delay\":[1]} | /delay",
                "{\"at\":18446744073709551621} | /at",
                "{\"at\":1.5} | /at",
                "{\"at\":1e12} | /at",
                "{\"at\":\"tomorrow\"} | /at",
                "{\"at\":\"2030-02-30T00:00:00Z\"} | /at",
                "{\"at\":\"2030-01-31\"} | /at",
                "{\"at\":\"9999-01-31T00:00:00Z\"} | /at",
                "{\"ttr\":99} | /ttr",
                "{\"ttr\":\"0s\"} | /ttr",
                "{\"ttr\":\"24h1ms\"} | /ttr",
                "{\"ttl\":\"999ms\"} | /ttl",
                "{\"ttl\":\"3651d\"} | /ttl",
                // retry
                "{\"retry\":5} | /retry",
                "{\"retry\":{\"attempts\":5}} | /retry/attempts",
                "{\"retry\":{\"maxAttempts\":1001}} | /retry/maxAttempts",
                "{\"retry\":{\"maxAttempts\":-1}} | /retry/maxAttempts",
                "{\"retry\":{\"maxAttempts\":1.0}} | /retry/maxAttempts",
                "{\"retry\":{\"maxAttempts\":\"5\"}} | /retry/maxAttempts",
                "{\"retry\":{\"backoff\":\"5s\"}} | /retry/backoff",
                "{\"retry\":{\"backoff\":[]}} | /retry/backoff",
                "{\"retry\":{\"backoff\":[\"5s\",\"31d\",null]}} | /retry/backoff/1 /retry/backoff/2",
                "{\"retry\":{\"backoff\":{\"base\":\"25h\"}}} | /retry/backoff/base",
                "{\"retry\":{\"backoff\":{\"max\":\"31d\"}}} | /retry/backoff/max",
                "{\"retry\":{\"backoff\":{\"factor\":0.9}}} | /retry/backoff/factor",
                "{\"retry\":{\"backoff\":{\"factor\":10.1}}} | /retry/backoff/factor",
                "{\"retry\":{\"backoff\":{\"jitter\":1.1}}} | /retry/backoff/jitter",
                "{\"retry\":{\"backoff\":{\"jitter\":-0.1}}} | /retry/backoff/jitter",
                // callback
                "{\"callback\":\"http://a.example/\"} | /callback",
                "{\"callback\":{}} | /callback/url",
                "{\"callback\":{\"url\":\"ftp://a.example/\"}} | /callback/url",
                "{\"callback\":{\"url\":\"/relative\"}} | /callback/url",
                "{\"callback\":{\"url\":\"http://\"}} | /callback/url",
                "{\"callback\":{\"url\":\"http://u:p@a.example/\"}} | /callback/url",
                "{\"callback\":{\"url\":\"http://a.example/\",\"method\":\"DELETE\"}} | /callback/method",
                "{\"callback\":{\"url\":\"http://a.example/\",\"headers\":{\"Host\":\"x\"}}} | /callback/headers/Host",
                "{\"callback\":{\"url\":\"http://a.example/\",\"headers\":{\"webhook-id\":\"x\"}}} | /callback/headers/webhook-id",
                "{\"callback\":{\"url\":\"http://a.example/\",\"headers\":{\"DelayQ-x\":\"x\"}}} | /callback/headers/DelayQ-x",
                "{\"callback\":{\"url\":\"http://a.example/\",\"headers\":{\"a b\":\"x\"}}} | /callback/headers/a b",
                "{\"callback\":{\"url\":\"http://a.example/\",\"headers\":{\"A\":\"x\\r\\ny\"}}} | /callback/headers/A",
                // all at once
                "{\"id\":\"\",\"delay\":-1,\"ttr\":1,\"x\":1,\"retry\":{\"maxAttempts\":-1},\"callback\":{\"url\":1}} | /id /delay /ttr /x /retry/maxAttempts /callback/url",
            })
    void a_bad_push_answers_400_with_all_its_faults(String json, String expected) {
        String text = json == null ? "" : json;
        Set<String> pointers = Set.of(expected.isEmpty() ? new String[] {""} : expected.split(" (?=/)"));
        for (TestServer.Reply reply :
                List.of(server.post(jobs("t"), text), server.send("PUT", job("t", "fresh"), text))) {
            assertEquals(pointers, Set.copyOf(pointers(problem(400, "invalid-request", reply))), reply.text());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"\"",
                "\".\"",
                "\"..\"",
                "7",
                "null",
                "[\"a\"]",
                "\"\\n\"",
                "\"a\\u0000b\"",
                "\"\\u007f\"",
                "\"\\u0085\"",
                "\"\\ud800\""
            })
    void an_id_that_is_none_answers_400(String id) {
        JsonObject problem = problem(400, "invalid-request", server.post(jobs("t"), "{\"id\":" + id + "}"));
        assertEquals(List.of("/id"), pointers(problem));
    }

    @Test
    void names_that_are_too_long_answer_400() {
        for (String id : List.of("i".repeat(257), "é".repeat(129), "😀".repeat(65))) {
            JsonObject push = new JsonObject().put("id", id).put("group", id);
            JsonObject problem = problem(400, "invalid-request", server.post(jobs("t"), push.encode()));
            assertEquals(Set.of("/id", "/group"), Set.copyOf(pointers(problem)));
            problem(400, "invalid-request", server.send("PUT", job("t", id), "{}"));
        }
        problem(400, "invalid-request", server.post(jobs("x".repeat(129)), "{}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a%7Bb",
                "a{b",
                "..",
                "%2E%2E",
                ".",
                "",
                "%2F",
                "a%2Fb",
                "-a",
                "_a",
                ":a",
                "a%20b",
                "a%00",
                "a%0A",
                "a*",
                "%C3%A9",
                "%F0%9F%98%80",
                "a%",
                "a%2",
                "a%zz",
                "%FF",
                "%C0%AF",
                "%ED%A0%80"
            })
    void a_topic_that_is_none_answers_400(String topic) {
        String path = "/v1/topics/" + topic;
        for (String request : List.of(
                RawHttp.request("POST", path + "/jobs", "{}"),
                RawHttp.request("PUT", path + "/jobs/a", "{}"),
                RawHttp.request("POST", path + "/reserve", "{}"))) {
            RawHttp.Answer answer = RawHttp.once(server.port(), request);
            pointers(problem(400, "invalid-request", answer));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "..",
                ".",
                "%2E",
                "%2e%2E",
                "",
                "%00",
                "a%0Ab",
                "%7F",
                "%C2%85",
                "%",
                "%2",
                "%zz",
                "%FF",
                "%C0%AF",
                "%ED%A0%80",
                "%F0%9F%98"
            })
    void an_id_in_a_path_that_is_none_answers_400(String id) {
        String path = "/v1/topics/t/jobs/" + id;
        for (String request : List.of(
                RawHttp.request("PUT", path, "{}"),
                RawHttp.request("GET", path, null),
                RawHttp.request("DELETE", path, null),
                RawHttp.request("PATCH", path, "{\"delay\":0}"),
                RawHttp.request("POST", path + "/ack", "{\"lease\":\"x\"}"))) {
            assertEquals(
                    1,
                    pointers(problem(400, "invalid-request", RawHttp.once(server.port(), request)))
                            .size());
        }
    }

    @Test
    void faults_of_the_path_and_of_the_body_come_together() {
        JsonObject problem =
                problem(400, "invalid-request", server.send("PUT", "/v1/topics/-t/jobs/%0A", "{\"ttr\":1}"));
        assertEquals(Set.of("/topic", "/id", "/ttr"), Set.copyOf(pointers(problem)));
        problem = problem(400, "invalid-request", server.post("/v1/topics/-t/jobs", "{\"ttr\":1}"));
        assertEquals(Set.of("/topic", "/ttr"), Set.copyOf(pointers(problem)));
        problem = problem(400, "invalid-request", server.post("/v1/topics/-t/jobs/a/nack", "{\"delay\":-1}"));
        assertEquals(Set.of("/topic", "/delay", "/lease"), Set.copyOf(pointers(problem)));
        problem = problem(400, "invalid-request", server.post("/v1/topics/-t/reserve", "{\"max\":0}"));
        assertEquals(Set.of("/topic", "/max"), Set.copyOf(pointers(problem)));
    }

    @Test
    void put_with_another_id_inside_answers_400() {
        JsonObject problem = problem(400, "invalid-request", server.send("PUT", job("t", "b"), "{\"id\":\"c\"}"));
        assertEquals(List.of("/id"), pointers(problem));
    }

    @ParameterizedTest
    @MethodSource("malformedUtf8")
    void malformed_utf_8_answers_400(byte[] bytes) {
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        json.writeBytes("{\"body\":\"".getBytes(StandardCharsets.UTF_8));
        json.writeBytes(bytes);
        json.writeBytes("\"}".getBytes(StandardCharsets.UTF_8));
        String head =
                "POST /v1/topics/t/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + json.size() + "\r\n\r\n";
        try (RawHttp http = new RawHttp(server.port())) {
            problem(
                    400,
                    "invalid-request",
                    http.send(head).send(json.toByteArray()).read());
        }
    }

    static Stream<byte[]> malformedUtf8() {
        return Stream.of(
                new byte[] {(byte) 0xff},
                new byte[] {(byte) 0xc3, '('},
                new byte[] {(byte) 0xc0, (byte) 0xaf},
                new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80},
                new byte[] {(byte) 0xf4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
                new byte[] {(byte) 0xe2, (byte) 0x82});
    }

    @Test
    void a_depth_of_more_than_100_answers_400() {
        for (int depth : List.of(100, 2_000, 100_000)) {
            String json = "{\"body\":" + "[".repeat(depth) + "]".repeat(depth) + "}";
            assertEquals(List.of(""), pointers(problem(400, "invalid-request", server.post(jobs("t"), json))));
        }
    }

    @Test
    void a_body_of_more_than_256_kib_answers_413() {
        for (int over : List.of(1, 44 << 10)) {
            String json = "{\"body\":\"" + "x".repeat((256 << 10) - 2 + over) + "\"}";
            assertEquals(List.of("/body"), pointers(problem(413, "too-large", server.post(jobs("t"), json))));
        }
    }

    @Test
    void a_request_of_more_than_1_mib_answers_413() {
        String json = "{\"delay\":\"1h\"}" + " ".repeat(1 << 20);
        problem(413, "too-large", server.post(jobs("t"), json));
        problem(413, "too-large", server.send("PUT", job("t", "b"), json));
        problem(413, "too-large", server.post("/v1/topics/t/reserve", json));
    }

    @Test
    void a_callback_with_a_long_address_or_many_headers_answers_400() {
        JsonObject headers = new JsonObject();
        IntStream.rangeClosed(0, 20).forEach(i -> headers.put("X-" + i, "x"));
        JsonObject callback = new JsonObject()
                .put("url", "http://a.example/" + "x".repeat(2_048))
                .put("headers", headers);
        JsonObject problem = problem(
                400,
                "invalid-request",
                server.post(
                        jobs("t"), new JsonObject().put("callback", callback).encode()));
        assertEquals(Set.of("/callback/url", "/callback/headers"), Set.copyOf(pointers(problem)));
        callback = new JsonObject()
                .put("url", "http://a.example/")
                .put("headers", new JsonObject().put("X", "x".repeat(4_096)));
        problem(
                400,
                "invalid-request",
                server.post(
                        jobs("t"), new JsonObject().put("callback", callback).encode()));
    }

    @Test
    void a_time_more_than_ten_years_ahead_answers_400() {
        long far = System.currentTimeMillis() + TEN_YEARS + 60_000;
        problem(400, "invalid-request", server.post(jobs("t"), "{\"at\":" + far + "}"));
        problem(400, "invalid-request", server.send("PATCH", job("t", "a"), "{\"at\":" + far + "}"));
    }

    @ParameterizedTest
    @MethodSource
    void a_bad_request_about_a_job_answers_400(String method, String path, String json, Set<String> expected) {
        TestServer.Reply reply = server.send(method, "/v1/topics/t/" + path, json);
        assertEquals(expected, Set.copyOf(pointers(problem(400, "invalid-request", reply))), reply.text());
    }

    static Stream<Arguments> a_bad_request_about_a_job_answers_400() {
        String lease = "{\"lease\":\"" + held.getString("lease") + "\"";
        return Stream.of(
                Arguments.of("PATCH", "jobs/a", "", Set.of("")),
                Arguments.of("PATCH", "jobs/a", "{}", Set.of("/at")),
                Arguments.of("PATCH", "jobs/a", "{\"delay\":1,\"at\":1}", Set.of("/at")),
                Arguments.of("PATCH", "jobs/a", "{\"delay\":-1,\"ttr\":1}", Set.of("/delay", "/ttr")),
                Arguments.of("POST", "jobs/held/ack", "", Set.of("")),
                Arguments.of("POST", "jobs/held/ack", "{}", Set.of("/lease")),
                Arguments.of("POST", "jobs/held/ack", "{\"lease\":7}", Set.of("/lease")),
                Arguments.of("POST", "jobs/held/ack", lease + ",\"id\":\"held\"}", Set.of("/id")),
                Arguments.of("POST", "jobs/held/ack", lease + "}}", Set.of("")),
                Arguments.of("POST", "jobs/held/nack", lease + ",\"delay\":\"3651d\"}", Set.of("/delay")),
                Arguments.of(
                        "POST", "jobs/held/nack", lease + ",\"delay\":1.0,\"error\":1}", Set.of("/delay", "/error")),
                Arguments.of(
                        "POST",
                        "jobs/held/nack",
                        lease + ",\"error\":\"" + "é".repeat(2_049) + "\"}",
                        Set.of("/error")),
                Arguments.of("POST", "jobs/held/extend", lease + ",\"ttr\":99}", Set.of("/ttr")),
                Arguments.of("POST", "jobs/held/extend", lease + ",\"ttr\":\"25h\"}", Set.of("/ttr")),
                Arguments.of("POST", "acks", "", Set.of("")),
                Arguments.of("POST", "acks", "{}", Set.of("/jobs")),
                Arguments.of("POST", "acks", "{\"jobs\":[]}", Set.of("/jobs")),
                Arguments.of("POST", "acks", "{\"jobs\":{}}", Set.of("/jobs")),
                Arguments.of(
                        "POST",
                        "acks",
                        "{\"jobs\":[{},{\"id\":\"\",\"lease\":\"x\"}]}",
                        Set.of("/jobs/0/id", "/jobs/0/lease", "/jobs/1/id")),
                Arguments.of("POST", "acks", acks(1_001), Set.of("/jobs")),
                Arguments.of("POST", "reserve", "{\"max\":0}", Set.of("/max")),
                Arguments.of("POST", "reserve", "{\"max\":1001,\"wait\":\"61s\"}", Set.of("/max", "/wait")),
                Arguments.of("POST", "reserve", "{\"max\":\"5\",\"wait\":-1,\"x\":1}", Set.of("/max", "/wait", "/x")),
                Arguments.of("POST", "reserve", "{\"max\":1.0}", Set.of("/max")),
                Arguments.of("POST", "reserve", " ", Set.of("")),
                Arguments.of("POST", "reserve", "[]", Set.of("")));
    }

    private static String acks(int count) {
        JsonArray jobs = new JsonArray();
        IntStream.range(0, count)
                .forEach(i -> jobs.add(new JsonObject().put("id", "held").put("lease", held.getString("lease"))));
        return new JsonObject().put("jobs", jobs).encode();
    }

    @Test
    void a_bad_bulk_stores_nothing_and_an_oversized_job_fails_alone() {
        JsonObject reply = server.post(
                        "/v1/jobs",
                        "[{\"topic\":\"t\",\"body\":\"" + "x".repeat(300 << 10)
                                + "\"},{\"topic\":\"..\"},{\"topic\":\"t\",\"id\":\"a\"}]")
                .json();
        List<Integer> statuses = reply.getJsonArray("results").stream()
                .map(row -> ((JsonObject) row).getInteger("status"))
                .toList();
        assertEquals(List.of(413, 400, 409), statuses);
        problem(400, "invalid-request", server.post("/v1/jobs", "[{\"topic\":\"t\"},{\"topic\":\"t\",\"id\":\"b\"}"));
        problem(
                400,
                "invalid-request",
                server.post("/v1/jobs", "[{\"topic\":\"t\"}," + "[".repeat(2_000) + "]".repeat(2_000) + "]"));
    }

    @Test
    void a_problem_never_quotes_more_than_a_little_of_the_input() {
        String secret = "s3cret".repeat(5_000);
        TestServer.Reply reply = server.post(
                jobs("t"),
                new JsonObject()
                        .put("delay", secret)
                        .put("priority", secret)
                        .put(secret, 1)
                        .encode());
        problem(400, "invalid-request", reply);
        assertTrue(reply.text().length() < 2_000, "length " + reply.text().length());
    }
}
