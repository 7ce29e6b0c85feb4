package io.delayq.ready;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.bus.Demand;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A topic with a limit is asked for jobs only in a turn, and never for more than the turn is good for. */
class TopicTurnTest {
    private final Topic topic = new Topic("t", 4);

    @BeforeEach
    void limited() {
        topic.demanded(new Demand("room", 1, "t", 0, 100, false, false), 0);
        topic.limited();
    }

    private void answered(int bucket, int count, int reserved, boolean more) {
        topic.asking(bucket, count);
        topic.answered(bucket, count, reserved, more);
    }

    @Test
    void asks_no_bucket_before_it_has_its_turn() {
        assertFalse(topic.hungry());
        assertEquals(0, topic.want(0, 100));
        assertTrue(topic.asksForTurn());
        assertFalse(topic.asksForTurn(), "asks once");
        assertEquals(0, topic.want(0, 100));
    }

    @Test
    void asks_one_bucket_at_a_time_for_what_is_left_of_the_turn() {
        topic.asksForTurn();
        topic.turnBegan(5);
        assertEquals(5, topic.want(0, 100));
        topic.asking(0, 5);
        assertEquals(0, topic.want(1, 100), "while another bucket is asked");
        topic.answered(0, 5, 2, false);
        assertFalse(topic.isTurnOver());
        assertEquals(3, topic.want(1, 100));
        answered(1, 3, 3, true);
        assertTrue(topic.isTurnOver());
        assertEquals(5, topic.turnEnded());
        assertTrue(topic.asksForTurn(), "there may be more");
    }

    @Test
    void a_turn_is_over_when_no_bucket_has_any_left() {
        topic.asksForTurn();
        topic.turnBegan(5);
        for (int bucket = 0; bucket < 4; bucket++) {
            assertFalse(topic.isTurnOver());
            answered(bucket, topic.want(bucket, 100), 0, false);
        }
        assertTrue(topic.isTurnOver());
        assertEquals(0, topic.turnEnded());
        assertFalse(topic.asksForTurn(), "nothing is known to be there");
    }

    @Test
    void one_that_was_denied_asks_again_after_a_hint() {
        topic.asksForTurn();
        topic.turnDenied();
        assertFalse(topic.asksForTurn());
        topic.mayHave(2);
        assertTrue(topic.asksForTurn());
    }

    @Test
    void a_hint_while_the_turn_is_asked_for_is_not_lost() {
        topic.asksForTurn();
        topic.mayHave(2);
        topic.turnDenied();
        assertTrue(topic.asksForTurn());
    }

    @Test
    void one_that_will_not_wait_goes_empty_when_the_turn_is_denied() {
        topic.demanded(new Demand("room", 2, "t", 0, 1, true, true), 0);
        assertTrue(topic.asksForTurn());
        topic.turnDenied();
        assertEquals(1, topic.full().size());
    }

    @Test
    void is_not_forgotten_during_its_turn() {
        topic.asksForTurn();
        topic.withdrawn("room", 1);
        assertFalse(topic.unused());
        topic.turnBegan(5);
        assertFalse(topic.unused());
        assertTrue(topic.isTurnOver());
        topic.turnEnded();
        assertTrue(topic.unused());
    }
}
