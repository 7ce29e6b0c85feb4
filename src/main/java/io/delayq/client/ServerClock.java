package io.delayq.client;

/**
 * What the server's clock shows, learned from its answers, because leases end by that clock and ours may be hours off.
 * An answer to "extend by ttr" carries now + ttr. Owned by the client's context.
 */
final class ServerClock {
    /** Afterwards it is asked again: clocks drift, and another Redis may have taken over. */
    private static final long FRESH_NANOS = 60_000_000_000L;

    private boolean known;
    private long offsetMillis;
    private long learnedNanos;

    /** @param sentNanos when we asked; at or before the time that was read, so that leases seem shorter, never longer */
    void learn(long serverMillis, long sentNanos) {
        known = true;
        offsetMillis = serverMillis - sentNanos / 1_000_000;
        learnedNanos = sentNanos;
    }

    boolean isFresh(long nanos) {
        return known && nanos - learnedNanos < FRESH_NANOS;
    }

    boolean isKnown() {
        return known;
    }

    long millisAt(long nanos) {
        return nanos / 1_000_000 + offsetMillis;
    }
}
