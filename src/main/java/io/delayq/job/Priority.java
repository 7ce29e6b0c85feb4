package io.delayq.job;

import java.util.Locale;

/** Which ready jobs of a topic go first. Fixed at push. */
public enum Priority {
    NORMAL,
    HIGH,
    LOW;

    /** The word on the wire. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
