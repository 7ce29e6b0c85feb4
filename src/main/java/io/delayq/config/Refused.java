package io.delayq.config;

import java.util.List;

/** A value that its parser does not take. */
public final class Refused extends Exception {
    private final transient List<Wrong> wrongs;

    /**
     * One wrong place inside a value.
     *
     * @param at where, to be appended to the key's name: {@code [0].rights}
     * @param given what may be printed of it, null for nothing
     */
    record Wrong(String at, String given, String problem) {}

    /** The value as a whole is not what its key expects. */
    Refused() {
        this(List.of());
    }

    Refused(List<Wrong> wrongs) {
        super("not as expected", null, false, false);
        this.wrongs = List.copyOf(wrongs);
    }

    /** Empty: the whole value is wrong. */
    List<Wrong> wrongs() {
        return wrongs;
    }
}
