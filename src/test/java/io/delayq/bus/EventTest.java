package io.delayq.bus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventTest {
    private static Event.OfTopic topic(String name) {
        return new Event.OfTopic(name, Buffer.buffer("{\"topic\":\"" + name + "\"}"));
    }

    private static String seen(Event event, String prefix) {
        Buffer text = event.forOneWhoMaySee(topic -> topic.startsWith(prefix));
        return text == null ? null : text.toString();
    }

    @Test
    void of_a_list_everyone_sees_the_topics_that_are_theirs() {
        Event event = Event.ofTopics("topics", List.of(topic("a1"), topic("b1"), topic("a2")));
        assertEquals(
                "event: topics\ndata: {\"topics\":[{\"topic\":\"a1\"},{\"topic\":\"b1\"},{\"topic\":\"a2\"}]}\n\n",
                seen(event, ""));
        assertEquals("event: topics\ndata: {\"topics\":[{\"topic\":\"a1\"},{\"topic\":\"a2\"}]}\n\n", seen(event, "a"));
        assertNull(seen(event, "c"));
    }

    @Test
    void of_a_single_topic_nobody_else_hears() {
        Event event = Event.ofTopic("change", "a", Buffer.buffer("{}"));
        assertEquals("event: change\ndata: {}\n\n", seen(event, "a"));
        assertNull(seen(event, "b"));
    }

    @Test
    void what_is_of_no_topic_is_for_everyone() {
        assertEquals("event: redis\ndata: {}\n\n", seen(Event.of("redis", Buffer.buffer("{}")), "nobody"));
    }
}
