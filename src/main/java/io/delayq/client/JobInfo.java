package io.delayq.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.delayq.job.JobState;
import java.time.Duration;
import java.time.Instant;

/** A job as it stands on the server. */
public final class JobInfo {
    private final JsonNode fields;
    private final Body body;

    JobInfo(JsonNode fields, Body body) {
        this.fields = fields;
        this.body = body;
    }

    public String topic() {
        return fields.path("topic").asText();
    }

    public String id() {
        return fields.path("id").asText();
    }

    public JobState state() {
        return Json.state(fields);
    }

    public Instant due() {
        return Json.time(fields, "due");
    }

    public Instant created() {
        return Json.time(fields, "created");
    }

    public int attempts() {
        return fields.path("attempts").asInt();
    }

    public Duration ttr() {
        return Duration.ofMillis(fields.path("ttr").asLong());
    }

    /** Null if no attempt has failed with one. */
    public String lastError() {
        return fields.path("lastError").asText(null);
    }

    public Body body() {
        return body;
    }

    /** All that the server said but the body, also what this class has no name for. */
    public JsonNode fields() {
        return fields;
    }
}
