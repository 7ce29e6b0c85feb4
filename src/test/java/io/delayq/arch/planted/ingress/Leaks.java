package io.delayq.arch.planted.ingress;

import io.delayq.arch.planted.ready.Kept;

/** A room that looks into another one. */
public final class Leaks {
    public int look(Kept kept) {
        return kept.here;
    }
}
