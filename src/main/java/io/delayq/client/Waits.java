package io.delayq.client;

import java.util.concurrent.ThreadLocalRandom;

/** Waits that double from {@code min} to {@code max}, each shortened at random by up to half, lest clients march in step. */
final class Waits {
    private final long min;
    private final long max;
    private long next;

    Waits(long min, long max) {
        this.min = min;
        this.max = max;
        this.next = min;
    }

    long nextMillis() {
        long wait = next;
        next = Math.min(max, next * 2);
        return Math.max(1, wait - ThreadLocalRandom.current().nextLong(wait / 2 + 1));
    }

    void reset() {
        next = min;
    }
}
