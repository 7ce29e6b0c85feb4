package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Lets long work have Redis a part of the time only: when it has worked for a while it rests, so many times as long. The
 * round trip counts, so where others wait for Redis or for a processor it rests longer.
 */
final class Pace {
    /** Timers are no finer than a millisecond: what takes less is not worth a rest of its own. */
    private static final long STINT_NANOS = 1_500_000;

    private static final long MOST_REST_MILLIS = 20;

    private final int rests;
    private long worked;

    Pace(int rests) {
        this.rests = rests;
    }

    <T> Future<T> next(Supplier<Future<T>> step) {
        if (worked < STINT_NANOS) {
            return timed(step);
        }
        long rest = rests * Math.min(MOST_REST_MILLIS, Math.round(worked / 1e6));
        worked = 0;
        return Vertx.currentContext().owner().timer(rest, TimeUnit.MILLISECONDS).compose(rested -> timed(step));
    }

    private <T> Future<T> timed(Supplier<Future<T>> step) {
        long began = System.nanoTime();
        return step.get().onSuccess(done -> worked += System.nanoTime() - began);
    }
}
