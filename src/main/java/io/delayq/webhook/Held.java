package io.delayq.webhook;

import io.delayq.job.Delivery;
import java.net.URI;

/**
 * A reserved job that is to be called.
 *
 * @param line what its topic's jobs that go by callback are called
 * @param takenNanos when it came
 */
record Held(Delivery job, String line, URI url, long takenNanos) {
    private static final long MILLIS = 1_000_000;
    private static final long MOST_PATIENCE = 500 * MILLIS;

    /** How long the lease lasts in all. */
    long ttrMillis() {
        return Math.max(1, job.deadline() - job.hook().now());
    }

    /** How long the lease lasts from now on. */
    long leftMillis(long nanos) {
        return ttrMillis() - (nanos - takenNanos) / MILLIS;
    }

    /** Redis' clock. */
    long nowMillis(long nanos) {
        return job.hook().now() + (nanos - takenNanos) / MILLIS;
    }

    /** How long it may wait for its turn: most of the lease is for the call. */
    long patienceNanos() {
        return Math.min(MOST_PATIENCE, ttrMillis() * MILLIS / 4);
    }
}
