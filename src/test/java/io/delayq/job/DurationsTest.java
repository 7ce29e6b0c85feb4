package io.delayq.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({
        "0ms, 0",
        "0s, 0",
        "250ms, 250",
        "30s, 30000",
        "15m, 900000",
        "24h, 86400000",
        "7d, 604800000",
        "1h30m, 5400000",
        "1d2h3m4s5ms, 93784005",
        "1m1ms, 60001",
        "90m, 5400000",
        "007s, 7000",
        "9223372036854775807ms, 9223372036854775807",
        "106751991167d7h12m55s807ms, 9223372036854775807",
    })
    void reads_numbers_with_units(String text, long millis) {
        assertEquals(millis, Durations.parse(text));
    }

    @ParameterizedTest
    @CsvSource({
        "PT15M, 900000",
        "P1DT2H, 93600000",
        "P7D, 604800000",
        "PT1H30M, 5400000",
        "PT0S, 0",
        "PT0.5S, 500",
        "PT1.001S, 1001",
        "PT1.250000000S, 1250",
        "P1DT1M0.010S, 86460010",
    })
    void reads_ISO_8601(String text, long millis) {
        assertEquals(millis, Durations.parse(text));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "", " ", "5", "5 s", " 5s", "5s ", "5s\n", "-5s", "+5s", "1.5s", "1,5s", "1e3ms", "1e3", "s", "ms",
                "5x", "5S", "5M", "30m1h", "1s1s", "1ms1ms", "1ms1s", "5min", "٥s", "1h-5m", "1_000ms", "0x5ms", "1w",
                "1y"
            })
    void refuses_text_that_is_no_duration(String text) {
        assertThrows(IllegalArgumentException.class, () -> Durations.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "P", "PT", "P1DT", "pt15m", "PT15m", "-PT15M", "PT-15M", "+PT15M", "PT+15M", "P1Y", "P1M", "P1W",
                "PT1D", "PT1M1H", "PT1M1M", "P1H", "PT0.5M", "PT0,5S", "PT.5S", "PT1.S", "PT1E3S", "PT 15M", "PT15M ",
                "PT1"
            })
    void refuses_other_ISO_8601(String text) {
        assertThrows(IllegalArgumentException.class, () -> Durations.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.0005S", "PT1.0001S", "PT0.000000001S", "PT0.12345S"})
    void refuses_fractions_of_a_millisecond(String text) {
        var e = assertThrows(IllegalArgumentException.class, () -> Durations.parse(text));
        assertTrue(e.getMessage().contains("fraction of a millisecond"), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "9223372036854775808ms",
                "9223372036854776s",
                "106751991168d",
                "106751991167d7h12m55s808ms",
                "99999999999999999999d",
                "P106751991168D",
                "PT9223372036854775.808S",
                "PT99999999999999999999S"
            })
    void refuses_what_does_not_fit(String text) {
        var e = assertThrows(IllegalArgumentException.class, () -> Durations.parse(text));
        assertTrue(e.getMessage().startsWith("is too long"), e.getMessage());
    }

    @Test
    void refuses_an_endless_text_without_reading_it() {
        assertThrows(IllegalArgumentException.class, () -> Durations.parse("0".repeat(100_000) + "1s"));
        assertThrows(IllegalArgumentException.class, () -> Durations.parseOrMillis("0".repeat(100_000)));
    }

    @Test
    void takes_bare_digits_only_where_allowed() {
        assertEquals(1500, Durations.parseOrMillis("1500"));
        assertEquals(0, Durations.parseOrMillis("0"));
        assertEquals(Long.MAX_VALUE, Durations.parseOrMillis("9223372036854775807"));
        assertEquals(1500, Durations.parseOrMillis("1s500ms"));
        assertThrows(IllegalArgumentException.class, () -> Durations.parse("1500"));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "-1", "+1", "1.0", "1e3", "1 ", "9223372036854775808", "٥"})
    void refuses_bad_digits_where_digits_are_allowed(String text) {
        assertThrows(IllegalArgumentException.class, () -> Durations.parseOrMillis(text));
    }

    @Test
    void says_what_was_expected() {
        var e = assertThrows(IllegalArgumentException.class, () -> Durations.parse("soon"));
        assertEquals("expected " + Durations.EXPECTED, e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"0, 0ms", "1500, 1s500ms", "5400000, 1h30m", "93784005, 1d2h3m4s5ms"})
    void writes_the_shortest_text(long millis, String text) {
        assertEquals(text, Durations.text(millis));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 999, 1000, 59_999, 3_600_001, Long.MAX_VALUE})
    void reads_back_what_it_writes(long millis) {
        assertEquals(millis, Durations.parse(Durations.text(millis)));
    }
}
