package io.delayq.redis;

/** Nobody is the master, or nobody says who is. The message is for the log: it has no secrets. */
final class NoMaster extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoMaster(String message) {
        super(message, null, false, false);
    }
}
