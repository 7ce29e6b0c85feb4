package io.delayq.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class AlarmTest {
    private static final long MILLI = 1_000_000;
    private static final long NOW = 1_800_000_000_000L;

    private final Alarm alarm = new Alarm();

    @Test
    void sleeps_until_a_hint_when_nothing_waits() {
        alarm.scanned(NOW * 1_000, -1, 0);
        assertEquals(-1, alarm.waitMicros(0));
    }

    @Test
    void wakes_when_redis_clock_reaches_the_alarm() {
        alarm.scanned(NOW * 1_000, NOW + 500, 0);
        assertEquals(500_000, alarm.waitMicros(0));
        assertEquals(200_000, alarm.waitMicros(300 * MILLI));
        assertEquals(0, alarm.waitMicros(700 * MILLI));
    }

    @Test
    void takes_the_earlier_of_answer_and_hint() {
        alarm.scanned(NOW * 1_000, NOW + 500, 0);
        alarm.hinted(NOW + 100);
        alarm.hinted(NOW + 900);
        assertEquals(100_000, alarm.waitMicros(0));
    }

    @Test
    void keeps_a_hint_that_came_during_a_scan() {
        alarm.scanned(NOW * 1_000, NOW + 500, 0);
        alarm.scanning();
        alarm.hinted(NOW + 50);
        alarm.scanned((NOW + 1) * 1_000, NOW + 800, MILLI);
        assertEquals(49_000, alarm.waitMicros(MILLI));
    }

    @Test
    void forgets_what_a_scan_will_tell_again() {
        alarm.scanned(NOW * 1_000, NOW + 500, 0);
        alarm.scanning();
        alarm.scanned((NOW + 500) * 1_000, NOW + 900, 500 * MILLI);
        assertEquals(400_000, alarm.waitMicros(500 * MILLI));
    }

    @Test
    void scans_at_once_on_a_hint_before_redis_clock_is_known() {
        alarm.hinted(NOW + 10_000);
        assertEquals(0, alarm.waitMicros(0));
    }

    @Test
    void does_not_take_a_message_s_way_here_for_a_slow_clock() {
        alarm.scanned(NOW * 1_000, NOW + 500, 0);
        alarm.heard((NOW + 95) * 1_000, 100 * MILLI);
        assertEquals(400_000, alarm.waitMicros(100 * MILLI));
    }

    @Test
    void follows_a_clock_that_was_set_back_or_forward() {
        alarm.scanned(NOW * 1_000, NOW + 500, 0);
        alarm.heard((NOW - 300_000) * 1_000, 100 * MILLI);
        assertEquals(300_500_000, alarm.waitMicros(100 * MILLI));
        alarm.heard((NOW + 450) * 1_000, 200 * MILLI);
        assertEquals(50_000, alarm.waitMicros(200 * MILLI));
    }

    @Test
    void believes_redis_that_it_is_not_time_yet() {
        alarm.scanned(NOW * 1_000, NOW + 100, 0);
        alarm.scanning();
        // thirty ms ahead of Redis: it is asked too early, and says so
        alarm.scanned((NOW + 70) * 1_000, NOW + 100, 100 * MILLI);
        assertEquals(30_000, alarm.waitMicros(100 * MILLI));
    }
}
