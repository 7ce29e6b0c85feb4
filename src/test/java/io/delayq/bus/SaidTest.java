package io.delayq.bus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.bus.Said.OfTopic;
import io.delayq.ops.Tally;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SaidTest {
    private static final int ROOM = 1_000;

    @Test
    void is_read_as_it_was_said() {
        Said said = new Said(
                Tally.NONE,
                true,
                List.of(new OfTopic("a.b:c-d_e", 1.5, 0, 12_345, 3), new OfTopic("z", 0, 0.25, 0, 0)));
        assertEquals(said, Said.read(said.text(ROOM)));
        assertEquals(Said.NOTHING, Said.read(Said.NOTHING.text(ROOM)));
    }

    @Test
    void the_busiest_topics_are_said_first_and_no_more_than_there_is_room_for() {
        List<OfTopic> topics = List.of(new OfTopic("slow", 1, 0, 0, 9), new OfTopic("fast", 9, 0, 0, 0));
        String text = new Said(Tally.NONE, false, topics).text("fast=9,0,0,0 ".length());
        assertTrue(text.endsWith(" fast=9,0,0,0"), text);
        assertEquals(1, Said.read(text).topics().size());
        assertEquals(
                List.of(),
                Said.read(new Said(Tally.NONE, false, topics).text(0)).topics());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "x", "1,2,3 w", "1 w t=1,1,1,1"})
    void what_another_version_says_is_nothing(String text) {
        assertSame(Said.NOTHING, Said.read(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"t", "t=", "t=1,2", "t=a,b,c,d", ";"})
    void topics_that_cannot_be_read_are_left_out(String topics) {
        Said said = Said.read(Tally.NONE.text() + " w " + topics);
        assertEquals(List.of(), said.topics());
        assertEquals(Tally.NONE, said.tally());
    }
}
