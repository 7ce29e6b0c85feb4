package io.delayq.http;

import io.delayq.config.Allowed;
import io.vertx.core.Future;

/** For tests that are about something else than where callbacks go. */
public final class AnyTarget {
    public static final Targets ANY = new Targets(Allowed.of("0.0.0.0/0, ::/0"), name -> Future.failedFuture(name));

    private AnyTarget() {}
}
