package io.delayq.load.net;

import org.HdrHistogram.Histogram;

/** In milliseconds. */
public record Lateness(double p50, double p99, double p999, double max) {
    /** @param micros a histogram of microseconds */
    public static Lateness of(Histogram micros) {
        return new Lateness(
                micros.getValueAtPercentile(50) / 1e3,
                micros.getValueAtPercentile(99) / 1e3,
                micros.getValueAtPercentile(99.9) / 1e3,
                micros.getMaxValue() / 1e3);
    }
}
