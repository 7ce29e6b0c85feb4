package io.delayq.http;

import io.delayq.bus.Polls;
import io.delayq.job.IdSource;
import io.delayq.redis.Store;
import io.vertx.core.Vertx;

/** Routes of another room that are served at the port of the ingress, by each of its instances. */
@FunctionalInterface
public interface MoreRoutes {
    /** Called once in each instance, before it listens, with what belongs to its event loop. */
    void add(Vertx vertx, Api api, Store store, Polls polls, IdSource ids);

    /** These first, so that they win over those of {@code others}. */
    default MoreRoutes and(MoreRoutes others) {
        return (vertx, api, store, polls, ids) -> {
            add(vertx, api, store, polls, ids);
            others.add(vertx, api, store, polls, ids);
        };
    }
}
