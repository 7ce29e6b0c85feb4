package io.delayq.path;

import static io.delayq.path.RawHttp.request;
import static io.delayq.path.Wire.problem;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.fault.LogLines;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The dashboard's login: what opens it, what it opens, and what keeps foreign pages from using it. */
class LoginPathTest {
    private static final String PASSWORD = "p4ssw0rd-of-";
    private static final List<Settings.User> USERS = List.of(
            Wire.user("vera", PASSWORD + "vera", false),
            Wire.user("adam", PASSWORD + "adam", true),
            Wire.user("locked", PASSWORD + "locked", true));

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start(LoginPathTest::settings);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Settings settings(Settings set) {
        return Wire.with(set, set.http(), List.of(Wire.token("secret", 0, "admin")), USERS);
    }

    @Test
    void a_right_password_opens_a_session_whose_cookie_only_our_own_pages_can_use() {
        TestServer.Reply reply = logIn("vera", PASSWORD + "vera");
        assertEquals("{\"user\":\"vera\",\"role\":\"viewer\"}", reply.text());
        String cookie = reply.response().headers().firstValue("Set-Cookie").orElseThrow();
        assertTrue(cookie.matches("delayq-session=[^;]+; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict"), cookie);
        assertFalse(cookie.contains(PASSWORD));
        assertEquals("admin", logIn("adam", PASSWORD + "adam").json().getString("role"));
    }

    @Test
    void behind_a_proxy_with_tls_the_cookie_is_for_tls_only() {
        String body = "{\"user\":\"vera\",\"password\":\"" + PASSWORD + "vera\"}";
        RawHttp.Answer answer = send(request(
                "POST",
                "/v1/login",
                body,
                "Host: queue.example",
                "Origin: https://queue.example",
                "X-Forwarded-Proto: https"));
        assertEquals(200, answer.status(), answer.text());
        assertTrue(answer.header("Set-Cookie").endsWith("; Secure"));
    }

    @Test
    void a_wrong_password_and_an_unknown_user_are_answered_alike() {
        JsonObject wrong = problem(401, "unauthorized", logIn("vera", "guess"));
        JsonObject unknown = problem(401, "unauthorized", logIn("nobody", PASSWORD + "vera"));
        assertEquals(wrong, unknown);
        assertTrue(logIn("vera", "guess")
                .response()
                .headers()
                .firstValue("Set-Cookie")
                .isEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"user\":\"vera\"}",
                "{\"user\":\"vera\",\"password\":12345}",
                "{\"user\":\"vera\",\"password\":\"\"}",
                "{\"user\":\"vera\",\"password\":\"x\",\"remember\":true}",
                "[]",
                "nonsense"
            })
    void a_request_that_is_none_answers_400_and_quotes_nothing(String body) {
        String text =
                problem(400, "invalid-request", server.post("/v1/login", body)).encode();
        assertFalse(text.contains("12345"), text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"locked", "stranger"})
    void too_many_wrong_ones_have_to_wait_whether_the_user_exists_or_not(String user) {
        for (int i = 0; i < 5; i++) {
            problem(401, "unauthorized", logIn(user, "guess"));
        }
        TestServer.Reply reply = logIn(user, PASSWORD + user);
        problem(429, "rate-limited", reply);
        int seconds = Integer.parseInt(
                reply.response().headers().firstValue("Retry-After").orElseThrow());
        assertTrue(seconds > 0 && seconds <= 30, "Retry-After " + seconds);
        assertEquals(200, logIn("vera", PASSWORD + "vera").status());
    }

    @Test
    void the_session_tells_who_it_is() {
        assertEquals(
                "{\"login\":true,\"user\":null,\"role\":null}",
                server.get("/v1/session").text());
        String cookie = Wire.logIn(server, "vera", PASSWORD + "vera");
        assertEquals(
                "{\"login\":true,\"user\":\"vera\",\"role\":\"viewer\"}",
                send(request("GET", "/v1/session", null, cookie)).text());
        assertEquals(
                "{\"login\":true,\"user\":null,\"role\":null}",
                send(request("GET", "/v1/session", null, cookie + "x")).text());
    }

    @Test
    void without_tokens_no_login_is_needed() {
        try (TestServer open = TestServer.start()) {
            assertEquals(
                    "{\"login\":false,\"user\":null,\"role\":\"admin\"}",
                    open.get("/v1/session").text());
            problem(401, "unauthorized", open.post("/v1/login", "{\"user\":\"vera\",\"password\":\"x\"}"));
        }
    }

    @Test
    void logging_out_takes_the_cookie_away() {
        String cookie = Wire.logIn(server, "vera", PASSWORD + "vera");
        RawHttp.Answer answer = send(request("POST", "/v1/logout", "", cookie, "Sec-Fetch-Site: same-origin"));
        assertEquals(204, answer.status());
        assertEquals("delayq-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict", answer.header("Set-Cookie"));
        assertEquals(204, send(request("POST", "/v1/logout", "")).status());
    }

    @Test
    void a_session_holds_on_the_other_servers_and_after_a_restart() {
        String cookie = Wire.logIn(server, "adam", PASSWORD + "adam");
        try (TestServer other = TestServer.start(set -> server.settings)) {
            assertEquals(
                    200,
                    RawHttp.once(other.port(), request("GET", "/v1/topics", null, cookie))
                            .status());
        }
        Settings.User changed = Wire.user("adam", "another", true);
        Settings set = server.settings;
        try (TestServer other = TestServer.start(any -> Wire.with(set, set.http(), set.tokens(), List.of(changed)))) {
            problem(401, "unauthorized", RawHttp.once(other.port(), request("GET", "/v1/topics", null, cookie)));
        }
        try (TestServer stranger = TestServer.start(LoginPathTest::settings)) {
            problem(401, "unauthorized", RawHttp.once(stranger.port(), request("GET", "/v1/topics", null, cookie)));
        }
    }

    @Test
    void a_token_that_is_shown_counts_more_than_a_cookie() {
        String cookie = Wire.logIn(server, "vera", PASSWORD + "vera");
        String path = "/v1/topics/" + Wire.topic();
        assertEquals(
                200,
                send(request("PUT", path, "{}", cookie, "Authorization: Bearer secret"))
                        .status());
        problem(401, "unauthorized", send(request("GET", path, null, cookie, "Authorization: Bearer x")));
    }

    @Test
    void a_viewer_looks_and_changes_nothing() throws IOException {
        String cookie = Wire.logIn(server, "vera", PASSWORD + "vera");
        String own = "Origin: http://localhost";
        String topic = Wire.topic();
        String path = "/v1/topics/" + topic;
        admin("PUT", path, "{\"ttr\":\"5s\"}");
        assertTrue(send(request("GET", path, null, cookie)).text().contains("\"settings\":{\"ttr\":5000}"));
        assertEquals(200, send(request("GET", path + "/jobs", null, cookie)).status());
        problem(404, "job-not-found", send(request("GET", path + "/jobs/1", null, cookie)));
        problem(403, "forbidden", send(request("POST", path + "/jobs", "{}", cookie, own)));
        problem(403, "forbidden", send(request("POST", path + "/pause", "", cookie, own)));
        problem(403, "forbidden", send(request("POST", path + "/reserve", "", cookie, own)));
        try (RawSocket socket = new RawSocket(server, cookie, "Origin: http://127.0.0.1:" + server.port())) {
            assertTrue(socket.head.startsWith("HTTP/1.1 403"), socket.head);
        }
    }

    @Test
    void an_admin_does_everything_over_a_websocket_too() throws IOException {
        String cookie = Wire.logIn(server, "adam", PASSWORD + "adam");
        String own = "Origin: http://localhost";
        String path = "/v1/topics/" + Wire.topic();
        assertEquals(
                201, send(request("POST", path + "/jobs", "{}", cookie, own)).status());
        assertEquals(
                200, send(request("POST", path + "/reserve", "", cookie, own)).status());
        assertEquals(
                204, send(request("POST", path + "/pause", "", cookie, own)).status());
        try (RawSocket socket = new RawSocket(server, cookie, "Origin: http://127.0.0.1:" + server.port())) {
            assertTrue(socket.head.startsWith("HTTP/1.1 101"), socket.head);
            socket.text("{\"op\":\"push\",\"ref\":1,\"jobs\":[{\"topic\":\"t\",\"delay\":\"1h\"}]}");
            assertTrue(socket.read().data().contains("\"status\":201"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X: y",
                "Origin: http://evil.example",
                "Origin: https://localhost",
                "Origin: null",
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site",
                "Sec-Fetch-Site: none"
            })
    void a_cookie_without_an_origin_of_our_own_changes_nothing(String header) throws IOException {
        String cookie = Wire.logIn(server, "adam", PASSWORD + "adam");
        String path = "/v1/topics/" + Wire.topic();
        for (String method : List.of("PUT", "DELETE")) {
            problem(403, "forbidden", send(request(method, path, "{}", cookie, header)));
        }
        problem(403, "forbidden", send(request("POST", "/v1/jobs", "[]", cookie, header)));
        problem(403, "forbidden", send(request("POST", "/v1/logout", "", cookie, header)));
        try (RawSocket socket = new RawSocket(server, cookie, header)) {
            assertTrue(socket.head.startsWith("HTTP/1.1 403"), socket.head);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Origin: http://evil.example", "Origin: null", "Origin: https://127.0.0.1:PORT"})
    void a_websocket_of_a_foreign_page_is_refused_with_and_without_a_token(String header) throws IOException {
        String origin = header.replace("PORT", Integer.toString(server.port()));
        for (String more : List.of("X: y", "Authorization: Bearer secret")) {
            try (RawSocket socket = new RawSocket(server, origin, more)) {
                assertTrue(socket.head.startsWith("HTTP/1.1 403"), socket.head);
            }
        }
    }

    @Test
    void what_admins_do_is_in_the_audit_log_with_who_and_how_many_and_without_secrets() {
        String topic = Wire.topic();
        String path = "/v1/topics/" + topic;
        String cookie = Wire.logIn(server, "adam", PASSWORD + "adam");
        String own = "Origin: http://localhost";
        try (LogLines log = new LogLines("io.delayq.audit")) {
            for (int i = 0; i < 3; i++) {
                send(request("POST", path + "/jobs", "{\"group\":\"g\",\"body\":\"hidden\"}", cookie, own));
            }
            admin("PUT", path, "{\"webhook\":{\"secrets\":[\"whsec_c2VjcmV0LW9mLXRoZS13ZWJob29r\"]}}");
            send(request("POST", path + "/pause", "", cookie, own));
            send(request("POST", path + "/resume", "", cookie, own));
            send(request("POST", path + "/dead/requeue", "", cookie, own));
            send(request("GET", path + "/jobs", null, cookie));
            RawHttp.once(server.port(), request("GET", "/v1/export?topic=" + topic, null, cookie));
            send(request("DELETE", path + "/jobs?state=dead", null, cookie, own));
            send(request("DELETE", path + "/groups/g", null, cookie, own));
            admin("DELETE", path, null);
            admin("DELETE", path, null);
            logIn("adam", "guess-" + PASSWORD);
            logIn(PASSWORD + "typed-in-the-wrong-place", "x");
            logIn("adam", PASSWORD + "adam");
            List<String> lines = log.all().stream()
                    .map(line -> line.replaceAll("from=127.0.0.1:\\d+", "from=HERE"))
                    .toList();
            String adam = "user=adam from=HERE did=";
            String token = "token=secret-token from=HERE did=";
            assertEquals(
                    List.of(
                            token + "\"PUT /v1/topics/:topic\" topic=" + topic + " status=200",
                            adam + "\"POST /v1/topics/:topic/pause\" topic=" + topic + " status=204",
                            adam + "\"POST /v1/topics/:topic/resume\" topic=" + topic + " status=204",
                            adam + "\"POST /v1/topics/:topic/dead/requeue\" topic=" + topic + " requeued=0 status=200",
                            adam + "\"GET /v1/export\" topic=" + topic + " exported=3 status=200",
                            adam + "\"DELETE /v1/topics/:topic/jobs\" topic=" + topic
                                    + " state=dead deleted=0 status=200",
                            adam + "\"DELETE /v1/topics/:topic/groups/:group\" topic=" + topic
                                    + " deleted=3 status=200",
                            token + "\"DELETE /v1/topics/:topic\" topic=" + topic + " deleted=0 status=200",
                            token + "\"DELETE /v1/topics/:topic\" topic=" + topic + " status=404",
                            adam + "\"login\" status=401",
                            "user=? from=HERE did=\"login\" status=401",
                            adam + "\"login\" status=200"),
                    lines);
        }
    }

    @Test
    void a_topic_that_is_none_cannot_write_lines_of_its_own_into_the_audit_log() {
        try (LogLines log = new LogLines("io.delayq.audit")) {
            admin("POST", "/v1/topics/x%0Auser=adam%20did=all/pause", "");
            assertEquals(1, log.all().size());
            assertFalse(log.all().get(0).contains("\n"));
            assertFalse(log.all().get(0).contains("adam"));
        }
    }

    @Test
    void a_key_is_kept_only_where_somebody_can_log_in() {
        try (TestServer open = TestServer.start()) {
            assertNull(key(open));
        }
        assertEquals(64, ((String) key(server)).length());
    }

    private static Object key(TestServer of) {
        return TestRedis.shared().command("HGET", "{" + of.settings.namespace() + "}:meta", "sign");
    }

    private static RawHttp.Answer admin(String method, String path, String body) {
        return send(request(method, path, body, "Authorization: Bearer secret"));
    }

    private static TestServer.Reply logIn(String user, String password) {
        return server.post("/v1/login", "{\"user\":\"" + user + "\",\"password\":\"" + password + "\"}");
    }

    private static RawHttp.Answer send(String request) {
        return RawHttp.once(server.port(), request);
    }
}
