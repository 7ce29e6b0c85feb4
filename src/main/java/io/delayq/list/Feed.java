package io.delayq.list;

import io.delayq.ops.Meters;
import io.delayq.redis.ListStore;
import io.delayq.redis.ListStore.Moved;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One topic's way to its list: asks the buckets that may have ready jobs, one after the other, and rests where it has to
 * wait. Topics do not wait for each other. Owned by the room's event loop.
 */
final class Feed {
    private static final Logger log = LoggerFactory.getLogger(Feed.class);
    private static final int JOBS_A_CALL = 200;
    private static final long OVERDUE_MILLIS = 2_000;
    private static final long FIRST_REST_MILLIS = 100;
    private static final long LONGEST_REST_MILLIS = 1_000;
    private static final long FIRST_REST_WITHOUT_LIST_MILLIS = 1_000;
    private static final long LONGEST_REST_WITHOUT_LIST_MILLIS = 30_000;
    /** Turns are short. */
    private static final long OTHERS_TURN_MILLIS = 10;

    private static final long SAY_AGAIN_NANOS = 60_000_000_000L;

    private final Vertx vertx;
    private final ListStore store;
    private final Meters meters;
    private final String topic;
    private final BitSet toAsk = new BitSet();
    /** Buckets that owe an answer, perhaps for long: the others do not wait for them. */
    private final BitSet owing = new BitSet();

    private int lastAsked = -1;
    private boolean hasRate;
    private Promise<Void> underWay;
    private boolean resting;
    private long restTimer;
    private int failures;
    private long saidNanos = System.nanoTime() - SAY_AGAIN_NANOS;
    private boolean stopped;

    Feed(Vertx vertx, ListStore store, Meters meters, String topic) {
        this.vertx = vertx;
        this.store = store;
        this.meters = meters;
        this.topic = topic;
    }

    /** The bucket may have ready jobs. */
    void mayHave(int bucket) {
        toAsk.set(bucket);
        goOn();
    }

    /** Settings have changed: whatever was known of the topic may not be so any more. */
    void changed() {
        toAsk.set(0, store.store().buckets());
        failures = 0;
        resting = false;
        vertx.cancelTimer(restTimer);
        goOn();
    }

    /** Completes when nothing is under way. */
    Future<Void> stop() {
        stopped = true;
        vertx.cancelTimer(restTimer);
        return underWay == null ? Future.succeededFuture() : underWay.future();
    }

    private void goOn() {
        if (underWay != null || resting || stopped || nextBucket() < 0) {
            return;
        }
        Promise<Void> over = Promise.promise();
        underWay = over;
        Future<?> work = hasRate ? turn() : move(JOBS_A_CALL, false);
        work.onComplete(done -> {
            underWay = null;
            over.complete();
            goOn();
        });
    }

    /** Asks the next bucket. Never fails; returns how many jobs were moved. */
    private Future<Integer> move(int most, boolean inTurn) {
        int bucket = nextBucket();
        lastAsked = bucket;
        // before it is asked, so that a hint of the meantime counts
        toAsk.clear(bucket);
        owing.set(bucket);
        Future<Moved> answer = store.move(bucket, topic, most, inTurn)
                .onSuccess(moved -> moved(bucket, moved))
                .onComplete(done -> {
                    owing.clear(bucket);
                    // if it was overdue, nobody waits for it
                    goOn();
                });
        return answer.timeout(OVERDUE_MILLIS, TimeUnit.MILLISECONDS)
                .map(moved -> moved.dues().size())
                .otherwise(error -> {
                    // what went wrong with Redis is in the log already
                    log.debug("not moved topic={} bucket={}", topic, bucket, error);
                    toAsk.set(bucket);
                    rest(backoff(FIRST_REST_MILLIS, LONGEST_REST_MILLIS));
                    return 0;
                });
    }

    /** The next one that may have ready jobs, in turn; -1 if there is none. */
    private int nextBucket() {
        BitSet free = (BitSet) toAsk.clone();
        free.andNot(owing);
        int next = free.nextSetBit(lastAsked + 1);
        return next < 0 ? free.nextSetBit(0) : next;
    }

    private void moved(int bucket, Moved moved) {
        moved.dues().forEach(due -> meters.delivered(topic, moved.now() - due));
        meters.acked(topic, moved.dues().size());
        switch (moved.left()) {
            case NOTHING -> failures = 0;
            case MORE -> {
                failures = 0;
                toAsk.set(bucket);
            }
            case TURN_NEEDED -> {
                hasRate = true;
                toAsk.set(bucket);
            }
            case NO_LIST -> {
                toAsk.set(bucket);
                sayNoList();
                rest(backoff(FIRST_REST_WITHOUT_LIST_MILLIS, LONGEST_REST_WITHOUT_LIST_MILLIS));
            }
        }
    }

    private void sayNoList() {
        if (System.nanoTime() - saidNanos >= SAY_AGAIN_NANOS) {
            saidNanos = System.nanoTime();
            log.error("jobs wait, for the key of their topic's redisList holds something else topic={}", topic);
        }
    }

    /** Takes its turn at a topic with a rate, if it can be had. Never fails. */
    private Future<?> turn() {
        return store.store()
                .beginTurn(topic)
                .compose(this::inTurn)
                .onFailure(error -> rest(backoff(FIRST_REST_MILLIS, LONGEST_REST_MILLIS)))
                .otherwiseEmpty();
    }

    private Future<?> inTurn(Store.Turn turn) {
        if (!turn.granted()) {
            rest(Math.min(turn.waitMillis(), OTHERS_TURN_MILLIS));
            return Future.succeededFuture();
        }
        if (turn.allowed() == null) {
            hasRate = false;
        } else if (turn.allowed() == 0) {
            rest(turn.waitMillis());
        }
        int allowed = turn.allowed() == null ? 0 : Math.min(turn.allowed(), JOBS_A_CALL);
        return moveInTurn(allowed, 0).compose(used -> store.store().endTurn(topic, used));
    }

    private Future<Integer> moveInTurn(int allowed, int used) {
        if (used == allowed || nextBucket() < 0 || resting || stopped) {
            return Future.succeededFuture(used);
        }
        return move(allowed - used, true).compose(moved -> moveInTurn(allowed, used + moved));
    }

    private long backoff(long first, long longest) {
        return Math.min(longest, first << Math.min(failures++, 10));
    }

    private void rest(long millis) {
        resting = true;
        restTimer = vertx.setTimer(Math.max(1, millis), timer -> {
            resting = false;
            goOn();
        });
    }
}
