package io.delayq.redis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.delayq.job.Backoff;
import io.delayq.job.Callback;
import io.delayq.job.JobOptions;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A job as stored in {@code jobs:<t>}.
 *
 * <pre>
 * byte 0     format, 1
 * byte 1     flags: bits 0-1 priority (0 normal, 1 high, 2 low), 4 callback, 8 rules follow, 16 extras follow,
 *            32 group follows, 64 ttl follows, 128 its id is the same in all topics: it is under {@code ids}
 * byte 2-7   time of the push in ms, big endian; put in by the script, so absent in what is sent to it
 * ttl        6 bytes, ms; put in by the script if the topic has one and the job has none
 * rules      2 bytes length, JSON {t: ttr, m: maxAttempts, b: backoff}; read by the scripts
 * group      2 bytes length, UTF-8
 * extras     4 bytes length, JSON {c: callback, p: traceparent, n: note of a front end}
 * body       the rest, JSON text as it came
 * </pre>
 */
final class JobRecord {
    private static final byte FORMAT = 1;
    private static final int CALLBACK = 4;
    private static final int RULES = 8;
    private static final int EXTRAS = 16;
    private static final int GROUP = 32;
    private static final int TTL = 64;
    private static final int OWNED = 128;
    private static final int TTL_BYTES = 6;
    /** In what is sent: normal was asked for, the topic is not. */
    private static final int NORMAL_GIVEN = 3;

    private static final int HEADER = 8;
    private static final ObjectMapper JSON = new ObjectMapper();

    private JobRecord() {}

    /** The record without the time of the push, which the script puts in. */
    static byte[] encode(JobOptions options, Buffer body) {
        return encode(options, null, body);
    }

    /** The same, or the body alone where there is nothing else to say: no JSON begins like a record. */
    static byte[] brief(JobOptions options, Buffer body) {
        return options == JobOptions.NONE ? body.getBytes() : encode(options, body);
    }

    /** The same of a job whose id is the same in all topics. */
    static byte[] owned(JobOptions options, String note, Buffer body) {
        byte[] record = encode(options, note, body);
        record[1] |= (byte) OWNED;
        return record;
    }

    private static byte[] encode(JobOptions options, String note, Buffer body) {
        byte[] rules = rules(options);
        byte[] group = options.group() == null ? null : Bytes.of(options.group());
        byte[] extras = extras(options, note);
        int flags = (options.priority() == Priority.NORMAL
                        ? NORMAL_GIVEN
                        : options.priorityOrDefault().ordinal())
                | (options.callback() == null ? 0 : CALLBACK)
                | (options.ttl() == null ? 0 : TTL)
                | (rules == null ? 0 : RULES)
                | (group == null ? 0 : GROUP)
                | (extras == null ? 0 : EXTRAS);
        int length = 2
                + (options.ttl() == null ? 0 : TTL_BYTES)
                + (rules == null ? 0 : 2 + rules.length)
                + (group == null ? 0 : 2 + group.length)
                + (extras == null ? 0 : 4 + extras.length)
                + body.length();
        byte[] record = new byte[length];
        record[0] = FORMAT;
        record[1] = (byte) flags;
        int at = 2;
        if (options.ttl() != null) {
            number(record, at, options.ttl(), TTL_BYTES);
            at += TTL_BYTES;
        }
        if (rules != null) {
            at = append(record, at, rules, 2);
        }
        if (group != null) {
            at = append(record, at, group, 2);
        }
        if (extras != null) {
            at = append(record, at, extras, 4);
        }
        body.getBytes(record, at);
        return record;
    }

    private static int append(byte[] record, int at, byte[] part, int lengthBytes) {
        number(record, at, part.length, lengthBytes);
        System.arraycopy(part, 0, record, at + lengthBytes, part.length);
        return at + lengthBytes + part.length;
    }

    private static void number(byte[] record, int at, long value, int bytes) {
        for (int i = 0; i < bytes; i++) {
            record[at + i] = (byte) (value >>> 8 * (bytes - 1 - i));
        }
    }

    /**
     * What a stored record says.
     *
     * @param note what a front end wrote down for itself, null if nothing
     */
    record Decoded(long created, JobOptions options, String note, Buffer body) {}

    static Decoded decode(Buffer record) {
        if (record.getByte(0) != FORMAT) {
            throw new IllegalStateException("record of unknown format " + record.getByte(0));
        }
        int flags = record.getUnsignedByte(1);
        long created = record.getLong(0) & 0xffff_ffff_ffffL;
        int at = HEADER;
        Long ttl = null;
        JsonNode rules = null;
        String group = null;
        JsonNode extras = null;
        if ((flags & TTL) != 0) {
            ttl = record.getLong(at - 2) & 0xffff_ffff_ffffL;
            at += TTL_BYTES;
        }
        if ((flags & RULES) != 0) {
            int length = record.getUnsignedShort(at);
            rules = parse(record.getBytes(at + 2, at + 2 + length));
            at += 2 + length;
        }
        if ((flags & GROUP) != 0) {
            int length = record.getUnsignedShort(at);
            group = record.getString(at + 2, at + 2 + length);
            at += 2 + length;
        }
        if ((flags & EXTRAS) != 0) {
            int length = record.getInt(at);
            extras = parse(record.getBytes(at + 4, at + 4 + length));
            at += 4 + length;
        }
        JobOptions options = (flags & ~(CALLBACK | OWNED)) == 0
                ? JobOptions.NONE
                : options(Priority.values()[flags & 3], ttl, rules, group, extras);
        String note =
                extras == null || !extras.has("n") ? null : extras.get("n").asText();
        return new Decoded(created, options, note, record.slice(at, record.length()));
    }

    private static byte[] rules(JobOptions options) {
        Retry retry = options.retry();
        if (options.ttr() == null && retry.maxAttempts() == null && retry.backoff() == null) {
            return null;
        }
        ObjectNode node = JSON.createObjectNode();
        if (options.ttr() != null) {
            node.put("t", options.ttr());
        }
        if (retry.maxAttempts() != null) {
            node.put("m", retry.maxAttempts());
        }
        if (retry.backoff() != null) {
            node.set("b", backoff(retry.backoff()));
        }
        return bytes(node);
    }

    static JsonNode backoff(Backoff backoff) {
        if (backoff instanceof Backoff.Steps steps) {
            ArrayNode waits = JSON.createArrayNode();
            steps.waits().forEach(waits::add);
            return waits;
        }
        Backoff.Exponential e = (Backoff.Exponential) backoff;
        return JSON.createObjectNode()
                .put("base", e.base())
                .put("factor", e.factor())
                .put("max", e.max())
                .put("jitter", e.jitter());
    }

    static JsonNode callback(Callback callback) {
        ObjectNode node = JSON.createObjectNode().put("url", callback.url()).put("method", callback.method());
        ObjectNode headers = node.putObject("headers");
        callback.headers().forEach(headers::put);
        return node;
    }

    private static byte[] extras(JobOptions options, String note) {
        ObjectNode node = JSON.createObjectNode();
        if (options.callback() != null) {
            node.set("c", callback(options.callback()));
        }
        if (options.traceparent() != null) {
            node.put("p", options.traceparent());
        }
        if (note != null) {
            node.put("n", note);
        }
        return node.isEmpty() ? null : bytes(node);
    }

    private static JobOptions options(Priority priority, Long ttl, JsonNode rules, String group, JsonNode extras) {
        JsonNode r = rules == null ? JSON.createObjectNode() : rules;
        JsonNode x = extras == null ? JSON.createObjectNode() : extras;
        return new JobOptions(
                r.has("t") ? r.get("t").asLong() : null,
                new Retry(r.has("m") ? r.get("m").asInt() : null, r.has("b") ? backoff(r.get("b")) : null),
                x.has("c") ? callback(x.get("c")) : null,
                priority,
                ttl,
                group,
                x.has("p") ? x.get("p").asText() : null);
    }

    static Backoff backoff(JsonNode node) {
        if (node.isArray()) {
            List<Long> waits = new ArrayList<>();
            node.forEach(wait -> waits.add(wait.asLong()));
            return new Backoff.Steps(waits);
        }
        return new Backoff.Exponential(
                node.get("base").asLong(),
                node.get("factor").asDouble(),
                node.get("max").asLong(),
                node.get("jitter").asDouble());
    }

    static Callback callback(JsonNode node) {
        Map<String, String> headers = new LinkedHashMap<>();
        node.get("headers")
                .properties()
                .forEach(e -> headers.put(e.getKey(), e.getValue().asText()));
        return new Callback(node.get("url").asText(), node.get("method").asText(), headers);
    }

    static JsonNode parse(byte[] json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] bytes(JsonNode node) {
        try {
            return JSON.writeValueAsBytes(node);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
