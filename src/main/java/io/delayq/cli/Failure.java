package io.delayq.cli;

/** A command cannot do what it was asked; the message is one line for people, with what to do. */
final class Failure extends RuntimeException {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private final int exitCode;

    private Failure(int exitCode, String message) {
        super(message, null, false, false);
        this.exitCode = exitCode;
    }

    static Failure of(String message) {
        return new Failure(FAILED, message);
    }

    /** The command was called in a wrong way. */
    static Failure usage(String message) {
        return new Failure(USAGE, message);
    }

    int exitCode() {
        return exitCode;
    }
}
