package io.delayq.bus;

import io.vertx.core.buffer.Buffer;

/**
 * Something for whoever listens to this server's events.
 *
 * @param text as server-sent events are written; null: there will be no more
 */
public record Event(Buffer text) {
    static Event of(String name, Buffer json) {
        return new Event(text(name, json));
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
