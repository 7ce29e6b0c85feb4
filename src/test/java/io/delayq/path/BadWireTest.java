package io.delayq.path;

import static io.delayq.path.RawHttp.request;
import static io.delayq.path.Wire.problem;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayq.config.Settings;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What HTTP itself can get wrong, sent by hand; after each of these tests the store is as it was. */
class BadWireTest {
    private static final String JOBS = "/v1/topics/t/jobs";
    private static final String BAD_PUSH = "{\"ttr\":0}";
    private static final int DEADLINE_MILLIS = 600;
    private static final int CONNECTIONS = 40;

    private static final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private static TestServer server;
    private static Map<String, String> before;

    @BeforeAll
    static void start() {
        server = Wire.server(
                http -> new Settings.Http(http.host(), 0, CONNECTIONS, DEADLINE_MILLIS, DEADLINE_MILLIS),
                TestRedis.shared().url());
        before = Wire.stored(server);
        logged.start();
        ((Logger) LoggerFactory.getLogger("io.delayq.http")).addAppender(logged);
    }

    @AfterAll
    static void stop() {
        ((Logger) LoggerFactory.getLogger("io.delayq.http")).detachAppender(logged);
        server.close();
    }

    @AfterEach
    void nothing_is_stored_and_no_defect_logged() {
        Map<String, String> was = before;
        before = Wire.stored(server);
        assertEquals(was, before);
        List<String> said =
                logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
        logged.list.clear();
        assertEquals(List.of(), said);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PUT | /v1/topics/t/jobs | DELETE, GET, POST",
                "PATCH | /v1/topics/t/jobs | DELETE, GET, POST",
                "POST | /v1/topics/t/jobs/a | DELETE, GET, PATCH, PUT",
                "GET | /v1/jobs | POST",
                "GET | /v1/topics/t/reserve | POST",
                "PUT | /v1/topics/t/acks | POST",
                "GET | /v1/topics/t/jobs/a/ack | POST",
                "DELETE | /v1/topics | GET",
                "POST | /health/live | GET",
                "OPTIONS | /health/ready | GET",
                "TRACE | /metrics | GET",
                "BREW | /metrics | GET",
                "PRI | /v1/jobs | POST"
            })
    void a_wrong_method_answers_405_with_the_right_ones(String method, String path, String allow) {
        RawHttp.Answer answer = RawHttp.once(server.port(), request(method, path, null));
        problem(405, "method-not-allowed", answer);
        assertEquals(allow, answer.header("Allow"));
    }

    @Test
    void a_head_request_answers_without_a_body_and_leaves_the_connection_usable() {
        try (RawHttp http = new RawHttp(server.port())) {
            assertEquals(
                    405,
                    http.send(request("HEAD", "/health/live", null)).read(true).status());
            assertEquals(
                    200, http.send(request("GET", "/health/live", null)).read().status());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v2",
                "/favicon.ico",
                "/v1",
                "/v1/topic",
                "/V1/topics",
                "/v1/topics/t/jobs/a/b/c",
                "/v1/topics/t/jobs/a/eat",
                "/v1/topics/t/jobs%2Fa",
                "/v1%2Ftopics",
                "/health",
                "/metrics/x",
                "*",
                "http://localhost/nowhere"
            })
    void an_unknown_path_answers_404(String path) {
        problem(404, "not-found", RawHttp.once(server.port(), request("GET", path, null)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"//", "/v1/", "/v1/topics/", "/v1//topics", "/./v1/topics", "/v1/topics/../topics", "/%2e%2e/x"})
    void an_untidy_path_is_not_tidied_but_refused(String path) {
        int status = RawHttp.once(server.port(), request("GET", path, null)).status();
        assertTrue(status == 400 || status == 404, "status " + status);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/x-www-form-urlencoded",
                "application/jsonx",
                "application/x-ndjson",
                "application/problem+json",
                "json",
                ";"
            })
    void a_body_of_another_type_answers_415(String type) {
        problem(
                415,
                "unsupported-media-type",
                RawHttp.once(server.port(), request("POST", JOBS, "{}", "Content-Type: " + type)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X: y",
                "Content-Type: application/json",
                "Content-Type: APPLICATION/JSON;charset=utf-8",
                "Content-Type: application/json ; charset=utf-8"
            })
    void json_and_no_type_at_all_are_taken(String header) {
        problem(400, "invalid-request", RawHttp.once(server.port(), request("POST", JOBS, BAD_PUSH, header)));
    }

    @Test
    void the_type_of_an_empty_body_does_not_matter() {
        RawHttp.Answer answer = RawHttp.once(
                server.port(),
                request("POST", "/v1/topics/t/reserve", "", "Content-Type: application/x-www-form-urlencoded"));
        assertEquals("{\"jobs\":[]}", answer.text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "identity", "br, gzip"})
    void an_encoded_body_answers_415(String encoding) {
        problem(
                415,
                "unsupported-media-type",
                RawHttp.once(server.port(), request("POST", JOBS, "{}", "Content-Encoding: " + encoding)));
    }

    @Test
    void headers_over_8_kib_answer_431() {
        String[] many = new String[90];
        for (int i = 0; i < many.length; i++) {
            many[i] = "X-" + i + ": " + "x".repeat(100);
        }
        problem(431, "headers-too-large", RawHttp.once(server.port(), request("POST", JOBS, "{}", many)));
        String one = "X: " + "x".repeat(9_000);
        try (RawHttp http = new RawHttp(server.port())) {
            problem(
                    431,
                    "headers-too-large",
                    http.send(request("GET", JOBS, null, one)).read());
            assertTrue(http.ends());
        }
        String fits = "X: " + "x".repeat(7_900);
        assertEquals(
                200,
                RawHttp.once(server.port(), request("GET", "/health/live", null, fits))
                        .status());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense\r\n\r\n",
                "GET /health/live HTTP/1.1\r\nHost: localhost\r\nno colon here\r\n\r\n",
                "GET /health/live HTTP/1.1\r\nHost: localhost\r\nA b: c\r\n\r\n",
                "POST /v1/topics/t/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n{}",
                "POST /v1/topics/t/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2x\r\n\r\n{}",
                "POST /v1/topics/t/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"
            })
    void what_is_no_http_answers_400_and_ends_the_connection(String text) {
        try (RawHttp http = new RawHttp(server.port())) {
            problem(400, "invalid-request", http.send(text).read());
            assertTrue(http.ends());
        }
    }

    @Test
    void a_request_line_over_4_kib_answers_400() {
        problem(
                400,
                "invalid-request",
                RawHttp.once(server.port(), request("GET", "/v1/topics?prefix=" + "x".repeat(4_096), null)));
    }

    @Test
    void a_length_over_the_limit_answers_413_before_the_body_is_sent() {
        String head = "POST " + JOBS + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: ";
        for (String length : List.of("1048577", "9223372036854775807", "99999999999999999999")) {
            RawHttp.Answer answer = RawHttp.once(server.port(), head + length + "\r\n\r\n");
            assertTrue(answer.status() == 413 || length.length() > 19 && answer.status() == 400, answer.text());
        }
        String many = "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16777217\r\n\r\n";
        problem(413, "too-large", RawHttp.once(server.port(), many));
    }

    @Test
    void a_client_that_sends_an_oversized_body_whole_still_gets_its_413() {
        for (int i = 0; i < 5; i++) {
            problem(413, "too-large", server.post(JOBS, "x".repeat(4 << 20)));
            problem(413, "too-large", server.post("/v1/jobs", "x".repeat(24 << 20)));
        }
    }

    @Test
    void a_client_that_goes_on_sending_after_its_413_is_not_reset() {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("POST " + JOBS + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4194304\r\n\r\n");
            problem(413, "too-large", http.send("x".repeat(1 << 20)).read());
            for (int i = 0; i < 48; i++) {
                http.send("x".repeat(1 << 16));
            }
            assertTrue(http.ends());
        }
    }

    @Test
    void chunks_over_the_limit_answer_413() {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("POST " + JOBS + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
            String chunk = "40000\r\n" + "x".repeat(0x40000) + "\r\n";
            for (int i = 0; i < 4; i++) {
                http.send(chunk);
            }
            http.send("1\r\nx\r\n");
            problem(413, "too-large", http.read());
        }
    }

    @Test
    void chunks_are_put_together() {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("POST " + JOBS + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
            http.send("5\r\n{\"ttr\r\n").send("4\r\n\":0}\r\n").send("0\r\n\r\n");
            assertEquals(List.of("/ttr"), Wire.pointers(problem(400, "invalid-request", http.read())));
            assertEquals(
                    200, http.send(request("GET", "/health/live", null)).read().status());
        }
    }

    @Test
    void broken_chunks_end_the_connection() {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("POST " + JOBS + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}");
            assertTrue(http.ends());
        }
    }

    @Test
    void expect_100_continue_works() {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("POST " + JOBS
                    + " HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
            assertEquals(100, http.read().status());
            problem(400, "invalid-request", http.send(BAD_PUSH).read());
        }
    }

    @Test
    void a_body_that_stalls_answers_408_and_the_connection_ends() {
        String head = "POST " + JOBS + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n";
        try (RawHttp begun = new RawHttp(server.port());
                RawHttp waited = new RawHttp(server.port())) {
            begun.send(head + "{\"id\":");
            waited.send(head);
            for (RawHttp http : List.of(begun, waited)) {
                problem(408, "request-timeout", http.read());
                assertTrue(http.ends());
            }
        }
    }

    @Test
    void a_client_that_leaves_within_its_body_is_no_defect() {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("POST " + JOBS + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"id\":");
            // answered by the same event loop or another; either way the half request has been read before it is closed
            assertEquals(200, server.get("/health/live").status());
        }
        for (int i = 0; i < 20; i++) {
            assertEquals(200, server.get("/health/live").status());
        }
    }

    @Test
    void a_connection_that_sends_no_headers_or_only_slowly_is_closed() {
        long begin = System.nanoTime();
        try (RawHttp silent = new RawHttp(server.port());
                RawHttp slow = new RawHttp(server.port())) {
            slow.send("GET /health/live HT");
            assertTrue(silent.ends());
            assertTrue(slow.ends());
        }
        long took = (System.nanoTime() - begin) / 1_000_000;
        assertTrue(took >= DEADLINE_MILLIS - 50 && took < 5 * DEADLINE_MILLIS, "took " + took + " ms");
    }

    @Test
    void a_kept_connection_is_closed_when_idle_even_if_headers_trickle_in() {
        try (RawHttp http = new RawHttp(server.port())) {
            assertEquals(
                    200, http.send(request("GET", "/health/live", null)).read().status());
            long begin = System.nanoTime();
            String head = "GET /health/live HTTP/1.1\r\n" + "X: y\r\n".repeat(1_000);
            int[] at = {0};
            TestRedis.await("the connection closed", () -> {
                try {
                    http.send(head.substring(at[0], ++at[0]));
                    return false;
                } catch (UncheckedIOException e) {
                    return true;
                }
            });
            long took = (System.nanoTime() - begin) / 1_000_000;
            assertTrue(took < 5 * DEADLINE_MILLIS, "took " + took + " ms");
        }
    }

    @Test
    void a_long_poll_outlives_the_idle_time() {
        try (RawHttp http = new RawHttp(server.port())) {
            int wait = 3 * DEADLINE_MILLIS;
            http.send(request("POST", "/v1/topics/t/reserve", "{\"wait\":" + wait + "}"));
            assertEquals("{\"jobs\":[]}", http.read().text());
            assertEquals(
                    200, http.send(request("GET", "/health/live", null)).read().status());
        }
    }

    @Test
    void connections_over_the_limit_are_closed_and_there_is_room_again_when_others_end() {
        List<RawHttp> open = new ArrayList<>();
        try {
            int refused = 0;
            for (int i = 0; i < 2 * CONNECTIONS; i++) {
                RawHttp http = new RawHttp(server.port());
                open.add(http);
                refused += answers(http) ? 0 : 1;
            }
            assertTrue(refused >= CONNECTIONS && refused < 2 * CONNECTIONS, refused + " refused");
        } finally {
            open.forEach(RawHttp::close);
        }
        TestRedis.await("room again", () -> {
            try (RawHttp http = new RawHttp(server.port())) {
                return answers(http);
            }
        });
    }

    private static boolean answers(RawHttp http) {
        try {
            return http.send(request("GET", "/health/live", null)).read().status() == 200;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    @Test
    void kept_and_pipelined_requests_are_answered_in_order() {
        try (RawHttp http = new RawHttp(server.port())) {
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < 20; i++) {
                all.append(request("GET", "/v1/topics/none" + i, null)).append(request("POST", JOBS, BAD_PUSH));
            }
            http.send(all.toString());
            for (int i = 0; i < 20; i++) {
                JsonObject problem = problem(404, "topic-not-found", http.read());
                assertTrue(problem.getString("detail").contains("none" + i + ";"), problem.encode());
                problem(400, "invalid-request", http.read());
            }
        }
    }

    @Test
    void http_2_is_not_taken_up() {
        RawHttp.Answer answer = RawHttp.once(
                server.port(),
                request(
                        "GET",
                        "/health/live",
                        null,
                        "Connection: Upgrade, HTTP2-Settings",
                        "Upgrade: h2c",
                        "HTTP2-Settings: AAMAAABkAAQAAP__"));
        assertEquals(200, answer.status());
        assertNull(answer.header("Upgrade"));
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
            int status = http.read().status();
            assertTrue(status >= 400 && status < 600, "status " + status);
            assertFalse(status == 500);
        }
    }
}
