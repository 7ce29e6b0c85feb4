package io.delayq.gateway;

import io.delayq.http.Row;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** What a client can say. {@code ref} is JSON text that comes back with the answer, null if it gave none. */
sealed interface ClientFrame {
    Buffer ref();

    record Subscribe(Buffer ref, String topic, int prefetch) implements ClientFrame {}

    record Unsubscribe(Buffer ref, String topic) implements ClientFrame {}

    record Ack(Buffer ref, String topic, List<Settled> jobs) implements ClientFrame {}

    record Nack(Buffer ref, String topic, List<Settled> jobs) implements ClientFrame {}

    record Extend(Buffer ref, String topic, List<Settled> jobs) implements ClientFrame {}

    record Push(Buffer ref, List<Row> rows) implements ClientFrame {}

    record Cancel(Buffer ref, String topic, List<String> ids) implements ClientFrame {}

    record Ping(Buffer ref) implements ClientFrame {}

    /**
     * One job that is being settled.
     *
     * @param millis nack: the wait, extend: the ttr; null if not given
     * @param error nack only, null if not given
     */
    record Settled(String id, String lease, Long millis, String error) {}
}
