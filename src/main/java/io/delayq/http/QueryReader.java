package io.delayq.http;

import io.delayq.job.Durations;
import io.delayq.job.JobState;
import io.delayq.job.Timestamps;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads query parameters. One that is not what was asked for is noted as a fault and read as if it were not there. */
public final class QueryReader {
    private static final int DEFAULT_LIMIT = 50;
    private static final int MAX_LIMIT = 500;
    /** Longer ones are not exact in the numbers that Redis orders by. */
    private static final int MAX_TIME_DIGITS = 15;

    private final Map<String, String> values = new LinkedHashMap<>();
    private final Faults faults;

    private QueryReader(Faults faults) {
        this.faults = faults;
    }

    /**
     * Any parameter but those known is a fault, as is one given twice or not decodable.
     *
     * @param query as it was sent; null if there is none
     */
    public static QueryReader read(String query, List<String> known, Faults faults) {
        QueryReader reader = new QueryReader(faults);
        for (String pair : query == null ? new String[0] : query.split("&")) {
            if (pair.isEmpty()) {
                continue;
            }
            String[] parts = pair.split("=", 2);
            try {
                reader.take(decode(parts[0]), parts.length < 2 ? "" : decode(parts[1]), known);
            } catch (Problem e) {
                faults.add(Faults.child("", parts[0]), "expected percent-encoded UTF-8");
            }
        }
        return reader;
    }

    private void take(String name, String value, List<String> known) {
        if (!known.contains(name)) {
            String expected = known.isEmpty() ? "this call takes none" : "expected " + String.join(", ", known);
            faults.add(Faults.child("", name), "unknown parameter; " + expected);
        } else if (values.put(name, value) != null) {
            faults.add(Faults.child("", name), "expected once");
        }
    }

    private static String decode(String text) {
        return Paths.decode(text.replace('+', ' '));
    }

    /** Null if it was not given. */
    public String text(String name) {
        return values.get(name);
    }

    /** Text that {@code fault} finds nothing wrong with; null if it was not given. */
    public String text(String name, Function<String, String> fault) {
        String text = values.get(name);
        String found = text == null ? null : fault.apply(text);
        if (found != null) {
            faults.add("/" + name, found);
            return null;
        }
        return text;
    }

    /** How many a page is to have at most. */
    public int limit() {
        String text = values.get("limit");
        if (text == null) {
            return DEFAULT_LIMIT;
        }
        int limit = text.matches("[0-9]{1,3}") ? Integer.parseInt(text) : 0;
        if (limit < 1 || limit > MAX_LIMIT) {
            faults.add("/limit", "expected a whole number from 1 to 500");
        }
        return limit;
    }

    /** Null if it was not given. */
    public JobState state() {
        String text = values.get("state");
        if (text == null) {
            return null;
        }
        for (JobState state : JobState.values()) {
            if (state.word().equals(text)) {
                return state;
            }
        }
        String words = Arrays.stream(JobState.values()).map(JobState::word).collect(Collectors.joining(", "));
        faults.add("/state", "expected one of " + words);
        return null;
    }

    public boolean flag(String name) {
        String text = values.get(name);
        if (text != null && !text.equals("true") && !text.equals("false")) {
            faults.add("/" + name, "expected true or false");
        }
        return "true".equals(text);
    }

    /** Milliseconds since 1970, null if it was not given. A time before 1970 reads as 1970: no job is due earlier. */
    public Long time(String name) {
        String text = values.get(name);
        if (text == null) {
            return null;
        }
        try {
            return text.matches("[0-9]{1," + MAX_TIME_DIGITS + "}")
                    ? Long.parseLong(text)
                    : Math.max(0, Timestamps.parse(text));
        } catch (IllegalArgumentException e) {
            faults.add(
                    "/" + name,
                    "expected a time (milliseconds since 1970, or RFC 3339 text such as 2030-01-31T12:00:00Z; "
                            + "write a + as %2B)");
            return null;
        }
    }

    /**
     * In milliseconds.
     *
     * @param range in words, such as {@code from 1s to 3650d}
     * @return null only along with a fault
     */
    public Long duration(String name, long min, long max, long fallback, String range) {
        String text = values.get(name);
        if (text == null) {
            return fallback;
        }
        try {
            long millis = Durations.parseOrMillis(text);
            if (millis >= min && millis <= max) {
                return millis;
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        faults.add(
                "/" + name,
                "expected a duration " + range
                        + " (a whole number of milliseconds, or text such as 30s, 15m, 24h, 7d)");
        return null;
    }
}
