package io.delayq.compat;

import io.delayq.bus.Addresses;
import io.delayq.bus.Polls;
import io.delayq.config.Settings;
import io.delayq.http.Access;
import io.delayq.http.Api;
import io.delayq.http.Listener;
import io.delayq.job.Ids;
import io.delayq.redis.Store;
import io.delayq.redis.Stores;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/** Front ends of <b>push</b> -> bucket -> ready -> consumer -> ack at an address of their own, and nothing else there. */
public final class FrontVerticle extends VerticleBase {
    private final Settings settings;
    private final Access access;
    private final Stores stores;
    private final Addresses addresses;
    private final Ids ids;
    private final FrontDoor door;
    private final String name;
    private Store store;
    private Polls polls;
    private Api api;
    private Listener listener;

    /**
     * @param address where to listen
     * @param name unique among the rooms of the server
     */
    public FrontVerticle(
            Settings settings,
            Settings.Address address,
            Access access,
            Stores stores,
            Addresses addresses,
            Ids ids,
            FrontDoor door,
            String name) {
        this.settings = settings.at(address);
        this.access = access.at(this.settings);
        this.stores = stores;
        this.addresses = addresses;
        this.ids = ids;
        this.door = door;
        this.name = name;
    }

    @Override
    public Future<?> start() {
        store = stores.open(vertx, name);
        polls = new Polls(
                vertx, addresses, name, store::isUp, 2 * stores.endpoint().deadlineMillis());
        api = new Api(vertx, access, settings.http().headerMillis());
        door.add(vertx, api, store, polls, store.ids(ids));
        stores.meters().queue("polls", name, polls::waiting);
        listener = new Listener(vertx, settings.http(), 1)
                .holding(settings.frontEnds().holdMillis())
                .telling(stores.meters()::answered);
        return polls.start()
                .compose(ready -> store.ready())
                .<Object>compose(
                        ready -> listener.listen(api, settings.http().port()).mapEmpty())
                // one that did not start is not stopped, and its connection would outlive it
                .recover(error -> store.close().transform(closed -> Future.failedFuture(error)));
    }

    @Override
    public Future<?> stop() {
        polls.drain();
        return api.drain().eventually(listener::close).eventually(store::close);
    }
}
