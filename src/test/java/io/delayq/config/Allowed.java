package io.delayq.config;

/** A list of where callbacks may go, for tests. */
public final class Allowed {
    private Allowed() {}

    public static AllowList of(String text) {
        try {
            return AllowList.parse(text);
        } catch (Refused e) {
            throw new AssertionError(text, e);
        }
    }
}
