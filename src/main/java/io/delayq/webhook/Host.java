package io.delayq.webhook;

import java.util.ArrayDeque;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One host that callbacks go to: how many calls it bears at a time, whether it rests, and who waits for it. It begins with
 * few calls, gets one more with each success and half as many with each failure; after many failures in a row it rests,
 * longer each time. Jobs that would wait long are sent back to the clock, so that no host fills the room of the others.
 * Pure: it decides, {@link Calls} acts. Times are of a clock of nanoseconds.
 */
final class Host {
    private static final long MILLIS = 1_000_000;
    private static final int FIRST_LIMIT = 16;
    private static final int FAILURES_TO_REST = 20;
    /** How many calls one that comes back from its rest has to show that it is well. */
    private static final int TRIALS = 10;

    private static final long SHORTEST_REST = 1_000 * MILLIS;
    private static final long LONGEST_REST = 30_000 * MILLIS;
    private static final long FIRST_GUESS = 20 * MILLIS;
    private static final long LEAST_DEFERRAL_MILLIS = 100;
    private static final long MOST_DEFERRAL_MILLIS = 60_000;
    private static final long LEAST_BOUND = 500 * MILLIS;
    private static final int CALLS_AHEAD = 4;
    private static final double WEIGHT = 0.2;

    final ArrayDeque<Held> queue = new ArrayDeque<>();
    private final int mostCalls;
    private final int mostQueued;
    private int underWay;
    private int limit;
    private int failures;
    private boolean resting;
    private long rest;
    private long restEnd;
    private double usual = FIRST_GUESS;
    /** Whether that is more than a guess. */
    private boolean known;

    private long booked;
    private long usedLast;
    private long endedLast;

    Host(int mostCalls, int mostQueued, long now) {
        this.mostCalls = mostCalls;
        this.mostQueued = mostQueued;
        this.limit = Math.min(FIRST_LIMIT, mostCalls);
        this.booked = now;
        this.usedLast = now;
        this.endedLast = now;
    }

    /** Whether a call may begin now. */
    boolean mayStart(long now) {
        return underWay < limit && !isResting(now);
    }

    boolean isResting(long now) {
        resting = resting && restEnd - now > 0;
        return resting;
    }

    /** Nobody waits for it, and it has not been called for so long. */
    boolean isForgotten(long now, long afterNanos) {
        return queue.isEmpty() && underWay == 0 && now - usedLast > afterNanos && !isResting(now);
    }

    /**
     * After how many milliseconds a job is to come again that may wait no longer than {@code patience} nanoseconds; 0: it
     * can wait here.
     */
    long deferral(long now, long patience) {
        if (isResting(now)) {
            return book(now, restEnd);
        }
        int before = queue.size() + underWay + 1 - limit;
        long wait = (long) (before * usual / limit);
        return before > 0 && wait > patience || queue.size() >= mostQueued ? book(now, now + wait) : 0;
    }

    /** One after the other, as fast as the host usually takes them, so that they do not all come back at once. */
    private long book(long now, long from) {
        if (!known) {
            return LEAST_DEFERRAL_MILLIS + ThreadLocalRandom.current().nextLong(LEAST_DEFERRAL_MILLIS);
        }
        long most = Math.max(from - now, Math.min(longest(), MOST_DEFERRAL_MILLIS * MILLIS));
        booked = now + Math.min(Math.max(booked - now, from - now) + (long) (usual / limit), most);
        long millis = (booked - now) / MILLIS;
        // those that come to the bound would otherwise come back together
        long spread = booked - now < most ? 0 : ThreadLocalRandom.current().nextLong(1 + millis / 2);
        return Math.max(LEAST_DEFERRAL_MILLIS, millis) + spread;
    }

    /** What is thought of the host may be wrong, so it is asked again before long. */
    private long longest() {
        return Math.max(LEAST_BOUND, (long) (CALLS_AHEAD * usual));
    }

    void started(long now) {
        underWay++;
        usedLast = now;
    }

    void succeeded(long now, long tookNanos) {
        ended(now, tookNanos);
        failures = 0;
        rest = 0;
        limit = Math.min(mostCalls, limit + 1);
    }

    void failed(long now, long tookNanos) {
        ended(now, tookNanos);
        failures++;
        limit = Math.max(1, limit / 2);
        if (failures >= FAILURES_TO_REST && !isResting(now)) {
            rest = rest == 0 ? SHORTEST_REST : Math.min(2 * rest, LONGEST_REST);
            restEnd = now + rest;
            resting = true;
            failures = FAILURES_TO_REST - TRIALS;
        }
    }

    /** A job has waited for so long: if no call has ended meanwhile, each takes at least that long. */
    void kept(long now, long nanos) {
        if (underWay > 0 && now - endedLast > nanos) {
            usual = Math.max(usual, nanos);
            known = true;
        }
    }

    private void ended(long now, long tookNanos) {
        underWay--;
        usedLast = now;
        endedLast = now;
        usual += WEIGHT * (tookNanos - usual);
        known = true;
    }
}
