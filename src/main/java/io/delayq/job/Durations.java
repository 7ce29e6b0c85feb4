package io.delayq.job;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write them, in whole milliseconds: {@code 250ms}, {@code 1h30m}, {@code PT15M}.
 *
 * <p>Stricter than {@link java.time.Duration#parse}: no sign, no lower-case ISO, each unit at most once and from large
 * to small, and nothing is ever rounded. A day is 24 hours.
 */
public final class Durations {
    /** For messages, to be read after the word "expected". */
    public static final String EXPECTED = "a duration such as 250ms, 30s, 15m, 24h, 7d, 1h30m or PT15M";

    private static final int LONGEST_TEXT = 64;
    private static final String NUMBER = "([0-9]+)";
    private static final Pattern SHORT = Pattern.compile("(?:#d)?(?:#h)?(?:#m)?(?:#s)?(?:#ms)?".replace("#", NUMBER));
    // The look-aheads refuse a bare P, and a T that nothing follows.
    private static final Pattern ISO =
            Pattern.compile("P(?=.)(?:#D)?(?:T(?=.)(?:#H)?(?:#M)?(?:#(?:\\.([0-9]{1,9}))?S)?)?".replace("#", NUMBER));
    private static final Pattern MILLIS = Pattern.compile(NUMBER);

    private static final long SECOND = 1000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private Durations() {}

    /**
     * Milliseconds of a text with units.
     *
     * @throws IllegalArgumentException with a message that can follow the field's name
     */
    public static long parse(String text) {
        if (text != null && !text.isEmpty() && text.length() <= LONGEST_TEXT) {
            Matcher brief = SHORT.matcher(text);
            if (brief.matches()) {
                return sum(brief, 0);
            }
            Matcher iso = ISO.matcher(text);
            if (iso.matches()) {
                return sum(iso, fraction(iso.group(5)));
            }
        }
        throw new IllegalArgumentException("expected " + EXPECTED);
    }

    /** As {@link #parse}, where digits alone are a number of milliseconds. */
    public static long parseOrMillis(String text) {
        if (text != null
                && text.length() <= LONGEST_TEXT
                && MILLIS.matcher(text).matches()) {
            return times(text, 1);
        }
        return parse(text);
    }

    /** The shortest text that {@link #parse} reads as this many milliseconds. */
    public static String text(long millis) {
        if (millis < 0) {
            throw new IllegalArgumentException("a duration is not negative: " + millis);
        }
        StringBuilder text = new StringBuilder();
        long rest = append(text, millis, DAY, "d");
        rest = append(text, rest, HOUR, "h");
        rest = append(text, rest, MINUTE, "m");
        rest = append(text, rest, SECOND, "s");
        if (rest > 0 || text.isEmpty()) {
            text.append(rest).append("ms");
        }
        return text.toString();
    }

    private static long append(StringBuilder text, long millis, long unit, String name) {
        if (millis >= unit) {
            text.append(millis / unit).append(name);
        }
        return millis % unit;
    }

    /** Groups 1-4 are days, hours, minutes and seconds in both patterns; group 5 is milliseconds in the short one only. */
    private static long sum(Matcher parts, long isoMillis) {
        boolean iso = parts.pattern() == ISO;
        try {
            long total = iso ? isoMillis : times(parts.group(5), 1);
            total = Math.addExact(total, times(parts.group(4), SECOND));
            total = Math.addExact(total, times(parts.group(3), MINUTE));
            total = Math.addExact(total, times(parts.group(2), HOUR));
            return Math.addExact(total, times(parts.group(1), DAY));
        } catch (ArithmeticException e) {
            throw tooLong();
        }
    }

    private static long times(String digits, long unit) {
        try {
            return digits == null ? 0 : Math.multiplyExact(Long.parseLong(digits), unit);
        } catch (NumberFormatException | ArithmeticException e) {
            throw tooLong();
        }
    }

    private static long fraction(String digits) {
        if (digits == null) {
            return 0;
        }
        String nanos = (digits + "00000000").substring(0, 9);
        if (!nanos.endsWith("000000")) {
            throw new IllegalArgumentException("has a fraction of a millisecond; expected whole milliseconds");
        }
        return Long.parseLong(nanos.substring(0, 3));
    }

    private static IllegalArgumentException tooLong() {
        return new IllegalArgumentException("is too long; expected " + EXPECTED);
    }
}
