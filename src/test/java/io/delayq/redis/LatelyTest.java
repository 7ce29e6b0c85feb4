package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LatelyTest {
    private static final long STEP = 50_000_000;

    private final Lately lately = new Lately(150, 50);
    private long now = 7 * STEP;

    private void step() {
        now += STEP;
        lately.step(now);
    }

    @Test
    void counts_what_was_done_in_the_last_steps_and_forgets_what_was_done_before() {
        step();
        lately.done(5);
        step();
        lately.done(7);
        assertEquals(12, lately.count());
        step();
        assertEquals(12, lately.count());
        step();
        assertEquals(7, lately.count());
        step();
        assertEquals(0, lately.count());
    }

    @Test
    void what_was_done_long_ago_says_nothing() {
        step();
        lately.done(5);
        now += 3 * STEP;
        lately.resume(now);
        assertEquals(5, lately.count());
        now++;
        lately.resume(now);
        assertEquals(0, lately.count());
        lately.done(2);
        step();
        assertEquals(2, lately.count());
    }
}
