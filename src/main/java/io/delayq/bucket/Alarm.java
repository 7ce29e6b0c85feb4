package io.delayq.bucket;

/**
 * When a bucket is to be looked at again. Pure: times are given in. Redis' clock is followed by what it last said and
 * the time that has passed here since.
 */
final class Alarm {
    private static final long NEVER = Long.MAX_VALUE;
    private static final long MOST_TRANSIT_MICROS = 50_000;

    private long redisMicros;
    private long heardAtNanos;
    private boolean heard;
    private long next = NEVER;

    /** A scan begins: its answer will tell of all that is known now. */
    void scanning() {
        next = NEVER;
    }

    /** A scan has answered: Redis' time, and its alarm in ms (-1: none). Hints of the meantime still count. */
    void scanned(long nowMicros, long alarm, long nanos) {
        if (heard && nowMicros < alarm * 1_000 && alarm * 1_000 <= estimate(nanos)) {
            // it says: not yet; then what is known here is ahead, however little
            adopt(nowMicros, nanos);
        }
        heard(nowMicros, nanos);
        hinted(alarm < 0 ? NEVER : alarm);
    }

    /** Something is due at this time; counts if it is earlier than what is known. */
    void hinted(long at) {
        next = Math.min(next, at);
    }

    /** Redis said this time a moment ago. Being a little behind what is known is the way here, more is a clock set back. */
    void heard(long nowMicros, long nanos) {
        long behind = heard ? estimate(nanos) - nowMicros : 0;
        if (behind <= 0 || behind > MOST_TRANSIT_MICROS) {
            adopt(nowMicros, nanos);
        }
    }

    private void adopt(long nowMicros, long nanos) {
        redisMicros = nowMicros;
        heardAtNanos = nanos;
        heard = true;
    }

    /** How long until the next scan in µs, 0 for at once, -1 for not before a hint. */
    long waitMicros(long nanos) {
        if (next == NEVER) {
            return -1;
        }
        return heard ? Math.max(0, next * 1_000 - estimate(nanos)) : 0;
    }

    private long estimate(long nanos) {
        return redisMicros + (nanos - heardAtNanos) / 1_000;
    }
}
