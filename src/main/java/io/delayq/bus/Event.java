package io.delayq.bus;

import io.delayq.http.JobJson;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.function.Predicate;

/**
 * Something for whoever listens to this server's events.
 *
 * @param text as server-sent events are written; null: there will be no more
 * @param topics what it is made of, if it is about topics that not everyone may see
 */
public record Event(String name, Buffer text, List<OfTopic> topics) {
    /** The last one. */
    static final Event END = new Event("end", null, List.of());

    /** @param json all that the event says of the topic */
    record OfTopic(String topic, Buffer json) {}

    public Event {
        topics = List.copyOf(topics);
    }

    /** For everyone. */
    static Event of(String name, Buffer json) {
        return new Event(name, text(name, json), List.of());
    }

    /** Of one topic. */
    static Event ofTopic(String name, String topic, Buffer json) {
        return new Event(name, text(name, json), List.of(new OfTopic(topic, json)));
    }

    /** A list under the event's own name. */
    static Event ofTopics(String name, List<OfTopic> topics) {
        return new Event(name, text(name, list(name, topics)), topics);
    }

    /** The part of it that is for someone who may see these topics; null: there is none. */
    public Buffer forOneWhoMaySee(Predicate<String> topic) {
        List<OfTopic> seen =
                topics.stream().filter(one -> topic.test(one.topic)).toList();
        if (seen.size() == topics.size()) {
            return text;
        }
        return seen.isEmpty() ? null : text(name, list(name, seen));
    }

    private static Buffer list(String name, List<OfTopic> topics) {
        return JobJson.object()
                .list(name, topics, (out, one) -> out.appendBuffer(one.json))
                .end();
    }

    static Buffer text(String name, Buffer json) {
        return Buffer.buffer(json.length() + 32)
                .appendString("event: ")
                .appendString(name)
                .appendString("\ndata: ")
                .appendBuffer(json)
                .appendString("\n\n");
    }
}
