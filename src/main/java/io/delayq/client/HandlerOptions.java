package io.delayq.client;

import java.time.Duration;

/** How jobs are handled. Read once, when the handling begins. */
public final class HandlerOptions {
    private static final int MAX_PREFETCH = 10_000;

    private int concurrency = 10;
    private Integer prefetch;
    private Duration extendFor = Duration.ofDays(3650);
    private Duration closeTimeout = Duration.ofSeconds(30);

    /** Most jobs that run at a time. */
    public HandlerOptions concurrency(int most) {
        concurrency = range("concurrency", most);
        return this;
    }

    /**
     * Most jobs that the server sends ahead, running ones included. As many as may run if not set; more hides the way to
     * the server when jobs are short, at the price of jobs that wait here while others have nothing to do.
     */
    public HandlerOptions prefetch(int most) {
        prefetch = range("prefetch", most);
        return this;
    }

    /**
     * How long after its arrival a job's lease is still extended. A handler that takes longer loses the job, which is then
     * delivered again. Zero: never extended. Without limit if not set.
     */
    public HandlerOptions extendFor(Duration most) {
        extendFor = most;
        return this;
    }

    /** How long {@link Handling#close} waits for jobs that have arrived. */
    public HandlerOptions closeTimeout(Duration most) {
        closeTimeout = most;
        return this;
    }

    int concurrency() {
        return concurrency;
    }

    int prefetch() {
        return prefetch == null ? concurrency : prefetch;
    }

    long extendNanos() {
        return extendFor.toSeconds() > Integer.MAX_VALUE ? Long.MAX_VALUE / 2 : extendFor.toNanos();
    }

    long closeMillis() {
        return Math.max(1, closeTimeout.toMillis());
    }

    private static int range(String name, int value) {
        if (value < 1 || value > MAX_PREFETCH) {
            throw new IllegalArgumentException("expected " + name + " from 1 to " + MAX_PREFETCH + ", found " + value);
        }
        return value;
    }
}
