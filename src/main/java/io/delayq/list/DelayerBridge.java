package io.delayq.list;

import io.delayq.redis.DelayerStore;
import io.delayq.redis.DelayerStore.Bridged;
import io.delayq.redis.Stores;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;

/**
 * Front end C5: stands in for the binary of mix-basic/delayer, whose clients write and read Redis themselves. Moves ids
 * that are due to the ready queues; sleeps until the next one is, but never for long, since clients do not tell of new
 * ones. Several side by side are harmless.
 */
public final class DelayerBridge extends VerticleBase {
    private static final int IDS_A_CALL = 500;
    private static final long LONGEST_SLEEP_MILLIS = 500;
    private static final long REST_MILLIS = 1_000;

    private final Stores stores;
    private DelayerStore store;
    private Promise<Void> underWay;
    private long timer;
    private boolean stopped;

    public DelayerBridge(Stores stores) {
        this.stores = stores;
    }

    @Override
    public Future<?> start() {
        if (stores.isSpread()) {
            return Future.failedFuture(new IllegalStateException("compat c5 needs a single Redis, since the keys of its"
                    + " clients have no hash tags; the buckets lie on several"));
        }
        store = stores.openDelayer(vertx, "delayer");
        return store.store().ready().onSuccess(ready -> run());
    }

    @Override
    public Future<?> stop() {
        stopped = true;
        vertx.cancelTimer(timer);
        Future<?> last = underWay == null ? Future.succeededFuture() : underWay.future();
        return last.eventually(() -> store.store().close());
    }

    private void run() {
        underWay = Promise.promise();
        store.bridge(IDS_A_CALL).onComplete(result -> {
            Promise<Void> over = underWay;
            underWay = null;
            over.complete();
            if (!stopped) {
                // what went wrong with Redis is in the log already
                long wait = result.succeeded() ? sleepAfter(result.result()) : REST_MILLIS;
                timer = vertx.setTimer(wait, fired -> run());
            }
        });
    }

    private static long sleepAfter(Bridged bridged) {
        long next = bridged.next() < 0 ? LONGEST_SLEEP_MILLIS : bridged.next() - bridged.now();
        return Math.max(1, Math.min(next, LONGEST_SLEEP_MILLIS));
    }
}
