package io.delayq.redis;

/** The embedded Redis cannot be had; the message is meant for whoever started the server. */
public class EmbeddedRedisException extends RuntimeException {
    public EmbeddedRedisException(String message) {
        super(message);
    }

    public EmbeddedRedisException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Somebody else listens on the port that was chosen. */
    static final class PortTaken extends EmbeddedRedisException {
        PortTaken(int port) {
            super("port " + port + " is in use");
        }
    }
}
