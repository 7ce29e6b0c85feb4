package io.delayq.job;

import java.util.List;

/** How long a failed job waits before it runs again. All durations in milliseconds. */
public sealed interface Backoff {
    Exponential DEFAULT = new Exponential(1_000, 2, 600_000, 0.1);

    /** base * factor^(attempt - 1), at most max, shortened at random by up to the share {@code jitter}. */
    record Exponential(long base, double factor, long max, double jitter) implements Backoff {}

    /** One wait for each failed attempt; the last one repeats. */
    record Steps(List<Long> waits) implements Backoff {
        public Steps {
            waits = List.copyOf(waits);
        }
    }
}
