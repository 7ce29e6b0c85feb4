package io.delayq.redis;

/** Why the store did not do what it was asked. Carries no Redis text: that may quote the request, payload included. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public enum Kind {
        /** Redis is out of reach or refuses: nothing was changed. */
        UNAVAILABLE,
        /** Too much is waiting for Redis already: nothing was changed. */
        BUSY,
        /** The request was sent but not answered in time: it may or may not have happened. */
        UNKNOWN,
        /** Done by the master, but not known to be on as many replicas as asked: a failover may undo it. */
        NOT_REPLICATED,
        /** Redis is at its memory limit: nothing was changed. */
        FULL,
        /** A script failed: a defect of ours. */
        DEFECT
    }

    private final Kind kind;

    public StoreException(Kind kind, String message) {
        super(message, null, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
