package io.delayq.job;

import java.time.DateTimeException;
import java.time.LocalDate;

/** Reads RFC 3339 times. */
public final class Timestamps {
    private static final String EXPECTED = "not an RFC 3339 time";
    private static final int LONGEST = 64;
    private static final long DAY_SECONDS = 86_400;

    private Timestamps() {}

    /**
     * Milliseconds since 1970 of {@code 2030-01-31T12:00:00.5+01:00}. A fraction finer than a millisecond is rounded
     * up, because a job must not run before its time.
     *
     * @throws IllegalArgumentException if it is anything else
     */
    public static long parse(String text) {
        if (text.length() < 20 || text.length() > LONGEST) {
            throw new IllegalArgumentException(EXPECTED);
        }
        expect(text, 4, '-');
        expect(text, 7, '-');
        expect(text, 10, 'T');
        expect(text, 13, ':');
        expect(text, 16, ':');
        int second = number(text, 17, 19, 60);
        long seconds = epochDay(text) * DAY_SECONDS
                + number(text, 11, 13, 23) * 3_600L
                + number(text, 14, 16, 59) * 60L
                + second;
        int at = 19;
        long millis = 0;
        if (text.charAt(at) == '.') {
            int from = ++at;
            while (at < text.length() && isDigit(text.charAt(at))) {
                at++;
            }
            millis = fraction(text, from, at);
        }
        seconds -= offsetSeconds(text, at);
        if (second == 60 && Math.floorMod(seconds, DAY_SECONDS) != 0) {
            throw new IllegalArgumentException(EXPECTED);
        }
        return seconds * 1_000 + millis;
    }

    private static long epochDay(String text) {
        try {
            return LocalDate.of(number(text, 0, 4, 9999), number(text, 5, 7, 12), number(text, 8, 10, 31))
                    .toEpochDay();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(EXPECTED, e);
        }
    }

    private static long fraction(String text, int from, int to) {
        if (from == to) {
            throw new IllegalArgumentException(EXPECTED);
        }
        long millis = 0;
        for (int i = 0; i < 3; i++) {
            millis = millis * 10 + (from + i < to ? text.charAt(from + i) - '0' : 0);
        }
        for (int i = from + 3; i < to; i++) {
            if (text.charAt(i) != '0') {
                return millis + 1;
            }
        }
        return millis;
    }

    private static long offsetSeconds(String text, int at) {
        if (at + 1 == text.length()) {
            expect(text, at, 'Z');
            return 0;
        }
        if (at + 6 != text.length() || (text.charAt(at) != '+' && text.charAt(at) != '-')) {
            throw new IllegalArgumentException(EXPECTED);
        }
        expect(text, at + 3, ':');
        long seconds = number(text, at + 1, at + 3, 23) * 3_600L + number(text, at + 4, at + 6, 59) * 60L;
        return text.charAt(at) == '-' ? -seconds : seconds;
    }

    private static int number(String text, int from, int to, int max) {
        int value = 0;
        for (int i = from; i < to; i++) {
            if (!isDigit(text.charAt(i))) {
                throw new IllegalArgumentException(EXPECTED);
            }
            value = value * 10 + text.charAt(i) - '0';
        }
        if (value > max) {
            throw new IllegalArgumentException(EXPECTED);
        }
        return value;
    }

    /** Letters in either case, as the RFC allows. */
    private static void expect(String text, int at, char wanted) {
        char c = at < text.length() ? text.charAt(at) : 0;
        if (c != wanted && (wanted < 'A' || c != wanted + 32)) {
            throw new IllegalArgumentException(EXPECTED);
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
