package io.delayq.ops;

import io.vertx.core.Vertx;

/**
 * Measures how late an event loop comes to its timers: what holds it up holds up everything on it. Owned by that loop, and
 * ends with the verticle that began it.
 */
public final class LoopLag {
    private static final long EVERY_MILLIS = 250;
    /** What is told is the worst of the last one to two such windows. */
    private static final int TICKS_A_WINDOW = 60;

    private final Vertx vertx;
    private int ticks;
    private volatile long worstNanos;
    private volatile long worstBeforeNanos;

    private LoopLag(Vertx vertx) {
        this.vertx = vertx;
    }

    /** @param instance of the verticle whose loop this is called on */
    public static void watch(Vertx vertx, String instance, Meters meters) {
        LoopLag lag = new LoopLag(vertx);
        meters.loopLag(instance, () -> Math.max(lag.worstNanos, lag.worstBeforeNanos) / 1e9);
        lag.measure();
    }

    private void measure() {
        long due = System.nanoTime() + EVERY_MILLIS * 1_000_000;
        vertx.setTimer(EVERY_MILLIS, fired -> {
            if (++ticks % TICKS_A_WINDOW == 0) {
                worstBeforeNanos = worstNanos;
                worstNanos = 0;
            }
            worstNanos = Math.max(worstNanos, System.nanoTime() - due);
            measure();
        });
    }
}
