package io.delayq.job;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads durations as clients write them. */
public final class Durations {
    private static final Pattern PARTS = Pattern.compile(
            "(?:(\\d{1,15})d)?(?:(\\d{1,15})h)?(?:(\\d{1,15})m(?!s))?" + "(?:(\\d{1,15})s)?(?:(\\d{1,15})ms)?");
    private static final long[] UNITS = {86_400_000, 3_600_000, 60_000, 1_000, 1};

    private Durations() {}

    /** Milliseconds of {@code 250ms}, {@code 30s}, {@code 1h30m}, {@code PT15M}. */
    public static long parse(String text) {
        try {
            if (text.startsWith("P")) {
                return Duration.parse(text).toMillis();
            }
            Matcher parts = PARTS.matcher(text);
            if (text.isEmpty() || !parts.matches()) {
                throw new IllegalArgumentException("not a duration");
            }
            long millis = 0;
            for (int i = 0; i < UNITS.length; i++) {
                if (parts.group(i + 1) != null) {
                    millis = Math.addExact(millis, Math.multiplyExact(Long.parseLong(parts.group(i + 1)), UNITS[i]));
                }
            }
            return millis;
        } catch (DateTimeParseException | ArithmeticException e) {
            throw new IllegalArgumentException("not a duration", e);
        }
    }
}
