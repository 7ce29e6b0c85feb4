package io.delayq.load.net;

import org.HdrHistogram.Histogram;

/**
 * In milliseconds.
 *
 * @param undisturbed of the jobs on whose way no core stood still; null if that is not known
 * @param disturbed in % of the jobs, those on whose way one did
 */
public record Lateness(double p50, double p99, double p999, double max, Lateness undisturbed, double disturbed) {
    /** @param micros a histogram of microseconds */
    public static Lateness of(Histogram micros) {
        return of(micros, null, 0);
    }

    private static Lateness of(Histogram micros, Lateness undisturbed, double disturbed) {
        return new Lateness(
                micros.getValueAtPercentile(50) / 1e3,
                micros.getValueAtPercentile(99) / 1e3,
                micros.getValueAtPercentile(99.9) / 1e3,
                micros.getMaxValue() / 1e3,
                undisturbed,
                disturbed);
    }

    /** @param calm those of all on whose way no core stood still */
    public static Lateness of(Histogram all, Histogram calm) {
        long count = Math.max(1, all.getTotalCount());
        return of(all, of(calm), 100.0 * (count - calm.getTotalCount()) / count);
    }
}
