package io.delayq.path;

import static io.delayq.path.Wire.problem;
import static io.delayq.path.Wire.topic;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.delayq.config.Settings;
import io.delayq.http.Answers;
import io.delayq.ops.AccessLog;
import io.delayq.redis.TestRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** The id of each request, and its line. */
class AccessLogPathTest {
    private static final Logger access = (Logger) LoggerFactory.getLogger("io.delayq.access");
    private static final Logger failures = (Logger) LoggerFactory.getLogger(Answers.class);
    private static final Heard heard = new Heard();
    private static TestServer server;
    private static TestServer guarded;

    private static final class Heard extends AppenderBase<ILoggingEvent> {
        final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            events.add(event);
        }
    }

    @BeforeAll
    static void start() {
        heard.start();
        access.addAppender(heard);
        access.setAdditive(false);
        failures.addAppender(heard);
        AccessLog.turn(true);
        server = TestServer.start();
        List<Settings.Token> tokens = new ArrayList<>();
        // the SHA-256 of "secret"
        tokens.add(new Settings.Token(
                "orders",
                "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b",
                List.of("push"),
                List.of("*")));
        guarded = TestServer.start(set -> new Settings(
                set.http(),
                set.dataDir(),
                set.redis(),
                set.namespace(),
                set.buckets(),
                set.instances(),
                tokens,
                set.insecure()));
    }

    @AfterAll
    static void stop() {
        server.close();
        guarded.close();
        AccessLog.turn(false);
        access.detachAppender(heard);
        access.setAdditive(true);
        failures.detachAppender(heard);
    }

    @BeforeEach
    void forget() {
        heard.events.clear();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "A.b_c-9", "0123456789012345678901234567890123456789012345678901234567890123"})
    void an_id_of_the_clients_own_is_answered_back(String id) {
        assertEquals(id, get(server, "/health/live", "X-Request-Id: " + id).header("X-Request-Id"));
        assertEquals("200", line(id).get("status"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a b",
                "a\tb",
                "<script>",
                "é",
                "a/b",
                "01234567890123456789012345678901234567890123456789012345678901234"
            })
    void any_other_is_replaced_by_one_of_ours(String id) {
        String made = get(server, "/health/live", "X-Request-Id: " + id).header("X-Request-Id");
        assertTrue(made.matches("[0-9a-z]{8,13}"), made);
        assertEquals("200", line(made).get("status"));
    }

    @Test
    void each_request_has_one_of_its_own_whatever_comes_of_it() {
        String first = get(server, "/health/live").header("X-Request-Id");
        String second = get(server, "/nowhere").header("X-Request-Id");
        String third = get(server, "/" + "x".repeat(5_000)).header("X-Request-Id");
        assertEquals(3, java.util.Set.of(first, second, third).size());
        assertEquals(
                List.of("200", "404", "400"),
                List.of(
                        line(first).get("status"),
                        line(second).get("status"),
                        line(third).get("status")));
    }

    @Test
    void a_line_says_who_asked_for_what_and_what_came_of_it() {
        String topic = topic();
        String body = "{\"id\":\"1\",\"delay\":\"1h\"}";
        RawHttp.Answer answer = RawHttp.once(
                guarded.port(),
                RawHttp.request(
                        "POST",
                        "/v1/topics/" + topic + "/jobs",
                        body,
                        "Authorization: Bearer secret",
                        "X-Request-Id: r"));
        assertEquals(201, answer.status(), answer.text());
        Map<String, String> line = line("r");
        assertTrue(Double.parseDouble(line.remove("millis")) >= 0);
        assertEquals(
                Map.of(
                        "method", "POST",
                        "path", "/v1/topics/" + topic + "/jobs",
                        "status", "201",
                        "bytes", Integer.toString(answer.text().length()),
                        "by", "orders",
                        "address", "127.0.0.1",
                        "request", "r"),
                line);
    }

    @Test
    void the_query_is_left_out() {
        RawHttp.Answer answer = get(server, "/v1/topics?token=hush&limit=1");
        assertEquals("/v1/topics", line(answer.header("X-Request-Id")).get("path"));
        assertFalse(lines().toString().contains("hush"));
    }

    @Test
    void a_wrong_token_is_nobody() {
        RawHttp.Answer answer = get(guarded, "/v1/topics", "Authorization: Bearer nonsense");
        problem(401, "unauthorized", answer);
        Map<String, String> line = line(answer.header("X-Request-Id"));
        assertEquals("-", line.get("by"));
        assertEquals("401", line.get("status"));
        assertTrue(
                heard.events.stream()
                        .allMatch(event -> event.getMDCPropertyMap().isEmpty()),
                "its id is there once");
    }

    @Test
    void a_client_that_leaves_before_its_answer_is_cut_off() {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send(RawHttp.request("POST", "/v1/topics/" + topic() + "/reserve", "{\"wait\":\"20s\"}"));
            TestRedis.await(
                    "the request is there", () -> server.get("/metrics").text().contains("polls"));
        }
        TestRedis.await("its line", () -> lines().stream()
                .anyMatch(line -> line.get("status").equals("499")));
        assertTrue(heard.events.stream().anyMatch(event -> event.getMessage().equals("cut off")));
    }

    @Test
    void a_websocket_has_its_line_when_it_begins() {
        RawHttp.Answer answer = RawHttp.once(
                server.port(),
                RawHttp.request(
                        "GET",
                        "/v1/ws",
                        null,
                        "Connection: Upgrade",
                        "Upgrade: websocket",
                        "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                        "X-Request-Id: ws-1"));
        assertEquals(101, answer.status());
        assertEquals("ws-1", answer.header("X-Request-Id"));
        Map<String, String> line = line("ws-1");
        assertEquals("101", line.get("status"));
        assertEquals("/v1/ws", line.get("path"));
        assertEquals("ws-1", line.get("request"));
    }

    @Test
    void requests_one_behind_the_other_have_a_line_each() {
        try (RawHttp http = new RawHttp(server.port())) {
            String one = RawHttp.request("GET", "/health/live", null, "X-Request-Id: 1");
            http.send(one + one.replace("Id: 1", "Id: 2") + one.replace("Id: 1", "Id: 3"));
            for (int i = 1; i <= 3; i++) {
                assertEquals(Integer.toString(i), http.read().header("X-Request-Id"));
            }
        }
        for (String id : List.of("1", "2", "3")) {
            assertEquals("/health/live", line(id).get("path"));
        }
    }

    @Test
    void a_defect_is_logged_with_the_id_of_its_request() {
        String topic = topic();
        server.push(topic, "{\"id\":\"1\",\"delay\":\"1h\"}");
        String key =
                TestRedis.shared().command("KEYS", "*clock:" + topic).toString().replaceAll("[\\[\\]]", "");
        TestRedis.shared().command("DEL", key);
        TestRedis.shared().command("SET", key, "not a zset");
        try {
            RawHttp.Answer answer = RawHttp.once(
                    server.port(),
                    RawHttp.request("GET", "/v1/topics/" + topic + "/jobs/1", null, "X-Request-Id: r-500"));
            problem(500, "internal", answer);
            assertTrue(heard.events.stream()
                    .anyMatch(event -> event.getLevel() == Level.ERROR
                            && "r-500".equals(event.getMDCPropertyMap().get("request"))));
        } finally {
            TestRedis.shared().command("DEL", key);
        }
    }

    @Test
    void switched_off_it_gives_ids_and_writes_nothing() {
        AccessLog.turn(false);
        try {
            assertEquals("off", get(server, "/health/live", "X-Request-Id: off").header("X-Request-Id"));
        } finally {
            AccessLog.turn(true);
        }
        get(server, "/health/ready", "X-Request-Id: on");
        assertEquals("/health/ready", line("on").get("path"));
        assertTrue(lines().stream().noneMatch(line -> line.get("request").equals("off")));
    }

    private static RawHttp.Answer get(TestServer from, String path, String... headers) {
        return RawHttp.once(from.port(), RawHttp.request("GET", path, null, headers));
    }

    /** The one line of a request: it is written when the answer is on its way, which the client may see first. */
    private static Map<String, String> line(String id) {
        TestRedis.await("the line of " + id, () -> lines().stream()
                .anyMatch(line -> line.get("request").equals(id)));
        List<Map<String, String>> own =
                lines().stream().filter(line -> line.get("request").equals(id)).toList();
        assertEquals(1, own.size(), () -> own.toString());
        return own.get(0);
    }

    private static List<Map<String, String>> lines() {
        return heard.events.stream()
                .filter(event -> event.getLoggerName().equals("io.delayq.access"))
                .map(event -> event.getKeyValuePairs().stream()
                        .collect(Collectors.toMap(pair -> pair.key, pair -> String.valueOf(pair.value))))
                .toList();
    }
}
