package io.delayq.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.delayq.job.JobState;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The wire's JSON. Bodies go through as text, both ways, so that their spelling stays. */
final class Json {
    private static final int ANY_LENGTH = Integer.MAX_VALUE;

    static final JsonMapper MAPPER = new JsonMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNumberLength(ANY_LENGTH)
                    .maxStringLength(ANY_LENGTH)
                    .build())
            .build());

    private Json() {}

    /**
     * A message of the server.
     *
     * @param fields all but {@code body} and {@code jobs}
     * @param body text, null if absent
     * @param jobs empty if absent
     */
    record Message(ObjectNode fields, String body, List<Message> jobs) {}

    /** @throws IllegalArgumentException if it is not a JSON object */
    static Message read(String text) {
        try (JsonParser in = MAPPER.createParser(text)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("expected a JSON object");
            }
            return object(in, text);
        } catch (IOException e) {
            throw new IllegalArgumentException("expected JSON", e);
        }
    }

    private static Message object(JsonParser in, String text) throws IOException {
        ObjectNode fields = MAPPER.createObjectNode();
        String body = null;
        List<Message> jobs = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String name = in.currentName();
            JsonToken value = in.nextToken();
            if (name.equals("body")) {
                body = slice(in, text);
            } else if (name.equals("jobs") && value == JsonToken.START_ARRAY) {
                while (in.nextToken() == JsonToken.START_OBJECT) {
                    jobs.add(object(in, text));
                }
            } else {
                fields.set(name, in.<JsonNode>readValueAsTree());
            }
        }
        return new Message(fields, body, jobs);
    }

    private static String slice(JsonParser in, String text) throws IOException {
        int from = (int) in.currentTokenLocation().getCharOffset();
        in.skipChildren();
        in.finishToken();
        return text.substring(from, (int) in.currentLocation().getCharOffset());
    }

    /** @return the problem in an answer; an empty object if it has none */
    static JsonNode problem(String text) {
        try {
            return read(text).fields();
        } catch (IllegalArgumentException e) {
            return MAPPER.createObjectNode();
        }
    }

    static Buffer write(JsonNode node) {
        return Buffer.buffer(text(node).getBytes(StandardCharsets.UTF_8));
    }

    static String text(JsonNode node) {
        try {
            return MAPPER.writeValueAsString(node);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A String is JSON text already; everything else is turned into it. */
    static RawValue body(Object body, ObjectMapper mapper) {
        if (body instanceof JsonObject object) {
            return new RawValue(object.encode());
        }
        if (body instanceof JsonArray array) {
            return new RawValue(array.encode());
        }
        if (body instanceof String text) {
            return new RawValue(checked(text));
        }
        try {
            return new RawValue(mapper.writeValueAsString(body));
        } catch (IOException e) {
            throw new IllegalArgumentException("the body cannot be written as JSON: " + e.getMessage(), e);
        }
    }

    /** It is put into the request as it is, so it must be one value and nothing more. */
    private static String checked(String text) {
        try (JsonParser in = MAPPER.createParser(text)) {
            if (in.nextToken() != null) {
                in.skipChildren();
                in.finishToken();
                if (in.nextToken() == null) {
                    return text;
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("a body given as String must be JSON: " + e.getMessage(), e);
        }
        throw new IllegalArgumentException("a body given as String must be one JSON value");
    }

    /** Rounded up: never early. */
    static void millis(ObjectNode out, String name, Duration value) {
        if (value != null) {
            out.put(name, millis(value));
        }
    }

    static long millis(Duration value) {
        return value.plusNanos(999_999).toMillis();
    }

    static long millis(Instant value) {
        return value.plusNanos(999_999).toEpochMilli();
    }

    static Instant time(JsonNode fields, String name) {
        JsonNode value = fields.path(name);
        return value.isNumber() ? Instant.ofEpochMilli(value.asLong()) : null;
    }

    /** Null if absent, or a word of a later version. */
    static JobState state(JsonNode fields) {
        String word = fields.path("state").asText("").toUpperCase(Locale.ROOT);
        for (JobState state : JobState.values()) {
            if (state.name().equals(word)) {
                return state;
            }
        }
        return null;
    }
}
