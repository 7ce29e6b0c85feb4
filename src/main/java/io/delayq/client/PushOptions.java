package io.delayq.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.delayq.job.Backoff;
import io.delayq.job.Callback;
import io.delayq.job.Priority;
import java.time.Duration;
import java.time.Instant;

/** When a job runs and by which rules. What is not set follows the topic. Read when the job is pushed. */
public final class PushOptions {
    private String id;
    private Duration delay;
    private Instant at;
    private Duration ttr;
    private Integer maxAttempts;
    private Backoff backoff;
    private Callback callback;
    private Priority priority;
    private Duration ttl;
    private String group;
    private String traceparent;

    public static PushOptions now() {
        return new PushOptions();
    }

    public static PushOptions in(Duration delay) {
        return new PushOptions().delay(delay);
    }

    public static PushOptions at(Instant time) {
        return new PushOptions().due(time);
    }

    /** The job's id, unique in its topic and its idempotency key; left out, the client makes one. */
    public PushOptions id(String value) {
        id = value;
        return this;
    }

    public PushOptions delay(Duration value) {
        delay = value;
        at = null;
        return this;
    }

    public PushOptions due(Instant value) {
        at = value;
        delay = null;
        return this;
    }

    /** How long one delivery may take before the job is given to another consumer. */
    public PushOptions ttr(Duration value) {
        ttr = value;
        return this;
    }

    /** Counts deliveries; 0 is without limit. */
    public PushOptions maxAttempts(int value) {
        maxAttempts = value;
        return this;
    }

    public PushOptions backoff(Backoff value) {
        backoff = value;
        return this;
    }

    public PushOptions callback(Callback value) {
        callback = value;
        return this;
    }

    public PushOptions priority(Priority value) {
        priority = value;
        return this;
    }

    /** How long after its due time the job expires. */
    public PushOptions ttl(Duration value) {
        ttl = value;
        return this;
    }

    public PushOptions group(String value) {
        group = value;
        return this;
    }

    /** The W3C trace context, which comes back with each delivery. Not sent by {@code pushAll}. */
    public PushOptions traceparent(String value) {
        traceparent = value;
        return this;
    }

    String id() {
        return id;
    }

    String traceparent() {
        return traceparent;
    }

    /** Everything but topic, id and body. */
    ObjectNode write(ObjectNode out) {
        Json.millis(out, "delay", delay);
        if (at != null) {
            out.put("at", Json.millis(at));
        }
        Json.millis(out, "ttr", ttr);
        if (maxAttempts != null || backoff != null) {
            ObjectNode retry = out.putObject("retry");
            if (maxAttempts != null) {
                retry.put("maxAttempts", maxAttempts);
            }
            writeBackoff(retry);
        }
        if (callback != null) {
            ObjectNode to = out.putObject("callback").put("url", callback.url()).put("method", callback.method());
            callback.headers().forEach(to.withObjectProperty("headers")::put);
        }
        if (priority != null) {
            out.put("priority", priority.word());
        }
        Json.millis(out, "ttl", ttl);
        if (group != null) {
            out.put("group", group);
        }
        return out;
    }

    private void writeBackoff(ObjectNode retry) {
        if (backoff instanceof Backoff.Steps steps) {
            ArrayNode waits = retry.putArray("backoff");
            steps.waits().forEach(waits::add);
        } else if (backoff instanceof Backoff.Exponential exponential) {
            retry.putObject("backoff")
                    .put("base", exponential.base())
                    .put("factor", exponential.factor())
                    .put("max", exponential.max())
                    .put("jitter", exponential.jitter());
        }
    }
}
