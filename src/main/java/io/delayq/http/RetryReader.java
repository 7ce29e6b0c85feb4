package io.delayq.http;

import com.fasterxml.jackson.core.JsonToken;
import io.delayq.job.Backoff;
import io.delayq.job.Retry;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code retry}: parts left out stay null and follow the topic. */
public final class RetryReader {
    private static final List<String> FIELDS = List.of("maxAttempts", "backoff");
    private static final List<String> BACKOFF_FIELDS = List.of("base", "factor", "max", "jitter");
    private static final long DAY = 86_400_000;
    private static final int MAX_STEPS = 50;

    private final JsonReader in;
    private Long maxAttempts;
    private Backoff backoff;
    private long base = Backoff.DEFAULT.base();
    private double factor = Backoff.DEFAULT.factor();
    private long max = Backoff.DEFAULT.max();
    private double jitter = Backoff.DEFAULT.jitter();

    private RetryReader(JsonReader in) {
        this.in = in;
    }

    public static Retry read(JsonReader in) {
        RetryReader reader = new RetryReader(in);
        in.object(FIELDS, reader::field);
        return reader.maxAttempts == null && reader.backoff == null
                ? Retry.INHERITED
                : new Retry(reader.maxAttempts == null ? null : reader.maxAttempts.intValue(), reader.backoff);
    }

    private boolean field(String name) {
        switch (name) {
            case "maxAttempts" ->
                maxAttempts = in.whole(0, 1_000, "a whole number from 1 to 1000, or 0 for without limit");
            case "backoff" -> backoff = backoff();
            default -> {
                return false;
            }
        }
        return true;
    }

    private Backoff backoff() {
        if (in.token() == JsonToken.START_ARRAY) {
            return steps();
        }
        if (in.token() != JsonToken.START_OBJECT) {
            in.expected("an object with base, factor, max, jitter, or a list of 1 to 50 durations");
            return null;
        }
        in.object(BACKOFF_FIELDS, this::backoffField);
        return new Backoff.Exponential(base, factor, max, jitter);
    }

    private boolean backoffField(String name) {
        switch (name) {
            case "base" -> base = or(in.duration(0, DAY, "from 0ms to 24h"), base);
            case "factor" -> factor = or(in.number(1, 10, "a number from 1 to 10"), factor);
            case "max" -> max = or(in.duration(0, 30 * DAY, "from 0ms to 30d"), max);
            case "jitter" -> jitter = or(in.number(0, 1, "a number from 0 to 1"), jitter);
            default -> {
                return false;
            }
        }
        return true;
    }

    private Backoff steps() {
        List<Long> waits = new ArrayList<>();
        int count = 0;
        while (in.next() != JsonToken.END_ARRAY) {
            if (++count > MAX_STEPS) {
                in.skip();
                continue;
            }
            Long wait = in.duration(0, 30 * DAY, "from 0ms to 30d");
            if (wait != null) {
                waits.add(wait);
            }
        }
        if (count == 0 || count > MAX_STEPS) {
            in.fault("expected a list of 1 to 50 durations, found " + count);
        }
        return new Backoff.Steps(waits);
    }

    private static <T> T or(T value, T fallback) {
        return value == null ? fallback : value;
    }
}
