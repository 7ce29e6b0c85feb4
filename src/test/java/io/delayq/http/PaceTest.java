package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong now = new AtomicLong(-5);
    private final Pace pace = new Pace(10_000, now::get);

    PaceTest() {
        pace.listen(true);
    }

    @Test
    void one_that_sends_nothing_has_its_time_in_hand() {
        now.addAndGet(10 * SECOND - 1_000_000);
        assertFalse(pace.isTooSlow());
        now.addAndGet(1_000_000);
        assertTrue(pace.isTooSlow());
    }

    @Test
    void a_byte_a_second_is_too_slow_after_little_more() {
        int seconds = 0;
        for (; !pace.isTooSlow() && seconds < 100; seconds++) {
            now.addAndGet(SECOND);
            pace.heard(1);
        }
        assertEquals(11, seconds);
    }

    @Test
    void a_kibibyte_a_second_is_fast_enough_for_ever() {
        for (int seconds = 0; seconds < 100_000; seconds++) {
            now.addAndGet(SECOND);
            pace.heard(1_024);
            assertFalse(pace.isTooSlow());
        }
    }

    @Test
    void much_at_first_buys_no_more_time_than_there_was() {
        pace.heard(16 << 20);
        assertEquals(10_000, pace.leftMillis());
        now.addAndGet(10 * SECOND);
        assertTrue(pace.isTooSlow());
    }

    @Test
    void while_nobody_listens_its_time_stands_still() {
        now.addAndGet(9 * SECOND);
        pace.listen(false);
        now.addAndGet(3_600 * SECOND);
        assertEquals(1_000, pace.leftMillis());
        pace.listen(true);
        now.addAndGet(SECOND);
        assertTrue(pace.isTooSlow());
    }
}
