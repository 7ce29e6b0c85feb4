package io.delayq.redis;

import java.util.Arrays;

/** How much was done in the last while, to tell what will be done in the next. Owned by one event loop. */
final class Lately {
    private final long stepNanos;
    private final int[] steps;
    private int at;
    private int sum;
    private long stepped;

    /** @param stepMillis the while is made of steps; whoever keeps it says about this often that one is over */
    Lately(long whileMillis, long stepMillis) {
        stepNanos = stepMillis * 1_000_000;
        steps = new int[(int) Math.max(1, whileMillis / stepMillis)];
    }

    void done(int count) {
        steps[at] += count;
        sum += count;
    }

    /** It goes on; what was done long ago says nothing of now. */
    void resume(long nowNanos) {
        if (nowNanos - stepped > steps.length * stepNanos) {
            Arrays.fill(steps, 0);
            sum = 0;
        }
    }

    void step(long nowNanos) {
        stepped = nowNanos;
        at = (at + 1) % steps.length;
        sum -= steps[at];
        steps[at] = 0;
    }

    int count() {
        return sum;
    }
}
