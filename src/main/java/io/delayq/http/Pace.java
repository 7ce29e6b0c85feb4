package io.delayq.http;

import java.util.function.LongSupplier;

/**
 * Whether a client sends fast enough while it is listened to: 1 KiB a second, with some time in hand at first. What is sent
 * faster brings that time back, but no more of it, so that nobody can send quickly at first and then hold on for hours. For
 * one event loop.
 */
public final class Pace {
    private static final long NANOS_A_BYTE = 1_000_000_000L / 1024;

    private final LongSupplier clock;
    private final long mostNanos;
    private long inHandNanos;
    private boolean listening;
    private long since;

    public Pace(long inHandMillis) {
        this(inHandMillis, System::nanoTime);
    }

    Pace(long inHandMillis, LongSupplier clock) {
        this.clock = clock;
        this.mostNanos = inHandMillis * 1_000_000;
        this.inHandNanos = mostNanos;
    }

    public void heard(int bytes) {
        spend();
        inHandNanos = Math.min(mostNanos, inHandNanos + bytes * NANOS_A_BYTE);
    }

    /** Its time runs only while the client is listened to and owed nothing. */
    public void listen(boolean listens) {
        spend();
        listening = listens;
    }

    public boolean isTooSlow() {
        return leftMillis() <= 0;
    }

    public long leftMillis() {
        spend();
        return inHandNanos / 1_000_000;
    }

    public Problem problem() {
        return ProblemType.REQUEST_TIMEOUT.with("the body came too slowly; after the first " + mostNanos / 1_000_000
                + " ms send at least 1 KiB a second, without long pauses");
    }

    private void spend() {
        long now = clock.getAsLong();
        inHandNanos -= listening ? now - since : 0;
        since = now;
    }
}
