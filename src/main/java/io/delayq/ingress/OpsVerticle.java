package io.delayq.ingress;

import io.delayq.bus.Addresses;
import io.delayq.config.Settings;
import io.delayq.http.Access;
import io.delayq.http.Api;
import io.delayq.http.Listener;
import io.delayq.redis.Store;
import io.delayq.redis.Stores;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/** In place of the ingress on a server without that role: listens on the same port, and answers how the server is. */
public final class OpsVerticle extends VerticleBase {
    private final Settings settings;
    private final Access access;
    private final Stores stores;
    private final Addresses addresses;
    private final OpsRoutes ops;
    private final int port;
    private Store store;
    private Api api;
    private EventRoutes events;
    private Listener listener;

    public OpsVerticle(Settings settings, Access access, Stores stores, Addresses addresses, OpsRoutes ops, int port) {
        this.settings = settings;
        this.access = access;
        this.stores = stores;
        this.addresses = addresses;
        this.ops = ops;
        this.port = port;
    }

    @Override
    public Future<?> start() {
        store = stores.open(vertx, "ops");
        api = new Api(vertx, access, settings.http().headerMillis());
        ops.routes(vertx, api, store);
        events = new EventRoutes(vertx, addresses, 1);
        events.routes(api);
        stores.meters().queue("events", "ops", events::listeners);
        new ConnectionRoutes(vertx, addresses).routes(api);
        listener = new Listener(vertx, settings.http(), 1).telling(stores.meters()::answered);
        return store.ready()
                .<Object>compose(ready -> listener.listen(api, port).mapEmpty())
                // one that did not start is not stopped, and its connection would outlive it
                .recover(error -> store.close().transform(closed -> Future.failedFuture(error)));
    }

    @Override
    public Future<?> stop() {
        events.drain();
        return api.drain().eventually(listener::close).eventually(store::close);
    }

    public int actualPort() {
        return listener.actualPort();
    }
}
