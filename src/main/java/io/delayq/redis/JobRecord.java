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
 * byte 1     flags: bits 0-1 priority (0 normal, 1 high, 2 low), 4 callback, 8 rules follow, 16 extras follow
 * byte 2-7   time of the push in ms, big endian; put in by the script, so absent in what is sent to it
 * rules      2 bytes length, JSON {t: ttr, m: maxAttempts, b: backoff}; read by the scripts
 * extras     4 bytes length, JSON {e: ttl, g: group, c: callback, p: traceparent}
 * body       the rest, JSON text as it came
 * </pre>
 */
final class JobRecord {
    private static final byte FORMAT = 1;
    private static final int CALLBACK = 4;
    private static final int RULES = 8;
    private static final int EXTRAS = 16;
    private static final int HEADER = 8;
    private static final ObjectMapper JSON = new ObjectMapper();

    private JobRecord() {}

    /** The record without the time of the push, which the script puts in. */
    static byte[] encode(JobOptions options, Buffer body) {
        byte[] rules = rules(options);
        byte[] extras = extras(options);
        int flags = options.priorityOrDefault().ordinal()
                | (options.callback() == null ? 0 : CALLBACK)
                | (rules == null ? 0 : RULES)
                | (extras == null ? 0 : EXTRAS);
        int length =
                2 + (rules == null ? 0 : 2 + rules.length) + (extras == null ? 0 : 4 + extras.length) + body.length();
        byte[] record = new byte[length];
        record[0] = FORMAT;
        record[1] = (byte) flags;
        int at = 2;
        if (rules != null) {
            at = append(record, at, rules, 2);
        }
        if (extras != null) {
            at = append(record, at, extras, 4);
        }
        body.getBytes(record, at);
        return record;
    }

    private static int append(byte[] record, int at, byte[] part, int lengthBytes) {
        for (int i = 0; i < lengthBytes; i++) {
            record[at + i] = (byte) (part.length >>> 8 * (lengthBytes - 1 - i));
        }
        System.arraycopy(part, 0, record, at + lengthBytes, part.length);
        return at + lengthBytes + part.length;
    }

    /** What a stored record says. */
    record Decoded(long created, JobOptions options, Buffer body) {}

    static Decoded decode(Buffer record) {
        if (record.getByte(0) != FORMAT) {
            throw new IllegalStateException("record of unknown format " + record.getByte(0));
        }
        int flags = record.getByte(1);
        long created = record.getLong(0) & 0xffff_ffff_ffffL;
        int at = HEADER;
        JsonNode rules = null;
        JsonNode extras = null;
        if ((flags & RULES) != 0) {
            int length = record.getUnsignedShort(at);
            rules = parse(record.getBytes(at + 2, at + 2 + length));
            at += 2 + length;
        }
        if ((flags & EXTRAS) != 0) {
            int length = record.getInt(at);
            extras = parse(record.getBytes(at + 4, at + 4 + length));
            at += 4 + length;
        }
        JobOptions options = (flags & (RULES | EXTRAS | 3)) == 0
                ? JobOptions.NONE
                : options(Priority.values()[flags & 3], rules, extras);
        return new Decoded(created, options, record.slice(at, record.length()));
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
        if (retry.backoff() instanceof Backoff.Steps steps) {
            ArrayNode waits = node.putArray("b");
            steps.waits().forEach(waits::add);
        } else if (retry.backoff() instanceof Backoff.Exponential e) {
            node.putObject("b")
                    .put("base", e.base())
                    .put("factor", e.factor())
                    .put("max", e.max())
                    .put("jitter", e.jitter());
        }
        return bytes(node);
    }

    private static byte[] extras(JobOptions options) {
        ObjectNode node = JSON.createObjectNode();
        if (options.ttl() != null) {
            node.put("e", options.ttl());
        }
        if (options.group() != null) {
            node.put("g", options.group());
        }
        if (options.callback() != null) {
            Callback callback = options.callback();
            ObjectNode target = node.putObject("c").put("url", callback.url()).put("method", callback.method());
            ObjectNode headers = target.putObject("headers");
            callback.headers().forEach(headers::put);
        }
        if (options.traceparent() != null) {
            node.put("p", options.traceparent());
        }
        return node.isEmpty() ? null : bytes(node);
    }

    private static JobOptions options(Priority priority, JsonNode rules, JsonNode extras) {
        JsonNode r = rules == null ? JSON.createObjectNode() : rules;
        JsonNode x = extras == null ? JSON.createObjectNode() : extras;
        return new JobOptions(
                r.has("t") ? r.get("t").asLong() : null,
                new Retry(r.has("m") ? r.get("m").asInt() : null, r.has("b") ? backoff(r.get("b")) : null),
                x.has("c") ? callback(x.get("c")) : null,
                priority,
                x.has("e") ? x.get("e").asLong() : null,
                x.has("g") ? x.get("g").asText() : null,
                x.has("p") ? x.get("p").asText() : null);
    }

    private static Backoff backoff(JsonNode node) {
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

    private static Callback callback(JsonNode node) {
        Map<String, String> headers = new LinkedHashMap<>();
        node.get("headers")
                .properties()
                .forEach(e -> headers.put(e.getKey(), e.getValue().asText()));
        return new Callback(node.get("url").asText(), node.get("method").asText(), headers);
    }

    private static JsonNode parse(byte[] json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] bytes(JsonNode node) {
        try {
            return JSON.writeValueAsBytes(node);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
