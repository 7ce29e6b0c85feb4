package io.delayq.bus;

import io.delayq.redis.HintSubscription;
import io.delayq.redis.Store;
import io.delayq.redis.Stores;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/**
 * Between the rooms, not one of them: turns the hints that scripts publish in Redis into messages for the scanners and
 * dispatchers of this process, and once a second looks at every bucket for what was missed. One for each process.
 */
public final class WakeVerticle extends VerticleBase implements HintSubscription.Listener {
    private static final long LOOK_MILLIS = 1_000;
    private static final long DEAF_MILLIS = 3_500;

    private final Stores stores;
    private final Addresses addresses;
    private Courier courier;
    private Store store;
    private HintSubscription subscription;
    private long timer;
    private boolean stopped;

    public WakeVerticle(Stores stores, Addresses addresses) {
        this.stores = stores;
        this.addresses = addresses;
    }

    @Override
    public Future<?> start() {
        courier = new Courier(vertx);
        store = stores.open(vertx, "wake");
        subscription = new HintSubscription(vertx, stores.endpoint(), stores.keys(), this);
        lookAgain();
        return Future.succeededFuture();
    }

    @Override
    public Future<?> stop() {
        stopped = true;
        vertx.cancelTimer(timer);
        return subscription.close().eventually(store::close);
    }

    @Override
    public void alarm(int bucket, long at, long now) {
        courier.send(addresses.scanner(addresses.scannerOf(bucket)), new AlarmHint(bucket, at, now));
    }

    @Override
    public void ready(int bucket, String topic) {
        courier.send(addresses.dispatcherOf(topic), new ReadyHint(bucket, topic));
    }

    @Override
    public void listening() {
        for (int bucket = 0; bucket < stores.buckets(); bucket++) {
            look(bucket);
        }
    }

    private void lookAgain() {
        if (stopped) {
            return;
        }
        subscription.reconnectIfSilentFor(DEAF_MILLIS);
        Future<Void> all = Future.succeededFuture();
        for (int bucket = 0; bucket < stores.buckets(); bucket++) {
            Future<Void> one = look(bucket);
            all = all.eventually(() -> one);
        }
        all.onComplete(done -> timer = vertx.setTimer(LOOK_MILLIS, id -> lookAgain()));
    }

    /** A failed look is made good by the next one. */
    private Future<Void> look(int bucket) {
        return store.look(bucket)
                .onSuccess(seen -> {
                    if (seen.alarm() >= 0) {
                        alarm(bucket, seen.alarm(), seen.now());
                    }
                    seen.awake().forEach(topic -> ready(bucket, topic));
                })
                .<Void>mapEmpty()
                .otherwiseEmpty();
    }
}
