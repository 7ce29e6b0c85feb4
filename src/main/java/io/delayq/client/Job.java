package io.delayq.client;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.json.JsonObject;
import java.time.Instant;

/** One delivery of a job, under a lease. May be read from any thread. */
public final class Job {
    private final String topic;
    private final JsonNode fields;
    private final Body body;
    private volatile boolean held = true;

    Job(String topic, JsonNode fields, Body body) {
        this.topic = topic;
        this.fields = fields;
        this.body = body;
    }

    public String topic() {
        return topic;
    }

    public String id() {
        return fields.path("id").asText();
    }

    public String lease() {
        return fields.path("lease").asText();
    }

    /** 1 for the first delivery. */
    public int attempt() {
        return fields.path("attempt").asInt();
    }

    /** 0 is without limit. */
    public int maxAttempts() {
        return fields.path("maxAttempts").asInt();
    }

    /** When it was to run, by the server's clock. */
    public Instant due() {
        return Json.time(fields, "due");
    }

    /** When the lease ends unless it is extended, by the server's clock. */
    public Instant deadline() {
        return Json.time(fields, "deadline");
    }

    /** The W3C trace context of the push, null if it had none. */
    public String traceparent() {
        return fields.path("traceparent").asText(null);
    }

    /**
     * Whether the job is still this consumer's as far as the client knows. False once its lease or its connection is
     * lost: it runs elsewhere or will, and the outcome here no longer counts. Only for jobs of a handler.
     */
    public boolean isHeld() {
        return held;
    }

    public Body body() {
        return body;
    }

    public <T> T body(Class<T> type) {
        return body.as(type);
    }

    public <T> T body(TypeReference<T> type) {
        return body.as(type);
    }

    /** For Vert.x applications; the body must be an object. */
    public JsonObject json() {
        return body.json();
    }

    @Override
    public String toString() {
        return topic + "/" + id() + " attempt " + attempt();
    }

    long deadlineMillis() {
        return fields.path("deadline").asLong();
    }

    void lose() {
        held = false;
    }
}
