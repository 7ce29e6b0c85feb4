package io.delayq.http;

import com.fasterxml.jackson.core.JsonToken;
import io.delayq.job.Callback;
import io.delayq.job.IdSource;
import io.delayq.job.JobOptions;
import io.delayq.job.Names;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.Traceparent;
import io.delayq.job.When;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * Turns the JSON of a push into a job, or into all its faults at once. The body is never parsed into values: it is found
 * valid in passing and its text is kept byte for byte.
 */
public final class JobRequest {
    public static final int MAX_REQUEST_BYTES = 1 << 20;
    public static final int MAX_BODY_BYTES = 256 << 10;

    private static final List<String> FIELDS =
            List.of("id", "delay", "at", "body", "ttr", "retry", "callback", "priority", "ttl", "group");
    private static final List<String> FIELDS_WITH_TOPIC =
            List.of("topic", "id", "delay", "at", "body", "ttr", "retry", "callback", "priority", "ttl", "group");

    private final JsonReader in;
    private final long now;
    private final Targets targets;
    private final boolean topicInside;
    private boolean topicGiven;
    private boolean idGiven;
    private boolean delayGiven;
    private boolean atGiven;
    private String topic;
    private String id;
    private Long delay;
    private Long at;
    private Buffer body;
    private boolean hasOptions;
    private Long ttr;
    private Retry retry = Retry.INHERITED;
    private Callback callback;
    private Priority priority;
    private Long ttl;
    private String group;

    private JobRequest(JsonReader in, long now, Targets targets, boolean topicInside) {
        this.in = in;
        this.now = now;
        this.targets = targets;
        this.topicInside = topicInside;
    }

    /**
     * One job, its topic in the path.
     *
     * @param pathId the id in the path, decoded; null for a push, which may have one inside
     * @param traceparent header of that name or null; dropped if malformed
     * @param now ms since 1970
     * @throws Problem with all faults
     */
    public static NewJob one(
            String topic, String pathId, byte[] json, String traceparent, IdSource ids, long now, Targets targets) {
        if (json.length > MAX_REQUEST_BYTES) {
            throw requestTooLarge(json.length);
        }
        try (JsonReader in = JsonReader.of(json)) {
            JobRequest request = new JobRequest(in, now, targets, false);
            in.wholeObject(FIELDS, request::field);
            request.takePath(topic, pathId);
            return request.finish(traceparent, ids);
        }
    }

    /** One NDJSON line. A bad line fails alone, so nothing is thrown. */
    public static Row line(int index, byte[] json, String traceparent, IdSource ids, long now, Targets targets) {
        if (json.length > MAX_REQUEST_BYTES) {
            return new Row(index, null, null, null, requestTooLarge(json.length));
        }
        try (JsonReader in = JsonReader.of(json)) {
            Row row = element(in, in.next(), index, traceparent, ids, now, targets);
            in.end();
            return row;
        } catch (Problem e) {
            return new Row(index, null, null, null, e);
        }
    }

    /** A line of which nothing was kept. */
    public static Row tooLong(int index, long length) {
        return new Row(index, null, null, null, requestTooLarge(length));
    }

    /**
     * One job of a list, with its topic inside, the reader standing on it.
     *
     * @param first the token the reader stands on
     * @throws Problem if the text is not JSON
     */
    public static Row element(
            JsonReader in, JsonToken first, int index, String traceparent, IdSource ids, long now, Targets targets) {
        if (first == null) {
            throw Problem.invalid("", "expected a job; found no text at all");
        }
        int from = in.tokenStart();
        JobRequest request = new JobRequest(in, now, targets, true);
        if (in.object(FIELDS_WITH_TOPIC, request::field) && !request.topicGiven) {
            in.faultAt("topic", "expected the name of a topic; each job of many needs one");
        }
        int length = in.tokenEnd() - from;
        if (length > MAX_REQUEST_BYTES) {
            return new Row(index, request.topic, request.id, null, requestTooLarge(length));
        }
        try {
            NewJob job = request.finish(traceparent, ids);
            return new Row(index, job.topic(), job.id(), job, null);
        } catch (Problem e) {
            return new Row(index, request.topic, request.id, null, e);
        }
    }

    private boolean field(String name) {
        switch (name) {
            case "topic" -> {
                if (!topicInside) {
                    in.fault("expected no topic here, the path has it; leave it out");
                    in.skip();
                    return true;
                }
                topicGiven = true;
                topic = JobFields.topic(in);
            }
            case "id" -> {
                idGiven = true;
                id = JobFields.id(in);
            }
            case "delay" -> {
                delayGiven = true;
                delay = JobFields.delay(in);
            }
            case "at" -> {
                atGiven = true;
                at = JobFields.at(in, now);
            }
            case "body" -> body = in.raw(MAX_BODY_BYTES, "256 KiB");
            default -> {
                return option(name);
            }
        }
        return true;
    }

    private boolean option(String name) {
        switch (name) {
            case "ttr" -> ttr = JobFields.ttr(in);
            case "retry" -> retry = RetryReader.read(in);
            case "callback" -> callback = CallbackReader.read(in, targets);
            case "priority" -> priority = JobFields.priority(in);
            case "ttl" -> ttl = JobFields.ttl(in);
            case "group" -> group = JobFields.group(in);
            default -> {
                return false;
            }
        }
        hasOptions = true;
        return true;
    }

    private void takePath(String pathTopic, String pathId) {
        String topicFault = Names.topicFault(pathTopic);
        if (topicFault != null) {
            in.faults().add("/topic", "in the path: " + topicFault);
        }
        topic = pathTopic;
        if (pathId == null) {
            return;
        }
        String idFault = Names.idFault(pathId);
        if (idFault != null) {
            in.faults().add("/id", "in the path: " + idFault);
        } else if (idGiven && id != null && !id.equals(pathId)) {
            in.faults().add("/id", "expected the id in the path; give the same one or leave it out");
        }
        idGiven = true;
        id = pathId;
    }

    private NewJob finish(String traceparent, IdSource ids) {
        When when = JobFields.when(in, delayGiven && atGiven, delay, at);
        in.faults().throwIfAny();
        String trace = Traceparent.validOrNull(traceparent);
        JobOptions options = hasOptions || trace != null
                ? new JobOptions(ttr, retry, callback, priority, ttl, group, trace)
                : JobOptions.NONE;
        return new NewJob(topic, idGiven ? id : ids.next(), when, options, body == null ? Buffer.buffer("null") : body);
    }

    private static Problem requestTooLarge(long bytes) {
        return Problem.tooLarge("", "expected at most 1 MiB for one job, found " + bytes + " bytes");
    }
}
