package io.delayq.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.OffsetDateTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "1970-01-01T00:00:00Z",
                "2030-01-31T12:34:56Z",
                "2030-01-31T12:34:56.7Z",
                "2030-01-31T12:34:56.789+05:30",
                "2028-02-29T23:59:59-17:59",
                "1969-12-31T23:59:59.999Z",
                "0000-01-01T00:00:00Z",
                "9999-12-31T23:59:59-00:01"
            })
    void agrees_with_the_jdk_on_plain_times(String text) {
        assertEquals(OffsetDateTime.parse(text).toInstant().toEpochMilli(), Timestamps.parse(text));
    }

    @Test
    void takes_small_letters_and_the_unknown_offset() {
        assertEquals(0, Timestamps.parse("1970-01-01t00:00:00z"));
        assertEquals(0, Timestamps.parse("1970-01-01T00:00:00-00:00"));
    }

    @Test
    void rounds_fractions_up_so_that_nothing_runs_early() {
        assertEquals(123, Timestamps.parse("1970-01-01T00:00:00.123000000000Z"));
        assertEquals(124, Timestamps.parse("1970-01-01T00:00:00.1230000000001Z"));
        assertEquals(1_000, Timestamps.parse("1970-01-01T00:00:00.9999Z"));
    }

    @Test
    void takes_a_leap_second_only_at_the_end_of_a_day() {
        assertEquals(Timestamps.parse("2017-01-01T00:00:00Z"), Timestamps.parse("2016-12-31T23:59:60Z"));
        assertEquals(Timestamps.parse("2017-01-01T00:00:00Z"), Timestamps.parse("2016-12-31T15:59:60-08:00"));
        assertThrows(IllegalArgumentException.class, () -> Timestamps.parse("2016-12-31T22:59:60Z"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "now",
                "2030-01-31",
                "2030-01-31T12:34Z",
                "2030-01-31T12:34:56",
                "2030-01-31 12:34:56Z",
                "2030-02-30T12:34:56Z",
                "2030-13-01T12:34:56Z",
                "2030-00-01T12:34:56Z",
                "2030-01-31T24:00:00Z",
                "2030-01-31T12:60:00Z",
                "2030-01-31T12:34:61Z",
                "2030-01-31T12:34:56.Z",
                "2030-01-31T12:34:56,5Z",
                "2030-01-31T12:34:56+0100",
                "2030-01-31T12:34:56+01",
                "2030-01-31T12:34:56+24:00",
                "2030-01-31T12:34:56+01:00[Europe/Berlin]",
                "2030-01-31T12:34:56ZZ",
                "2030-01-31T12:34:56.5",
                "+2030-01-31T12:34:56Z",
                "٢٠٣٠-01-31T12:34:56Z"
            })
    void refuses_everything_else(String text) {
        assertThrows(IllegalArgumentException.class, () -> Timestamps.parse(text));
    }

    @Test
    void keeps_valid_trace_contexts_and_drops_the_rest() {
        String valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assertEquals(valid, Traceparent.validOrNull(valid));
        String later = valid.replaceFirst("00", "cc") + "-what-comes";
        assertEquals(later, Traceparent.validOrNull(later));
        assertNull(Traceparent.validOrNull(null));
        assertNull(Traceparent.validOrNull(""));
        assertNull(Traceparent.validOrNull(valid + "-x"));
        assertNull(Traceparent.validOrNull(valid.toUpperCase(java.util.Locale.ROOT)));
        assertNull(Traceparent.validOrNull(valid.replaceFirst("00", "ff")));
        assertNull(Traceparent.validOrNull(valid.replace("00f067aa0ba902b7", "0".repeat(16))));
        assertNull(Traceparent.validOrNull(valid.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0".repeat(32))));
        assertNull(Traceparent.validOrNull(later + "\n"));
    }
}
