package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class HostTimeTest {
    private final HostTime.Log log = new HostTime.Log();

    @Test
    void what_was_taken_counts_for_the_time_it_was_taken_in_and_no_other() {
        log.note(1_000, 0);
        log.note(1_020, 0);
        log.note(1_040, 30);
        log.note(1_060, 30);
        assertEquals(0, log.between(1_000, 1_020));
        assertEquals(30, log.between(1_025, 1_030), "by the notes around");
        assertEquals(30, log.between(1_000, 1_060));
        assertEquals(0, log.between(1_040, 1_060));
    }

    @Test
    void beyond_its_notes_nothing_is_known_to_be_taken() {
        log.note(1_000, 10);
        log.note(1_020, 30);
        assertEquals(20, log.between(0, 5_000));
        assertEquals(0, log.between(1_020, 5_000));
        assertEquals(0, log.between(0, 1_000));
    }
}
