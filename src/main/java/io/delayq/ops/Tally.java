package io.delayq.ops;

import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;

/**
 * How many jobs a server, or all of them, have pushed, delivered and so on since some time; and how late the deliveries
 * were. Immutable.
 */
public final class Tally {
    /** What is counted, in its order. */
    public static final List<String> NAMES = List.of("pushed", "delivered", "acked", "retried", "dead", "expired");

    static final long[] LATENESS_MILLIS = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 60_000};

    public static final Tally NONE = new Tally(new long[NAMES.size() + LATENESS_MILLIS.length + 1]);

    /** The counts; then the deliveries up to each lateness but not the one before, at last those beyond all. */
    private final long[] values;

    private Tally(long[] values) {
        this.values = values;
    }

    /** @param lateness as many as there are bounds, and one for what is beyond */
    static Tally of(long[] counts, long[] lateness) {
        long[] values = Arrays.copyOf(counts, counts.length + lateness.length);
        System.arraycopy(lateness, 0, values, counts.length, lateness.length);
        return new Tally(values);
    }

    /** The one that stands there in {@link #NAMES}. */
    public long count(int name) {
        return values[name];
    }

    public Tally plus(Tally other) {
        long[] sum = values.clone();
        Arrays.setAll(sum, i -> values[i] + other.values[i]);
        return new Tally(sum);
    }

    /** What was added since another one; nothing where that had more. */
    public Tally since(Tally before) {
        long[] rest = values.clone();
        Arrays.setAll(rest, i -> Math.max(0, values[i] - before.values[i]));
        return new Tally(rest);
    }

    /**
     * How late, in ms, that part of the deliveries was at most: as exact as the bounds allow, between which they are taken
     * to lie evenly. Null if there were none.
     */
    public Double lateness(double part) {
        long all = 0;
        for (int i = NAMES.size(); i < values.length; i++) {
            all += values[i];
        }
        if (all == 0) {
            return null;
        }
        double left = part * all;
        double from = 0;
        for (int i = 0; i < LATENESS_MILLIS.length; i++) {
            long here = values[NAMES.size() + i];
            if (here > 0 && left <= here) {
                return from + (LATENESS_MILLIS[i] - from) * left / here;
            }
            left -= here;
            from = LATENESS_MILLIS[i];
        }
        return from;
    }

    /** One word. */
    public String text() {
        StringJoiner text = new StringJoiner(",");
        Arrays.stream(values).forEach(value -> text.add(Long.toString(value)));
        return text.toString();
    }

    /** Null: it is none, or one of a server that counts other things. */
    public static Tally read(String text) {
        String[] words = text.split(",", -1);
        if (words.length != NONE.values.length) {
            return null;
        }
        try {
            return new Tally(Arrays.stream(words).mapToLong(Long::parseLong).toArray());
        } catch (NumberFormatException e) {
            return null;
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Tally tally && Arrays.equals(values, tally.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return text();
    }
}
