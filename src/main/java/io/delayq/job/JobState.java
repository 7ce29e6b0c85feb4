package io.delayq.job;

import java.util.Locale;

/** delayed -> ready -> reserved -> done | delayed again | dead. A cancelled or expired job is gone. */
public enum JobState {
    DELAYED,
    READY,
    RESERVED,
    DEAD,
    DONE;

    /** The word on the wire. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
