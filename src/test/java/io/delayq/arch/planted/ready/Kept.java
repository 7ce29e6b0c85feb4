package io.delayq.arch.planted.ready;

/** What another room must not know. */
public final class Kept {
    public int here;
}
