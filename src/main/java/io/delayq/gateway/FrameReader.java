package io.delayq.gateway;

import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import io.delayq.gateway.ClientFrame.Settled;
import io.delayq.http.Bulk;
import io.delayq.http.ConsumerRequest;
import io.delayq.http.Faults;
import io.delayq.http.JobFields;
import io.delayq.http.JobRequest;
import io.delayq.http.JsonReader;
import io.delayq.http.Problem;
import io.delayq.http.Row;
import io.delayq.http.Targets;
import io.delayq.job.IdSource;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads a client's message, strictly and with all faults at once. {@code op} may stand anywhere in it, so that is looked
 * for first.
 */
final class FrameReader {
    private static final int DEFAULT_PREFETCH = 100;
    private static final int MAX_PREFETCH = 10_000;
    private static final int MAX_JOBS = 1_000;
    private static final Map<String, List<String>> FIELDS = Map.of(
            "subscribe", List.of("op", "ref", "topic", "prefetch"),
            "unsubscribe", List.of("op", "ref", "topic"),
            "ack", List.of("op", "ref", "topic", "jobs"),
            "nack", List.of("op", "ref", "topic", "jobs"),
            "extend", List.of("op", "ref", "topic", "jobs"),
            "push", List.of("op", "ref", "jobs"),
            "cancel", List.of("op", "ref", "topic", "ids"),
            "ping", List.of("op", "ref"));

    private final JsonReader in;
    private final String op;
    private final Buffer ref;
    private final IdSource ids;
    private final long now;
    private final Targets targets;
    private String topic;
    private Long prefetch = (long) DEFAULT_PREFETCH;
    private final List<Settled> settled = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private final List<String> cancelled = new ArrayList<>();
    private final List<String> given = new ArrayList<>();

    /** What a message says of itself, as far as it can be told. */
    record Head(String op, Buffer ref) {}

    private FrameReader(JsonReader in, Head head, IdSource ids, long now, Targets targets) {
        this.in = in;
        this.op = head.op;
        this.ref = head.ref;
        this.ids = ids;
        this.now = now;
        this.targets = targets;
    }

    /** @throws Problem if the message is not a JSON object with a known op and a scalar ref */
    static Head head(byte[] message) {
        try (JsonReader in = JsonReader.of(message)) {
            String[] op = {null};
            Buffer[] ref = {null};
            boolean[] bad = {false};
            in.wholeObject(List.of("op"), name -> {
                if (name.equals("op") && in.token() == JsonToken.VALUE_STRING) {
                    op[0] = in.value();
                } else if (name.equals("ref")) {
                    bad[0] = in.token().isStructStart();
                    ref[0] = in.raw(ConsumerRequest.MAX_ERROR_BYTES, "4 KiB");
                } else {
                    in.skip();
                }
                return true;
            });
            in.faults().throwIfAny();
            if (bad[0]) {
                throw Problem.invalid("/ref", "expected text, a number, true, false or null");
            }
            return new Head(op[0], ref[0]);
        }
    }

    /** @throws Problem with all faults */
    static ClientFrame read(Head head, byte[] message, IdSource ids, long now, Targets targets) {
        List<String> fields = head.op == null ? null : FIELDS.get(head.op);
        if (fields == null) {
            throw Problem.invalid(
                    "/op",
                    "expected one of "
                            + String.join(
                                    ", ", FIELDS.keySet().stream().sorted().toList()));
        }
        try (JsonReader in = JsonReader.ofChecked(message)) {
            FrameReader reader = new FrameReader(in, head, ids, now, targets);
            in.wholeObject(fields, name -> fields.contains(name) && reader.field(name));
            for (String field : List.of("topic", "jobs", "ids")) {
                if (fields.contains(field) && !reader.given.contains(field)) {
                    in.faultAt(field, "expected with " + head.op);
                }
            }
            in.faults().throwIfAny();
            return reader.frame();
        }
    }

    private boolean field(String name) {
        given.add(name);
        switch (name) {
            case "topic" -> topic = JobFields.topic(in);
            case "prefetch" -> prefetch = in.whole(1, MAX_PREFETCH, "a whole number from 1 to 10000");
            case "jobs" -> {
                if (op.equals("push")) {
                    pushed();
                } else {
                    list(this::settled, MAX_JOBS);
                }
            }
            case "ids" -> list(() -> cancelled.add(JobFields.id(in)), MAX_JOBS);
            default -> in.skip();
        }
        return true;
    }

    /** Each job on its own: a bad one does not sink the others. */
    private void pushed() {
        Faults before = in.faults();
        JsonStreamContext list = in.context();
        list(
                () -> {
                    in.beginElement(list);
                    rows.add(JobRequest.element(in, in.token(), rows.size(), null, ids, now, targets));
                    in.endElements(before);
                },
                Bulk.MAX_JOBS);
    }

    private void list(Runnable element, int most) {
        if (in.token() != JsonToken.START_ARRAY) {
            in.expected("a list");
            return;
        }
        int count = 0;
        while (in.next() != JsonToken.END_ARRAY) {
            if (++count > most) {
                in.skip();
            } else {
                element.run();
            }
        }
        if (count == 0 || count > most) {
            in.fault("expected a list of 1 to " + most + ", found " + count);
        }
    }

    private void settled() {
        ConsumerRequest.Settling job = ConsumerRequest.settling(in, op);
        if (job != null) {
            settled.add(new Settled(job.id(), job.lease(), job.millis(), job.error()));
        }
    }

    private ClientFrame frame() {
        return switch (op) {
            case "subscribe" -> new ClientFrame.Subscribe(ref, topic, prefetch.intValue());
            case "unsubscribe" -> new ClientFrame.Unsubscribe(ref, topic);
            case "ack" -> new ClientFrame.Ack(ref, topic, settled);
            case "nack" -> new ClientFrame.Nack(ref, topic, settled);
            case "extend" -> new ClientFrame.Extend(ref, topic, settled);
            case "push" -> new ClientFrame.Push(ref, rows);
            case "cancel" -> new ClientFrame.Cancel(ref, topic, cancelled);
            default -> new ClientFrame.Ping(ref);
        };
    }
}
