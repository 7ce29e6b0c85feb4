package io.delayq.cli;

/**
 * What doctor found out about one thing.
 *
 * @param remedy what to do; null: nothing
 */
record Finding(Level level, String check, String found, String remedy) {
    enum Level {
        OK,
        NOTE,
        WARNING,
        PROBLEM
    }

    static Finding ok(String check, String found) {
        return new Finding(Level.OK, check, found, null);
    }

    /** Worth knowing, and not wrong. */
    static Finding note(String check, String found, String remedy) {
        return new Finding(Level.NOTE, check, found, remedy);
    }

    /** Wrong for most, and perhaps meant. */
    static Finding warning(String check, String found, String remedy) {
        return new Finding(Level.WARNING, check, found, remedy);
    }

    static Finding problem(String check, String found, String remedy) {
        return new Finding(Level.PROBLEM, check, found, remedy);
    }
}
