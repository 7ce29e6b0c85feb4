package io.delayq.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.delayq.job.Durations;
import io.delayq.job.Timestamps;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times, durations and JSON as people write and read them. */
final class Texts {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();
    private static final DefaultPrettyPrinter PRETTY = new DefaultPrettyPrinter(
                    Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER))
            .withArrayIndenter(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE)
            .withObjectIndenter(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE);

    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private Texts() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Missing if it is not JSON. */
    static JsonNode json(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    static String pretty(JsonNode json) {
        try {
            return MAPPER.writer(PRETTY).writeValueAsString(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Of an option; digits alone are milliseconds. */
    static long millis(String option, String text) {
        try {
            return Durations.parseOrMillis(text);
        } catch (IllegalArgumentException e) {
            throw Failure.usage(option + " \"" + text + "\": " + e.getMessage());
        }
    }

    static long time(String option, String text) {
        try {
            return text.matches("[0-9]{1,15}") ? Long.parseLong(text) : Timestamps.parse(text);
        } catch (IllegalArgumentException e) {
            throw Failure.usage(option + " \"" + text
                    + "\": expected a time such as 2030-01-31T12:00:00Z, or milliseconds since 1970");
        }
    }

    /** {@code in 30m (2026-11-16T04:48:10Z, 1794804490000)}. */
    static String when(long time) {
        return relative(time - System.currentTimeMillis()) + " (" + instant(time) + ", " + time + ")";
    }

    private static String instant(long time) {
        try {
            return Instant.ofEpochMilli(time).truncatedTo(ChronoUnit.SECONDS).toString();
        } catch (DateTimeException e) {
            return "?";
        }
    }

    private static String relative(long millis) {
        return millis > 0 ? "in " + about(millis) : millis > -SECOND ? "now" : about(-millis) + " ago";
    }

    /** As exact as it is worth knowing: milliseconds below two seconds, otherwise the two largest units. */
    static String about(long millis) {
        if (millis < 2 * SECOND) {
            return Durations.text(Math.max(0, millis));
        }
        long unit = millis < HOUR - SECOND / 2 ? SECOND : millis < DAY - MINUTE / 2 ? MINUTE : HOUR;
        return Durations.text((millis + unit / 2) / unit * unit);
    }

    /** {@code 1m (60000 ms)}. */
    static String span(long millis) {
        return Durations.text(millis) + " (" + millis + " ms)";
    }

    /**
     * Broken at spaces so that no line is wider, each further line begun with {@code indent} spaces. A word that has no
     * room goes over the edge whole, so that it can be copied.
     */
    static String wrapped(String text, int indent, int width) {
        StringBuilder lines = new StringBuilder();
        int column = indent;
        for (String word : text.split(" ", -1)) {
            if (column > indent && column + 1 + word.length() > width) {
                lines.append('\n').append(" ".repeat(indent));
                column = indent;
            } else if (column > indent) {
                lines.append(' ');
                column++;
            }
            lines.append(word);
            column += word.length();
        }
        return lines.toString();
    }

    /** One line of printable text: names and errors come from outside and must not steer the terminal. */
    static String plain(String text) {
        return text.replaceAll("[\\p{Cntrl}\\x{80}-\\x{9f}]", "?");
    }
}
