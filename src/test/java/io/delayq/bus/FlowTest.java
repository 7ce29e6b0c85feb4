package io.delayq.bus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.ops.Tally;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FlowTest {
    private static final long SECOND = 1_000_000_000L;

    private final Flow flow = new Flow();

    /** One that has pushed so many. */
    private static Tally pushed(long jobs) {
        return Tally.read(jobs + Tally.NONE.text().substring(1));
    }

    @Test
    void nothing_is_known_at_first() {
        assertEquals(0, flow.lately(SECOND).rate(0));
        flow.heard(Map.of("a", pushed(1_000)), 0);
        assertEquals(0, flow.lately(SECOND).rate(0), "what it did before counts nowhere");
    }

    @Test
    void the_rate_is_that_of_all_servers_over_the_time_asked_for() {
        flow.heard(Map.of("a", pushed(0), "b", pushed(500)), 0);
        flow.heard(Map.of("a", pushed(10), "b", pushed(520)), SECOND);
        assertEquals(30, flow.lately(SECOND).rate(0));
        flow.heard(Map.of("a", pushed(20), "b", pushed(520)), 2 * SECOND);
        assertEquals(10, flow.lately(SECOND).rate(0));
        assertEquals(20, flow.lately(2 * SECOND).rate(0));
        assertEquals(20, flow.lately(100 * SECOND).rate(0), "as far back as is known");
        assertEquals(40, flow.lately(2 * SECOND).done().count(0));
    }

    @Test
    void servers_that_come_go_or_are_silent_for_a_while_make_no_jump() {
        flow.heard(Map.of("a", pushed(10)), 0);
        flow.heard(Map.of("a", pushed(10), "b", pushed(1_000)), SECOND);
        assertEquals(0, flow.lately(SECOND).rate(0));
        flow.heard(Map.of("a", pushed(11)), 2 * SECOND);
        assertEquals(1, flow.lately(SECOND).rate(0));
        flow.heard(Map.of("a", pushed(11), "b", pushed(1_004)), 3 * SECOND);
        assertEquals(4, flow.lately(SECOND).rate(0));
        flow.heard(Map.of("a", pushed(0)), 4 * SECOND);
        assertEquals(0, flow.lately(SECOND).rate(0), "counters never go back");
    }
}
