package io.delayq.load.net;

import java.time.Duration;

/** What all runs have in common. */
final class Loops {
    /** A server that says nothing for this long is taken to hang. */
    static final Duration SILENCE = Duration.ofSeconds(30);

    private Loops() {}
}
