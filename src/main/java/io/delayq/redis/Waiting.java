package io.delayq.redis;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Work with files and processes on worker threads, waited for on one context without blocking it. */
final class Waiting {
    private static final long FIRST_LOOK_MILLIS = 10;
    private static final long LAST_LOOK_MILLIS = 200;

    private final Vertx vertx;
    private final Context context;

    Waiting(Vertx vertx) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
    }

    Context context() {
        return context;
    }

    <T> Future<T> onContext(Supplier<Future<T>> work) {
        Promise<T> done = Promise.promise();
        context.runOnContext(v -> work.get().onComplete(done));
        return done.future();
    }

    <T> Future<T> blocking(Callable<T> work) {
        return context.executeBlocking(work, false);
    }

    Future<Void> blocking(Runnable work) {
        return blocking(() -> {
            work.run();
            return null;
        });
    }

    void later(long millis, Runnable work) {
        vertx.setTimer(Math.max(1, millis), timer -> work.run());
    }

    /**
     * Looks, on a worker thread, until there is something; less often as time goes on. Flat, not composed: it may go on
     * for hours.
     */
    <T> Future<T> until(Callable<Optional<T>> look) {
        Promise<T> found = Promise.promise();
        look(look, found, FIRST_LOOK_MILLIS);
        return found.future();
    }

    private <T> void look(Callable<Optional<T>> look, Promise<T> found, long wait) {
        long longer = Math.min(wait + wait / 4, LAST_LOOK_MILLIS);
        blocking(look)
                .onSuccess(seen ->
                        seen.ifPresentOrElse(found::complete, () -> later(wait, () -> look(look, found, longer))))
                .onFailure(found::fail);
    }

    static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
