package io.delayq.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The server's clock is told from its answers alone, so that it may be hours from ours. */
class ServerClockTest {
    private static final long SECOND = 1_000_000_000L;

    private final ServerClock clock = new ServerClock();

    @Test
    void shows_the_servers_time_however_far_it_is_from_ours() {
        assertFalse(clock.isKnown());
        clock.learn(5_000_000, 10 * SECOND);
        assertEquals(5_000_000, clock.millisAt(10 * SECOND));
        assertEquals(5_001_500, clock.millisAt(11 * SECOND + SECOND / 2));
        assertEquals(4_999_000, clock.millisAt(9 * SECOND));
    }

    @Test
    void the_last_answer_counts_and_is_good_for_a_minute() {
        clock.learn(5_000_000, 10 * SECOND);
        clock.learn(1_000, 20 * SECOND);
        assertEquals(2_000, clock.millisAt(21 * SECOND));
        assertTrue(clock.isFresh(79 * SECOND));
        assertFalse(clock.isFresh(81 * SECOND));
        assertTrue(clock.isKnown());
    }
}
