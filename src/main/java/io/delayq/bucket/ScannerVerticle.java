package io.delayq.bucket;

import io.delayq.bus.Addresses;
import io.delayq.bus.AlarmHint;
import io.delayq.bus.Courier;
import io.delayq.bus.Post;
import io.delayq.bus.Share;
import io.delayq.redis.Store;
import io.delayq.redis.Stores;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.internal.ContextInternal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Room 2 of push -> <b>bucket</b> -> ready -> consumer -> ack: moves what is due from the clock to ready, and jobs whose
 * lease ended back. Sleeps until its bucket's next alarm; a hint tells of an earlier one. Scans the buckets that are this
 * server's, and others a little after their alarm and not often: their scanner may be gone, or cannot keep up.
 */
public final class ScannerVerticle extends VerticleBase {
    static final int JOBS_A_CALL = 500;
    private static final long PAUSE_AFTER_FAILURE_MICROS = 100_000;
    /** A job in another server's bucket is at most the longer of the two late while that server is dead. */
    private static final long OVERDUE_MICROS = 200_000;

    private static final long OTHERS_MICROS = 250_000;

    private final Stores stores;
    private final Addresses addresses;
    private final int instance;
    private final Map<Integer, Scan> scans = new LinkedHashMap<>();
    private Store store;
    private volatile int owned;
    private boolean stopped;

    /** One bucket's turn: a scan under way, or a timer to the next one, or neither while nothing waits. */
    private static final class Scan {
        final Alarm alarm = new Alarm();
        Promise<Void> underWay;
        ScheduledFuture<?> timer;
        /** Whether it is this server's. */
        boolean own;

        long scannedAt = System.nanoTime();

        /** As {@link Alarm#waitMicros}. What is due in another server's bucket was probably served meanwhile. */
        long waitMicros(long nanos) {
            if (own) {
                return alarm.waitMicros(nanos);
            }
            long wait = alarm.waitMicros(nanos - OVERDUE_MICROS * 1_000);
            long rest = OTHERS_MICROS - (nanos - scannedAt) / 1_000;
            return wait < 0 ? wait : Math.max(wait, rest);
        }

        void cancelTimer() {
            if (timer != null) {
                timer.cancel(false);
                timer = null;
            }
        }
    }

    public ScannerVerticle(Stores stores, Addresses addresses, int instance) {
        this.stores = stores;
        this.addresses = addresses;
        this.instance = instance;
    }

    @Override
    public Future<?> start() {
        store = stores.open(vertx, "scanner-" + instance);
        for (int bucket = 0; bucket < stores.buckets(); bucket++) {
            if (addresses.scannerOf(bucket) == instance) {
                scans.put(bucket, new Scan());
            }
        }
        stores.meters().scanning("scanner-" + instance, () -> owned);
        return vertx.eventBus()
                .<Post>consumer(addresses.scanner(instance), message -> Courier.receive(message, this::received))
                .completion()
                .compose(ready -> store.ready());
    }

    @Override
    public Future<?> stop() {
        stopped = true;
        Future<Void> underWay = Future.succeededFuture();
        for (Scan scan : scans.values()) {
            scan.cancelTimer();
            if (scan.underWay != null) {
                Future<Void> one = scan.underWay.future();
                underWay = underWay.eventually(() -> one);
            }
        }
        return underWay.eventually(store::close);
    }

    private void received(Object letter) {
        if (stopped) {
            return;
        }
        if (letter instanceof Share share) {
            scans.forEach((bucket, scan) -> share(bucket, scan, share.buckets().contains(bucket)));
            owned = (int) scans.values().stream().filter(scan -> scan.own).count();
        } else if (letter instanceof AlarmHint hint) {
            hinted(hint, scans.get(hint.bucket()));
        }
    }

    private void share(int bucket, Scan scan, boolean own) {
        if (scan.own == own) {
            return;
        }
        scan.own = own;
        if (scan.underWay == null) {
            if (own) {
                scan(bucket);
            } else {
                sleep(bucket, scan);
            }
        }
    }

    private void hinted(AlarmHint hint, Scan scan) {
        if (scan == null) {
            return;
        }
        scan.alarm.hinted(hint.at());
        scan.alarm.heard(hint.now() * 1_000, System.nanoTime());
        if (scan.underWay == null) {
            sleep(hint.bucket(), scan);
        }
    }

    private void scan(int bucket) {
        Scan scan = scans.get(bucket);
        scan.cancelTimer();
        scan.scannedAt = System.nanoTime();
        scan.alarm.scanning();
        scan.underWay = Promise.promise();
        store.due(bucket, JOBS_A_CALL).onComplete(result -> {
            if (result.succeeded()) {
                scan.alarm.scanned(result.result().nowMicros(), result.result().alarm(), System.nanoTime());
            }
            Promise<Void> over = scan.underWay;
            scan.underWay = null;
            over.complete();
            if (stopped) {
                return;
            }
            if (result.failed()) {
                if (scan.own) {
                    wake(bucket, scan, PAUSE_AFTER_FAILURE_MICROS);
                }
            } else if (scan.alarm.waitMicros(System.nanoTime()) == 0) {
                // more than one call can move: a server that is gone may have left much
                scan(bucket);
            } else {
                sleep(bucket, scan);
            }
        });
    }

    /** By the event loop's own timer, whose steps are finer than Vert.x's milliseconds. */
    private void sleep(int bucket, Scan scan) {
        scan.cancelTimer();
        long wait = scan.waitMicros(System.nanoTime());
        if (wait == 0) {
            scan(bucket);
        } else if (wait > 0) {
            wake(bucket, scan, wait);
        }
    }

    private void wake(int bucket, Scan scan, long micros) {
        EventLoop loop = ((ContextInternal) context).nettyEventLoop();
        scan.timer = loop.schedule(() -> context.runOnContext(v -> timerFired(bucket)), micros, TimeUnit.MICROSECONDS);
    }

    /** Unless a hint or the stop came between the timer and this turn. */
    private void timerFired(int bucket) {
        if (!stopped && scans.get(bucket).underWay == null) {
            scan(bucket);
        }
    }
}
