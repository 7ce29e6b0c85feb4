package io.delayq.http;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A request that cannot be served, as the client gets to see it (RFC 9457). Carries no stack trace: problems are answers,
 * made by the thousand under load, and none of their text comes from inside the server.
 */
public final class Problem extends RuntimeException {
    public static final String MEDIA_TYPE = "application/problem+json";

    private final transient ProblemType type;
    private final transient List<Faults.Fault> faults;
    private final transient Integer retryAfterSeconds;
    private final transient Extra extra;

    /** One more member of the body, as JSON text. */
    private record Extra(String name, Buffer json) {}

    public Problem(ProblemType type, String detail) {
        this(type, detail, List.of());
    }

    public Problem(ProblemType type, String detail, List<Faults.Fault> faults) {
        this(type, detail, faults, null, null);
    }

    private Problem(
            ProblemType type, String detail, List<Faults.Fault> faults, Integer retryAfterSeconds, Extra extra) {
        super(detail, null, false, false);
        this.type = type;
        this.faults = List.copyOf(faults);
        this.retryAfterSeconds = retryAfterSeconds;
        this.extra = extra;
    }

    public static Problem invalid(String pointer, String detail) {
        return new Problem(ProblemType.INVALID_REQUEST, detail, List.of(new Faults.Fault(pointer, detail)));
    }

    public static Problem tooLarge(String pointer, String detail) {
        return new Problem(ProblemType.TOO_LARGE, detail, List.of(new Faults.Fault(pointer, detail)));
    }

    public static Problem jobNotFound(String topic, String id) {
        return ProblemType.JOB_NOT_FOUND.with(
                "topic " + topic + " has no job " + id + "; it may be done, cancelled or expired, or was never pushed");
    }

    public static Problem topicNotFound(String topic) {
        return ProblemType.TOPIC_NOT_FOUND.with(
                "there is no topic " + topic + "; its first push or its settings would make it");
    }

    /** @param job the job that holds the id, as JSON text without its body; null if it is not to be shown */
    public static Problem jobExists(String topic, String id, Buffer job) {
        Problem problem = ProblemType.JOB_EXISTS.with(
                "topic " + topic + " has a job " + id + " already, nothing was changed; PUT would replace it");
        return job == null ? problem : problem.withMember("job", job);
    }

    public static Problem staleLease() {
        return ProblemType.STALE_LEASE.with(
                "the lease does not hold now: it ended, was settled, or the job was replaced or cancelled; "
                        + "do not settle it again, the job is delivered anew if it is still due");
    }

    public static Problem wrongState(String detail) {
        return ProblemType.WRONG_STATE.with(detail);
    }

    public static Problem rateLimited(int retryAfterSeconds) {
        return ProblemType.RATE_LIMITED
                .with("too many requests; wait as long as Retry-After says")
                .retryAfter(retryAfterSeconds);
    }

    /** @param errorId stands in the log next to what went wrong */
    public static Problem internal(String errorId) {
        return ProblemType.INTERNAL.with("a defect in the server; report error id " + errorId + ", it is in the log");
    }

    public static Problem storeUnavailable(int retryAfterSeconds) {
        return ProblemType.STORE_UNAVAILABLE
                .with("Redis is out of reach or read-only and nothing was changed; send the request again")
                .retryAfter(retryAfterSeconds);
    }

    public static Problem shuttingDown(int retryAfterSeconds) {
        return ProblemType.SHUTTING_DOWN
                .with("the server is stopping and nothing was changed; send the request again, to another one if any")
                .retryAfter(retryAfterSeconds);
    }

    public static Problem outcomeUnknown() {
        return ProblemType.OUTCOME_UNKNOWN.with("Redis did not answer in time, so it may or may not have happened; "
                + "repeat a push with the same id, PUT and DELETE as they are");
    }

    public static Problem notReplicated() {
        return ProblemType.NOT_REPLICATED.with(
                "stored, but not on as many replicas as durability asks; it may still be delivered. "
                        + "Repeat a push with the same id, PUT and DELETE as they are");
    }

    public static Problem storeFull() {
        return ProblemType.STORE_FULL.with("Redis is at its memory limit and refused the push whole; "
                + "wait until jobs have been worked off, or raise maxmemory");
    }

    public Problem retryAfter(int seconds) {
        return new Problem(type, detail(), faults, seconds, extra);
    }

    public Problem withMember(String name, Buffer json) {
        return new Problem(type, detail(), faults, retryAfterSeconds, new Extra(name, json));
    }

    public ProblemType type() {
        return type;
    }

    public int status() {
        return type.status();
    }

    public String title() {
        return type.title();
    }

    public String detail() {
        return getMessage();
    }

    public List<Faults.Fault> faults() {
        return faults;
    }

    /** For the header of that name; null if the client need not wait. */
    public Integer retryAfterSeconds() {
        return retryAfterSeconds;
    }

    /** All there is to say in one text, for a row of a bulk answer, which has no {@code errors}. */
    public String oneLine() {
        return faults.isEmpty()
                ? detail()
                : faults.stream()
                        .map(fault ->
                                fault.pointer().isEmpty() ? fault.detail() : fault.pointer() + " " + fault.detail())
                        .collect(Collectors.joining("; "));
    }

    public Buffer toJson() {
        Buffer out = Buffer.buffer(256);
        out.appendString("{\"type\":");
        Json.string(out, type.uri());
        out.appendString(",\"title\":");
        Json.string(out, type.title());
        out.appendString(",\"status\":").appendString(Integer.toString(type.status()));
        out.appendString(",\"detail\":");
        Json.string(out, detail());
        if (!faults.isEmpty()) {
            errors(out);
        }
        if (extra != null) {
            out.appendByte((byte) ',');
            Json.string(out, extra.name());
            out.appendByte((byte) ':').appendBuffer(extra.json());
        }
        return out.appendByte((byte) '}');
    }

    private void errors(Buffer out) {
        String separator = ",\"errors\":[";
        for (Faults.Fault fault : faults) {
            out.appendString(separator).appendString("{\"pointer\":");
            Json.string(out, fault.pointer());
            out.appendString(",\"detail\":");
            Json.string(out, fault.detail());
            out.appendByte((byte) '}');
            separator = ",";
        }
        out.appendByte((byte) ']');
    }
}
