package io.delayq.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.KeyValuePair;

/** An event as text and as JSON: nothing that comes from outside can pass for a line of its own. */
class LogLineTest {
    private static final String FORGED = "x\n2026-11-16T00:00:00.000Z INFO  audit paused by=root";

    private final TextLine text = new TextLine();
    private final JsonLine json = new JsonLine();

    @Test
    void a_line_has_time_level_logger_and_message() {
        LoggingEvent event = event("up port={}", null, 9277);
        event.setInstant(Instant.parse("2026-11-16T02:57:54.307Z"));
        assertTrue(text.doLayout(event).endsWith(" INFO  Probe up port=9277\n"), text.doLayout(event));
        assertEquals(
                Instant.parse("2026-11-16T02:57:54.307Z"),
                java.time.OffsetDateTime.parse(text.doLayout(event).split(" ")[0])
                        .toInstant());
        assertEquals(
                "{\"time\":\"2026-11-16T02:57:54.307Z\",\"level\":\"info\",\"logger\":\"io.delayq.Probe\","
                        + "\"message\":\"up port=9277\"}\n",
                json.doLayout(event));
    }

    @Test
    void a_message_with_a_line_break_stays_one_line() {
        LoggingEvent event = event("topic={}", null, FORGED);
        assertEquals(1, text.doLayout(event).lines().count());
        assertEquals(1, json.doLayout(event).lines().count());
        assertTrue(text.doLayout(event).contains("topic=x\\n2026-11-16T"), text.doLayout(event));
        assertEquals("topic=" + FORGED, new JsonObject(json.doLayout(event)).getString("message"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\r",
                "\u001b[2J",
                "\u0000",
                "\u007f",
                "\u0085",
                "\u009b2J",
                "\u2028",
                "\u2029",
                "\u202e",
                "\u2066",
                "\t"
            })
    void control_characters_are_escaped(String control) {
        LoggingEvent event = event("a" + control + "b", new IllegalStateException("c" + control + "d"));
        for (String line : List.of(text.doLayout(event), json.doLayout(event))) {
            String own = line.replace("\n\t", "").replace("\n", "");
            assertTrue(own.chars().noneMatch(c -> control.charAt(0) == c), line);
        }
        assertEquals("a" + control + "b", new JsonObject(json.doLayout(event)).getString("message"));
    }

    @Test
    void other_languages_and_emojis_are_left_as_they_are() {
        String words = "主题 été 😀 \"q\" c:\\dir";
        assertTrue(text.doLayout(event(words, null)).endsWith(" " + words + "\n"));
        assertEquals(words, new JsonObject(json.doLayout(event(words, null))).getString("message"));
    }

    @Test
    void a_stack_trace_follows_and_the_messages_in_it_forge_no_line() {
        Exception thrown = new IllegalStateException(FORGED, new IllegalArgumentException(FORGED));
        thrown.addSuppressed(new IllegalStateException(FORGED));
        LoggingEvent event = event("failed", thrown);
        assertEquals(
                1,
                text.doLayout(event)
                        .lines()
                        .filter(line -> line.startsWith("20"))
                        .count());
        assertTrue(text.doLayout(event).contains("\nCaused by: java.lang.IllegalArgumentException: x\\n2026"));
        assertTrue(text.doLayout(event).contains("\nSuppressed: java.lang.IllegalStateException: x\\n2026"));
        assertTrue(text.doLayout(event).contains("\tat " + LogLineTest.class.getName() + ".a_stack_trace"));
        String trace = new JsonObject(json.doLayout(event)).getString("trace");
        assertTrue(trace.startsWith("java.lang.IllegalStateException: x\\n2026"), trace);
        assertTrue(trace.contains("\n\tat " + LogLineTest.class.getName() + ".a_stack_trace"), trace);
    }

    @Test
    void a_cause_of_itself_comes_to_an_end() {
        Exception one = new IllegalStateException("one");
        Exception two = new IllegalStateException("two", one);
        one.initCause(two);
        assertFalse(text.doLayout(event("failed", one)).isEmpty());
    }

    @Test
    void fields_follow_the_message_and_cannot_pass_for_others() {
        LoggingEvent event = event("answered", null);
        event.addKeyValuePair(new KeyValuePair("status", 201));
        event.addKeyValuePair(new KeyValuePair("by", "a status=500"));
        event.addKeyValuePair(new KeyValuePair("path", "/x\"y\n"));
        assertTrue(
                text.doLayout(event).endsWith(" answered status=201 by=\"a status=500\" path=\"/x\\\"y\\n\"\n"),
                text.doLayout(event));
        JsonObject read = new JsonObject(json.doLayout(event));
        assertEquals(201, read.getInteger("status"));
        assertEquals("a status=500", read.getString("by"));
        assertEquals("/x\"y\n", read.getString("path"));
    }

    @Test
    void the_id_of_the_request_is_there_if_there_is_one() {
        LoggingEvent event = event("failed", null);
        event.setMDCPropertyMap(Map.of("request", "r-1"));
        assertTrue(text.doLayout(event).endsWith(" failed request=r-1\n"));
        assertEquals("r-1", new JsonObject(json.doLayout(event)).getString("request"));
    }

    @Test
    void a_message_without_end_is_cut() {
        LoggingEvent event = event("x".repeat(1 << 20), null);
        assertTrue(text.doLayout(event).length() < 10_000);
        assertTrue(json.doLayout(event).length() < 10_000);
    }

    private static LoggingEvent event(String message, Throwable thrown, Object... values) {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        return new LoggingEvent(
                null,
                context.getLogger("io.delayq.Probe"),
                Level.INFO,
                message,
                thrown,
                values.length == 0 ? null : values);
    }
}
