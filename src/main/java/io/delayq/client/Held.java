package io.delayq.client;

/** A job that a connection holds, until the server has taken our answer. Owned by the client's context. */
final class Held {
    static final long NEVER = Long.MAX_VALUE;

    final Job job;
    final Session session;
    final long arrivedNanos;
    /** When to extend the lease; {@link #NEVER} while that is not known or an extension is under way. */
    long extendAtNanos = NEVER;
    /** What one extension asks for; 0 while not known. */
    long ttrMillis;
    /** It has run and its outcome is on its way. */
    boolean finished;
    /** Null: it succeeded. */
    String failure;
    /** The outcome was sent before, so that a stale lease may be our own doing. */
    boolean sentBefore;

    Held(Job job, Session session, long arrivedNanos) {
        this.job = job;
        this.session = session;
        this.arrivedNanos = arrivedNanos;
    }
}
