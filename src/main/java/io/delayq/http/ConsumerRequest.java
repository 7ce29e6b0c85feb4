package io.delayq.http;

import com.fasterxml.jackson.core.JsonToken;
import io.delayq.job.When;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The small requests about jobs that exist already. A lease is opaque: any text is one, and an odd one is stale like any
 * other that does not hold.
 */
public final class ConsumerRequest {
    public static final int MAX_SETTLED = 1_000;
    public static final int MAX_ERROR_BYTES = 4 << 10;

    private static final List<String> RESERVE = List.of("max", "wait");
    private static final List<String> ACK = List.of("lease");
    private static final List<String> NACK = List.of("lease", "delay", "error");
    private static final List<String> EXTEND = List.of("lease", "ttr");
    private static final List<String> ACKS = List.of("jobs");
    private static final List<String> ACKED = List.of("id", "lease");
    private static final List<String> RESCHEDULE = List.of("delay", "at");
    private static final long MAX_WAIT = 60_000;

    private final JsonReader in;
    private final long now;
    private Long max = 1L;
    private Long wait = 0L;
    private String id;
    private String lease;
    private String error;
    private Long delay;
    private Long at;
    private Long ttr;
    private boolean delayGiven;
    private boolean atGiven;
    private boolean idGiven;
    private boolean leaseGiven;
    private boolean jobsGiven;
    private final List<Held> held = new ArrayList<>();

    /** @param waitMillis how long to wait while there is no job */
    public record Reserve(int max, long waitMillis) {}

    public record Ack(String lease) {}

    /**
     * @param delay ms until the next attempt; null: the backoff decides
     * @param error null if none was given
     */
    public record Nack(String lease, Long delay, String error) {}

    /** @param ttr ms from now; null: the job's own */
    public record Extend(String lease, Long ttr) {}

    /** A job and the lease that a consumer claims to hold on it. */
    public record Held(String id, String lease) {}

    /**
     * One of many jobs that are settled in one message.
     *
     * @param millis nack: the wait, extend: the ttr; null if not given
     * @param error nack only; null if not given
     */
    public record Settling(String id, String lease, Long millis, String error) {}

    private static final Map<String, List<String>> SETTLING = Map.of(
            "ack", ACKED,
            "nack", List.of("id", "lease", "delay", "error"),
            "extend", List.of("id", "lease", "ttr"));

    /**
     * One element of a list of jobs, the reader standing on it; its faults are noted there.
     *
     * @param how ack, nack or extend
     * @return null if it is no object
     */
    public static Settling settling(JsonReader in, String how) {
        List<String> fields = SETTLING.get(how);
        ConsumerRequest job = new ConsumerRequest(in, 0);
        if (!in.object(fields, name -> fields.contains(name) && job.field(name))) {
            return null;
        }
        job.checkRequired(fields);
        return new Settling(job.id, job.lease, how.equals("extend") ? job.ttr : job.delay, job.error);
    }

    private ConsumerRequest(JsonReader in, long now) {
        this.in = in;
        this.now = now;
    }

    public static Reserve reserve(byte[] json) {
        if (json.length == 0) {
            return new Reserve(1, 0);
        }
        ConsumerRequest request = read(json, 0, RESERVE);
        return new Reserve(request.max.intValue(), request.wait);
    }

    public static Ack ack(byte[] json) {
        return new Ack(read(json, 0, ACK).lease);
    }

    public static Nack nack(byte[] json) {
        ConsumerRequest request = read(json, 0, NACK);
        return new Nack(request.lease, request.delay, request.error);
    }

    public static Extend extend(byte[] json) {
        ConsumerRequest request = read(json, 0, EXTEND);
        return new Extend(request.lease, request.ttr);
    }

    public static List<Held> acks(byte[] json) {
        return List.copyOf(read(json, 0, ACKS).held);
    }

    /** @param now ms since 1970 */
    public static When reschedule(byte[] json, long now) {
        ConsumerRequest request = read(json, now, RESCHEDULE);
        return request.at != null ? When.at(request.at) : When.in(request.delay);
    }

    private static ConsumerRequest read(byte[] json, long now, List<String> fields) {
        if (json.length > JobRequest.MAX_REQUEST_BYTES) {
            throw Problem.tooLarge("", "expected at most 1 MiB, found " + json.length + " bytes");
        }
        try (JsonReader in = JsonReader.of(json)) {
            ConsumerRequest request = new ConsumerRequest(in, now);
            if (in.wholeObject(fields, name -> fields.contains(name) && request.field(name))) {
                request.checkRequired(fields);
            }
            in.faults().throwIfAny();
            return request;
        }
    }

    private boolean field(String name) {
        switch (name) {
            case "max" -> max = in.whole(1, 1_000, "a whole number from 1 to 1000");
            case "wait" -> wait = in.duration(0, MAX_WAIT, "from 0s to 60s");
            case "id" -> {
                idGiven = true;
                id = JobFields.id(in);
            }
            case "lease" -> {
                leaseGiven = true;
                lease = in.text("the lease as it came with the job, a text");
            }
            case "delay" -> {
                delayGiven = true;
                delay = JobFields.delay(in);
            }
            case "at" -> {
                atGiven = true;
                at = JobFields.at(in, now);
            }
            case "ttr" -> ttr = JobFields.ttr(in);
            case "error" -> error = error();
            case "jobs" -> {
                jobsGiven = true;
                jobs();
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void checkRequired(List<String> fields) {
        if (fields.contains("id") && !idGiven) {
            in.faultAt("id", "expected the job's id");
        }
        if (fields.contains("lease") && !leaseGiven) {
            in.faultAt("lease", "expected the lease as it came with the job");
        }
        if (fields.contains("jobs") && !jobsGiven) {
            in.faultAt("jobs", "expected a list of 1 to 1000 objects with id and lease");
        }
        if (fields.equals(RESCHEDULE) && delayGiven == atGiven) {
            String detail = atGiven ? "expected either delay or at; leave one of them out" : "expected delay or at";
            in.faultAt("at", detail);
        }
    }

    private String error() {
        String text = in.text("text of at most 4 KiB");
        int bytes = text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_ERROR_BYTES) {
            in.fault("expected at most 4 KiB of UTF-8, found " + bytes + " bytes; shorten it");
        }
        return text;
    }

    private void jobs() {
        if (in.token() != JsonToken.START_ARRAY) {
            in.expected("a list of 1 to 1000 objects with id and lease");
            return;
        }
        int count = 0;
        while (in.next() != JsonToken.END_ARRAY) {
            if (++count > MAX_SETTLED) {
                in.skip();
                continue;
            }
            Settling job = settling(in, "ack");
            if (job != null) {
                held.add(new Held(job.id, job.lease));
            }
        }
        if (count == 0 || count > MAX_SETTLED) {
            in.fault("expected a list of 1 to 1000 jobs, found " + count);
        }
    }
}
