package io.delayq.path;

import static io.delayq.path.Wire.pointers;
import static io.delayq.path.Wire.problem;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** The level of the log, asked for and changed while the server runs. */
class LogContractTest {
    private static final org.slf4j.Logger ours = LoggerFactory.getLogger("io.delayq.Probe");
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void back() {
        server.send("PUT", "/v1/log", "{\"level\":\"info\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"debug", "info", "warn", "error"})
    void the_level_that_is_put_holds_at_once(String level) {
        assertEquals("{\"level\":\"info\"}", server.get("/v1/log").text());
        TestServer.Reply reply = server.send("PUT", "/v1/log", "{\"level\":\"" + level + "\"}");
        assertEquals(200, reply.status(), reply.text());
        assertEquals("{\"level\":\"" + level + "\"}", reply.text());
        assertEquals(reply.text(), server.get("/v1/log").text());
        assertEquals(level.equals("debug"), ours.isDebugEnabled());
        assertEquals(List.of("debug", "info").contains(level), ours.isInfoEnabled());
        assertEquals(!level.equals("error"), ours.isWarnEnabled());
        assertTrue(ours.isErrorEnabled());
        assertFalse(LoggerFactory.getLogger("io.netty").isDebugEnabled(), "libraries are not known to be discreet");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"level\":null}",
                "{\"level\":\"trace\"}",
                "{\"level\":\"INFO\"}",
                "{\"level\":\"\"}",
                "{\"level\":1}",
                "{\"level\":[\"info\"]}"
            })
    void anything_but_a_level_is_a_fault_and_changes_nothing(String json) {
        TestServer.Reply reply = server.send("PUT", "/v1/log", json);
        assertEquals(List.of("/level"), pointers(problem(400, "invalid-request", reply)));
        assertTrue(reply.text().contains("debug, info, warn or error"), reply.text());
        assertEquals("{\"level\":\"info\"}", server.get("/v1/log").text());
    }

    @Test
    void unknown_fields_and_queries_are_faults() {
        problem(400, "invalid-request", server.send("PUT", "/v1/log", "{\"level\":\"info\",\"for\":\"1h\"}"));
        problem(400, "invalid-request", server.send("PUT", "/v1/log", "[]"));
        problem(400, "invalid-request", server.send("PUT", "/v1/log", null));
        problem(400, "invalid-request", server.get("/v1/log?level=debug"));
        assertEquals("{\"level\":\"info\"}", server.get("/v1/log").text());
    }

    @Test
    void a_change_is_audited() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger audit = (Logger) LoggerFactory.getLogger("io.delayq.audit");
        audit.addAppender(lines);
        try {
            server.send("PUT", "/v1/log", "{\"level\":\"debug\"}");
            server.get("/v1/log");
        } finally {
            audit.detachAppender(lines);
        }
        assertEquals(1, lines.list.size());
        String line = lines.list.get(0).getFormattedMessage();
        assertTrue(
                line.matches("from=127\\.0\\.0\\.1:\\d+ did=\"PUT /v1/log\" before=info level=debug status=200"), line);
    }
}
