package io.delayq.bus;

/** Somebody has changed a topic, on whichever server. */
public record TopicChanged(Kind kind, String topic) {
    /** What was done. */
    public enum Kind {
        PAUSED,
        RESUMED,
        SETTINGS,
        DELETED
    }
}
