package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.List;

/** The way to whichever Redis has a bucket. Owned by one event loop: all methods are called there. */
interface Link {
    /**
     * Runs a script of a bucket.
     *
     * @param deadlineMillis from now; 0 is without: it is repeated for as long as it may have run unanswered
     */
    Future<Response> call(int bucket, Script script, List<byte[]> args, long deadlineMillis);

    /** Whether a bucket may be on its way from one Redis to another. */
    boolean slotsMove();

    /** The Redis that has the bucket; buckets of one share its speed and its fate. Any text if there is only one. */
    String node(int bucket);

    /** Whether that Redis can be reached, as far as is known. */
    boolean isUp(int bucket);

    /** Whether any can. */
    boolean isUp();

    boolean isClosed();

    /** Completes when calls can be sent. */
    Future<Void> ready();

    Future<Void> close();
}
