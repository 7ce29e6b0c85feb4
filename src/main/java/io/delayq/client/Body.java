package io.delayq.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.json.JsonObject;

/** A job's body: JSON text as it was pushed, read only when asked for. */
public final class Body {
    private final String text;
    private final ObjectMapper mapper;

    Body(String text, ObjectMapper mapper) {
        this.text = text;
        this.mapper = mapper;
    }

    /** As it was spelled by whoever pushed it. */
    public String text() {
        return text;
    }

    /** @throws IllegalArgumentException if it is not that, so that a handler which lets it through nacks the job */
    public <T> T as(Class<T> type) {
        return read(() -> mapper.readValue(text, type), type.getName());
    }

    public <T> T as(TypeReference<T> type) {
        return read(() -> mapper.readValue(text, type), type.getType().getTypeName());
    }

    public JsonNode tree() {
        return read(() -> mapper.readTree(text), "JSON");
    }

    /** For Vert.x applications; the body must be an object. */
    public JsonObject json() {
        return new JsonObject(text);
    }

    @Override
    public String toString() {
        return text;
    }

    private interface Reading<T> {
        T read() throws JsonProcessingException;
    }

    private static <T> T read(Reading<T> reading, String expected) {
        try {
            return reading.read();
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the body is not " + expected + ": " + e.getOriginalMessage(), e);
        }
    }
}
