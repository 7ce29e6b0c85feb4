package io.delayq.http;

import java.util.concurrent.atomic.AtomicLong;

/** So many in a time, at most all of them at once, after which they come back one by one. For any thread. */
final class Allowance {
    private final long intervalNanos;
    private final long wholeNanos;
    /** When all would be there again; far in the past at first, whatever the clock says. */
    private final AtomicLong full = new AtomicLong(Long.MIN_VALUE / 2);

    /**
     * @param most how many may be taken at once
     * @param intervalNanos how long until one comes back
     */
    Allowance(int most, long intervalNanos) {
        this.intervalNanos = intervalNanos;
        this.wholeNanos = most * intervalNanos;
    }

    /** @return 0: one was taken; else in how many nanoseconds there will be one */
    long take(long now) {
        while (true) {
            long before = full.get();
            long after = Math.max(before, now) + intervalNanos;
            long wait = after - now - wholeNanos;
            if (wait > 0) {
                return wait;
            }
            if (full.compareAndSet(before, after)) {
                return 0;
            }
        }
    }

    /** Takes one, there or not. @return how many nanoseconds to wait before the next, 0: none */
    long owe(long now) {
        long after = full.updateAndGet(before -> Math.max(before, now) + intervalNanos);
        return Math.max(0, after - now - wholeNanos);
    }

    /** The last one taken does not count. */
    void giveBack() {
        full.addAndGet(-intervalNanos);
    }
}
