package io.delayq.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HostTest {
    private static final long MILLIS = 1_000_000;
    private static final long PATIENCE = 500 * MILLIS;

    /** Of a clock that may begin anywhere, below zero too. */
    private long now = -5_000 * MILLIS;

    private final Host host = new Host(100, 1_000, now);

    @Test
    void begins_with_few_calls_and_gets_one_more_with_each_success() {
        assertEquals(16, starts());
        for (int i = 0; i < 16; i++) {
            host.succeeded(now, MILLIS);
        }
        assertEquals(32, starts());
        for (int i = 0; i < 1_000; i++) {
            host.started(now);
            host.succeeded(now, MILLIS);
        }
        assertEquals(68, starts());
    }

    @Test
    void gets_half_as_many_with_each_failure() {
        fail(2);
        assertEquals(4, starts());
        for (int i = 0; i < 4; i++) {
            host.failed(now, MILLIS);
        }
        assertEquals(1, starts());
    }

    @Test
    void rests_after_many_failures_in_a_row_longer_each_time_and_half_a_minute_at_most() {
        fail(19);
        assertFalse(host.isResting(now));
        for (long rest : new long[] {1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000}) {
            fail(1);
            assertTrue(host.isResting(now));
            assertEquals(0, starts());
            now += (rest - 1) * MILLIS;
            assertTrue(host.isResting(now), rest + " ms");
            now += MILLIS;
            assertFalse(host.isResting(now), rest + " ms");
            fail(9);
            assertFalse(host.isResting(now));
        }
        host.started(now);
        host.succeeded(now, MILLIS);
        fail(19);
        assertFalse(host.isResting(now));
        fail(1);
        now += 1_000 * MILLIS;
        assertFalse(host.isResting(now), "what was is forgotten");
    }

    /** Calls under way when it was sent to rest are part of the same trouble. */
    @Test
    void failures_during_a_rest_do_not_make_it_longer() {
        fail(20);
        host.started(now);
        now += 500 * MILLIS;
        host.failed(now, MILLIS);
        now += 500 * MILLIS;
        assertFalse(host.isResting(now));
    }

    @Test
    void one_that_answers_is_not_rested_however_often_it_fails() {
        for (int i = 0; i < 100; i++) {
            fail(19);
            host.started(now);
            host.succeeded(now, MILLIS);
        }
        assertFalse(host.isResting(now));
    }

    @Test
    void jobs_wait_as_long_as_they_can_be_called_soon() {
        assertEquals(0, host.deferral(now, PATIENCE));
        assertEquals(16, starts());
        assertEquals(0, host.deferral(now, PATIENCE));
        long wait = host.deferral(now, 0);
        assertTrue(wait >= 100 && wait < 200, "soon, since nothing is known of it yet: " + wait);
    }

    @Test
    void jobs_of_a_slow_host_come_back_one_after_the_other() {
        assertEquals(16, starts());
        now += 17_000 * MILLIS;
        host.kept(now, 16_000 * MILLIS);
        long first = host.deferral(now, PATIENCE);
        long second = host.deferral(now, PATIENCE);
        assertEquals(2_000, first);
        assertEquals(3_000, second);
        long last = 0;
        for (int i = 0; i < 1_000; i++) {
            last = host.deferral(now, PATIENCE);
        }
        assertTrue(last >= 60_000 && last <= 90_000, last + " ms");
    }

    /** What was slow for a moment, as everything is when a program starts, must not cost a minute. */
    @Test
    void jobs_of_a_host_that_is_thought_to_be_slow_come_back_before_long() {
        host.started(now);
        host.succeeded(now, 1_000 * MILLIS);
        starts();
        long last = 0;
        for (int i = 0; i < 10_000; i++) {
            last = Math.max(last, host.deferral(now, 0));
        }
        assertTrue(last < 2_000, last + " ms");
    }

    @Test
    void jobs_of_a_resting_host_come_back_after_its_rest() {
        fail(20);
        long wait = host.deferral(now, PATIENCE);
        assertTrue(wait >= 1_000 && wait < 2_000, wait + " ms");
    }

    @Test
    void is_forgotten_when_nobody_needs_it() {
        host.started(now);
        now += 100 * MILLIS;
        assertFalse(host.isForgotten(now, 50 * MILLIS));
        host.succeeded(now, MILLIS);
        assertFalse(host.isForgotten(now, 50 * MILLIS));
        now += 51 * MILLIS;
        assertTrue(host.isForgotten(now, 50 * MILLIS));
    }

    private int starts() {
        int count = 0;
        while (host.mayStart(now)) {
            host.started(now);
            count++;
        }
        return count;
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            host.started(now);
            host.failed(now, MILLIS);
        }
    }
}
