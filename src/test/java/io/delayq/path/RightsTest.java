package io.delayq.path;

import static io.delayq.path.Wire.problem;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.delayq.config.Settings;
import io.delayq.http.Api;
import io.delayq.http.Right;
import io.delayq.ingress.IngressVerticle;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Who may call what, for every route that is declared. */
class RightsTest {
    private static final List<String> RIGHTS = List.of("push", "consume", "admin");
    private static final String SECRET = "s3cr3t-";
    private static final String ALL = "all-rights-";
    private static final String OWN = "Origin: http://localhost";

    /** The table of the contract: a route that is not in it has no right to exist. */
    private static final Map<String, Set<String>> CONTRACT = Map.ofEntries(
            Map.entry("POST /v1/topics/:topic/jobs", Set.of("push")),
            Map.entry("PUT /v1/topics/:topic/jobs/:id", Set.of("push")),
            Map.entry("PATCH /v1/topics/:topic/jobs/:id", Set.of("push")),
            Map.entry("DELETE /v1/topics/:topic/jobs/:id", Set.of("push")),
            Map.entry("POST /v1/jobs", Set.of("push")),
            Map.entry("POST /v1/topics/:topic/reserve", Set.of("consume")),
            Map.entry("POST /v1/topics/:topic/acks", Set.of("consume")),
            Map.entry("POST /v1/topics/:topic/jobs/:id/ack", Set.of("consume")),
            Map.entry("POST /v1/topics/:topic/jobs/:id/nack", Set.of("consume")),
            Map.entry("POST /v1/topics/:topic/jobs/:id/extend", Set.of("consume")),
            Map.entry("GET /v1/topics/:topic/jobs/:id", Set.of("push", "consume")),
            Map.entry("GET /v1/topics/:topic", Set.of("push", "consume", "admin")),
            Map.entry("GET /v1/topics", Set.of("admin")),
            Map.entry("PUT /v1/topics/:topic", Set.of("admin")),
            Map.entry("DELETE /v1/topics/:topic", Set.of("admin")),
            Map.entry("POST /v1/topics/:topic/pause", Set.of("admin")),
            Map.entry("POST /v1/topics/:topic/resume", Set.of("admin")),
            Map.entry("GET /v1/topics/:topic/jobs", Set.of("admin")),
            Map.entry("DELETE /v1/topics/:topic/jobs", Set.of("admin")),
            Map.entry("POST /v1/topics/:topic/dead/requeue", Set.of("admin")),
            Map.entry("DELETE /v1/topics/:topic/groups/:group", Set.of("admin")),
            Map.entry("GET /v1/topics/:topic/forecast", Set.of("admin")),
            Map.entry("GET /v1/export", Set.of("admin")),
            Map.entry("GET /metrics", Set.of("admin")),
            Map.entry("GET /v1/servers", Set.of("admin")),
            Map.entry("GET /v1/connections", Set.of("admin")),
            Map.entry("GET /v1/events", Set.of("admin")),
            Map.entry("GET /v1/ws", Set.of("push", "consume")),
            Map.entry("POST /v1/login", Set.of()),
            Map.entry("POST /v1/logout", Set.of()),
            Map.entry("GET /v1/session", Set.of()),
            Map.entry("GET /asyncapi.yaml", Set.of()),
            Map.entry("GET /health/live", Set.of()),
            Map.entry("GET /health/ready", Set.of()));

    /** The same for what can be said over a WebSocket: the right it needs, and how it is said. */
    private static final Map<String, Op> OPS = Map.of(
            "Subscribe", new Op("consume", "\"op\":\"subscribe\",\"topic\":\"TOPIC\""),
            "Unsubscribe", new Op("consume", "\"op\":\"unsubscribe\",\"topic\":\"TOPIC\""),
            "Ack", new Op("consume", "\"op\":\"ack\",\"topic\":\"TOPIC\",\"jobs\":[{\"id\":\"a\",\"lease\":\"x\"}]"),
            "Nack", new Op("consume", "\"op\":\"nack\",\"topic\":\"TOPIC\",\"jobs\":[{\"id\":\"a\",\"lease\":\"x\"}]"),
            "Extend",
                    new Op(
                            "consume",
                            "\"op\":\"extend\",\"topic\":\"TOPIC\",\"jobs\":[{\"id\":\"a\",\"lease\":\"x\"}]"),
            "Push", new Op("push", "\"op\":\"push\",\"jobs\":[{\"topic\":\"TOPIC\",\"delay\":\"1h\"}]"),
            "Cancel", new Op("push", "\"op\":\"cancel\",\"topic\":\"TOPIC\",\"ids\":[\"a\"]"),
            "Ping", new Op(null, "\"op\":\"ping\""));

    /** @param right null: none is needed but that to connect */
    private record Op(String right, String message) {
        String on(String topic) {
            return "{\"ref\":1," + message.replace("TOPIC", topic) + "}";
        }
    }

    private static final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private static final List<String> answers = new CopyOnWriteArrayList<>();
    private static TestServer server;
    private static TestServer open;
    private static String viewer;
    private static String admin;
    private static Level before;

    @BeforeAll
    static void start() {
        Logger root = (Logger) LoggerFactory.getLogger("ROOT");
        Logger ours = (Logger) LoggerFactory.getLogger("io.delayq");
        before = ours.getLevel();
        ours.setLevel(Level.TRACE);
        logged.start();
        root.addAppender(logged);
        List<Settings.Token> tokens = new ArrayList<>();
        for (String right : RIGHTS) {
            tokens.add(new Settings.Token(right, sha256(SECRET + right), List.of(right), List.of("mine*", "our.*.eu")));
        }
        tokens.add(new Settings.Token("all", sha256(SECRET + ALL), RIGHTS, List.of("*")));
        List<Settings.User> users =
                List.of(Wire.user("viewer", SECRET + "viewer", false), Wire.user("admin", SECRET + "admin", true));
        server = TestServer.start(set -> Wire.with(set, set.http(), tokens, users));
        open = TestServer.start();
        viewer = Wire.logIn(server, "viewer", SECRET + "viewer");
        admin = Wire.logIn(server, "admin", SECRET + "admin");
    }

    @AfterAll
    static void stop() {
        server.close();
        open.close();
        LoggerFactory.getLogger("io.delayq.probe").trace("heard");
        assertTrue(logged.list.stream().anyMatch(event -> event.getMessage().equals("heard")));
        Logger root = (Logger) LoggerFactory.getLogger("ROOT");
        root.detachAppender(logged);
        ((Logger) LoggerFactory.getLogger("io.delayq")).setLevel(before);
        for (ILoggingEvent event : List.copyOf(logged.list)) {
            String cause =
                    event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy());
            assertFalse((event.getFormattedMessage() + cause).contains(SECRET), event.getFormattedMessage());
        }
        assertFalse(answers.isEmpty());
        answers.forEach(answer -> assertFalse(answer.contains(SECRET), answer));
    }

    static Stream<Api.Route> declared() {
        return IngressVerticle.declared().stream();
    }

    static Stream<Api.Route> guarded() {
        return declared().filter(route -> route.right() != Right.NONE);
    }

    static Stream<Api.Route> withTopic() {
        return guarded().filter(route -> route.path().contains(":topic"));
    }

    @Test
    void the_routes_are_those_of_the_contract() {
        assertEquals(CONTRACT.keySet(), declared().map(RightsTest::name).collect(Collectors.toSet()));
    }

    @Test
    void a_route_cannot_be_declared_without_a_right() {
        assertThrows(NullPointerException.class, () -> new Api(null, null, 0)
                .route(HttpMethod.GET, "/x", null, 0, call -> null));
    }

    @ParameterizedTest
    @MethodSource("guarded")
    void without_a_token_it_answers_401(Api.Route route) {
        for (String header : List.of(
                "X: y",
                "Authorization: Basic " + SECRET + ALL,
                "Authorization: " + SECRET + ALL,
                "Authorization: Bearer",
                "Authorization: Bearer ",
                "Authorization: Bearer nonsense",
                "Authorization: Bearer " + SECRET + ALL + "x",
                "Authorization: Bearer " + SECRET,
                "Authorization: Bearer " + sha256(SECRET + ALL),
                "Cookie: token=" + SECRET + ALL)) {
            RawHttp.Answer answer = send(server, route, "mine", header);
            problem(401, "unauthorized", answer);
            assertEquals("Bearer", answer.header("WWW-Authenticate"));
        }
    }

    @ParameterizedTest
    @MethodSource("declared")
    void each_right_opens_what_the_contract_says(Api.Route route) {
        Set<String> enough = CONTRACT.get(name(route));
        for (String right : RIGHTS) {
            RawHttp.Answer answer = send(server, route, "mine", bearer(right));
            if (enough.isEmpty() || enough.contains(right)) {
                assertTrue(answer.status() != 401 && answer.status() != 403, right + ": " + answer.text());
            } else {
                problem(403, "forbidden", answer);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("withTopic")
    void a_topic_that_no_pattern_matches_answers_403(Api.Route route) {
        String right = CONTRACT.get(name(route)).iterator().next();
        for (String topic : List.of("yours", "Mine", "our.eu", "our.x.eu.y")) {
            problem(403, "forbidden", send(server, route, topic, bearer(right)));
        }
        for (String topic : List.of("mine", "mine-too", "our.x.eu", "our..eu")) {
            assertTrue(send(server, route, topic, bearer(right)).status() != 403);
        }
    }

    @ParameterizedTest
    @MethodSource("declared")
    void a_route_without_a_right_is_open_and_no_other_is(Api.Route route) {
        int status = send(server, route, "mine").status();
        assertEquals(CONTRACT.get(name(route)).isEmpty(), status != 401, "status " + status);
    }

    @ParameterizedTest
    @MethodSource("declared")
    void a_viewer_may_look_at_everything_and_do_nothing(Api.Route route) {
        RawHttp.Answer answer = send(server, route, "mine", viewer, OWN);
        boolean looks = route.method() == HttpMethod.GET && route.right() != Right.CONNECT;
        if (looks || route.right() == Right.NONE) {
            assertTrue(answer.status() != 401 && answer.status() != 403, answer.text());
        } else {
            problem(403, "forbidden", answer);
        }
    }

    @ParameterizedTest
    @MethodSource("declared")
    void an_admin_who_logged_in_may_do_everything(Api.Route route) {
        for (String topic : List.of("mine", "yours")) {
            RawHttp.Answer answer = send(server, route, topic, admin, OWN);
            assertTrue(answer.status() != 401 && answer.status() != 403, answer.text());
        }
    }

    @ParameterizedTest
    @MethodSource("guarded")
    void a_cookie_that_nobody_signed_answers_401(Api.Route route) {
        for (String cookie : List.of(admin + "x", admin.replace("admin", "viewer"), "Cookie: delayq-session=admin")) {
            problem(401, "unauthorized", send(server, route, "mine", cookie, OWN));
        }
    }

    @ParameterizedTest
    @MethodSource("declared")
    void a_cookie_changes_nothing_without_an_origin_of_our_own(Api.Route route) {
        RawHttp.Answer answer = send(server, route, "mine", admin);
        boolean looks = route.method() == HttpMethod.GET && route.right() != Right.CONNECT;
        assertEquals(!looks, answer.status() == 403, answer.text());
    }

    @Test
    void the_ops_of_a_websocket_are_those_of_the_contract() throws ClassNotFoundException {
        Class<?>[] all = Class.forName("io.delayq.gateway.ClientFrame").getPermittedSubclasses();
        assertEquals(OPS.keySet(), Stream.of(all).map(Class::getSimpleName).collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"X: y", "Authorization: Bearer nonsense", "Cookie: delayq-session=nonsense"})
    void a_websocket_is_not_opened_to_whoever_is_not_known(String header) throws IOException {
        try (RawSocket socket = new RawSocket(server, header, own())) {
            assertTrue(socket.head.startsWith("HTTP/1.1 401"), socket.head);
        }
    }

    @Test
    void a_websocket_is_not_opened_to_viewers_and_to_tokens_that_may_do_nothing_there() throws IOException {
        for (String header : List.of(viewer, bearer("admin"))) {
            try (RawSocket socket = new RawSocket(server, header, own())) {
                assertTrue(socket.head.startsWith("HTTP/1.1 403"), socket.head);
            }
        }
    }

    @Test
    void over_a_websocket_each_op_needs_its_right_and_its_topic() throws IOException {
        for (String right : List.of("push", "consume")) {
            for (Op op : OPS.values()) {
                boolean may = op.right == null || op.right.equals(right);
                assertEquals(may, isAllowed(op, "mine", bearer(right)), right + ": " + op);
                assertEquals(op.right == null, isAllowed(op, "yours", bearer(right)), right + ": " + op);
            }
        }
        for (String header : List.of(bearer(ALL), admin)) {
            for (Op op : OPS.values()) {
                assertTrue(isAllowed(op, "yours", header), op.toString());
            }
        }
    }

    private static boolean isAllowed(Op op, String topic, String header) throws IOException {
        try (RawSocket socket = new RawSocket(server, header, own())) {
            socket.text(op.on(topic));
            RawSocket.Frame answer = socket.read();
            assertEquals(RawSocket.TEXT, answer.opcode(), answer.toString());
            assertTrue(answer.data().contains("\"ref\":1"), answer.data());
            boolean refused = answer.data().contains("\"/problems/forbidden\"");
            boolean error = new JsonObject(answer.data()).getString("op").equals("error");
            assertTrue(refused || !error, answer.data());
            return !refused;
        }
    }

    private static String own() {
        return "Origin: http://127.0.0.1:" + server.port();
    }

    @Test
    void the_scheme_of_a_token_may_be_spelled_in_any_case() {
        RawHttp.Answer answer = RawHttp.once(
                server.port(), RawHttp.request("GET", "/v1/topics", null, "authorization: bEARER " + SECRET + "admin"));
        assertEquals(200, answer.status());
    }

    @Test
    void a_bulk_push_refuses_the_jobs_of_foreign_topics_and_takes_the_others() {
        String json = "[{\"topic\":\"yours\",\"id\":\"a\"},{\"topic\":\"mine.bulk\",\"id\":\"b\"}]";
        JsonObject reply = new JsonObject(sent(server, RawHttp.request("POST", "/v1/jobs", json, bearer("push")))
                .text());
        assertEquals(1, reply.getInteger("accepted"));
        JsonObject row = reply.getJsonArray("results").getJsonObject(0);
        assertEquals(403, row.getInteger("status"));
        assertEquals("/problems/forbidden", row.getString("type"));
        assertEquals("yours", row.getString("topic"));
        assertEquals(201, reply.getJsonArray("results").getJsonObject(1).getInteger("status"));
        RawHttp.Answer gone = sent(server, RawHttp.request("GET", "/v1/topics/yours", null, bearer(ALL)));
        problem(404, "topic-not-found", gone);
    }

    @Test
    void a_list_of_topics_shows_only_those_the_token_is_for() {
        for (String topic : List.of("mine.1", "theirs.1")) {
            sent(server, RawHttp.request("POST", "/v1/topics/" + topic + "/jobs", "{}", bearer(ALL)));
        }
        String all = sent(server, RawHttp.request("GET", "/v1/topics", null, bearer(ALL)))
                .text();
        assertTrue(all.contains("\"mine.1\"") && all.contains("\"theirs.1\""), all);
        String own = sent(server, RawHttp.request("GET", "/v1/topics", null, bearer("admin")))
                .text();
        assertTrue(own.contains("\"mine.1\"") && !own.contains("\"theirs.1\""), own);
    }

    @Test
    void only_an_admin_sees_the_settings_of_a_topic() {
        sent(server, RawHttp.request("POST", "/v1/topics/mine.2/jobs", "{}", bearer("push")));
        for (String right : RIGHTS) {
            JsonObject topic =
                    new JsonObject(sent(server, RawHttp.request("GET", "/v1/topics/mine.2", null, bearer(right)))
                            .text());
            assertEquals(right.equals("admin"), topic.containsKey("settings"), right);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST",
                "localhost:PORT",
                "127.0.0.1",
                "127.0.0.1:PORT",
                "127.1.2.3",
                "[::1]",
                "[::1]:PORT"
            })
    void without_tokens_a_loopback_host_is_fine(String host) {
        String header = "Host: " + host.replace("PORT", Integer.toString(open.port()));
        declared().forEach(route -> assertTrue(send(open, route, "t", header).status() != 403, name(route)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:PORT",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "10.0.0.1",
                "0.0.0.0",
                "[::]",
                "[::2]:PORT",
                ""
            })
    void without_tokens_a_foreign_host_answers_403(String host) {
        String header = "Host: " + host.replace("PORT", Integer.toString(open.port()));
        declared().forEach(route -> problem(403, "forbidden", send(open, route, "t", header)));
        problem(403, "forbidden", sent(open, RawHttp.request("GET", "/nowhere", null, header)));
        problem(403, "forbidden", sent(open, RawHttp.request("BREW", "/v1/topics", null, header)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1@evil.example", "localhost evil", "localhost:x"})
    void a_host_that_is_none_answers_400(String host) {
        RawHttp.Answer answer = sent(open, RawHttp.request("GET", "/v1/topics", null, "Host: " + host));
        assertTrue(problem(400, "invalid-request", answer).getString("detail").contains("Host"), answer.text());
    }

    @Test
    void with_tokens_any_host_is_fine() {
        assertEquals(
                200,
                sent(server, RawHttp.request("GET", "/v1/topics", null, "Host: queue.example", bearer("admin")))
                        .status());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://evil.example", "null", "https://localhost:PORT", "http://localhost:1", "http://localhost",
                "http://127.0.0.1:PORT", "http://localhost.evil.example:PORT", "nonsense", "http://", ""
            })
    void a_foreign_origin_answers_403_in_any_case(String origin) {
        for (TestServer each : List.of(server, open)) {
            String port = Integer.toString(each.port());
            String[] headers = {"Host: localhost:" + port, "Origin: " + origin.replace("PORT", port), bearer(ALL)};
            declared().forEach(route -> problem(403, "forbidden", send(each, route, "t", headers)));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost:PORT", "127.0.0.1:PORT", "[::1]:PORT", "LocalHost:PORT", "localhost", "localhost:80"})
    void the_own_origin_is_fine(String host) {
        for (TestServer each : List.of(server, open)) {
            String own = host.replace("PORT", Integer.toString(each.port()));
            RawHttp.Answer answer = sent(
                    each,
                    RawHttp.request(
                            "GET",
                            "/v1/topics",
                            null,
                            "Host: " + own,
                            "Origin: http://" + own.toLowerCase(Locale.ROOT),
                            bearer(ALL)));
            assertEquals(200, answer.status(), answer.text());
        }
    }

    private static RawHttp.Answer send(TestServer to, Api.Route route, String topic, String... headers) {
        String path =
                route.path().replace(":topic", topic).replace(":id", "nobody").replace(":group", "nobody");
        if (path.equals("/v1/events")) {
            // an answer without end, unless it is refused for something else
            path += "?until=now";
        }
        String body = route.method() == HttpMethod.GET || route.method() == HttpMethod.DELETE ? null : "{\"x\":1}";
        return sent(to, RawHttp.request(route.method().name(), path, body, headers));
    }

    private static RawHttp.Answer sent(TestServer to, String request) {
        RawHttp.Answer answer = RawHttp.once(to.port(), request);
        answers.add(answer.headers() + answer.text());
        return answer;
    }

    private static String name(Api.Route route) {
        return route.method() + " " + route.path();
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + SECRET + token;
    }

    private static String sha256(String secret) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
