package io.delayq.http;

import com.fasterxml.jackson.core.JsonToken;
import io.delayq.job.Names;
import io.delayq.job.Priority;
import io.delayq.job.Timestamps;
import io.delayq.job.When;

/** Reads the fields that jobs, consumers and topic settings share, within their bounds. */
public final class JobFields {
    private static final long SECOND = 1_000;
    private static final long HOUR = 3_600 * SECOND;
    /** Ten years. */
    public static final long FURTHEST = 3_650 * 24 * HOUR;

    private JobFields() {}

    public static String topic(JsonReader in) {
        String topic = in.text("text");
        return topic == null ? null : checked(in, topic, Names.topicFault(topic));
    }

    public static String id(JsonReader in) {
        String id = in.text("text of 1 to 256 bytes");
        return id == null ? null : checked(in, id, Names.idFault(id));
    }

    public static String group(JsonReader in) {
        String group = in.text("text of 1 to 256 bytes");
        return group == null ? null : checked(in, group, Names.idFault(group));
    }

    public static Long delay(JsonReader in) {
        return in.duration(0, FURTHEST, "from 0ms to 3650d");
    }

    /** A time before 1970 reads as 1970: either way it is past. */
    public static Long at(JsonReader in, long now) {
        Long millis = null;
        if (in.token() == JsonToken.VALUE_STRING) {
            try {
                millis = Math.max(0, Timestamps.parse(in.value()));
            } catch (IllegalArgumentException e) {
                millis = null;
            }
        } else if (in.token() == JsonToken.VALUE_NUMBER_INT) {
            return in.whole(0, now + FURTHEST, "milliseconds since 1970, at most 3650d ahead");
        }
        if (millis == null || millis > now + FURTHEST) {
            in.expected(
                    "a time at most 3650d ahead (a whole number of milliseconds since 1970, or RFC 3339 text such as "
                            + "2030-01-31T12:00:00Z)");
            return null;
        }
        return millis;
    }

    /** {@link When#NOW} if neither was given; a fault if both were. */
    public static When when(JsonReader in, boolean bothGiven, Long delay, Long at) {
        if (bothGiven) {
            in.faultAt("at", "expected either delay or at; leave one of them out");
        }
        if (at != null) {
            return When.at(at);
        }
        return delay == null || delay == 0 ? When.NOW : When.in(delay);
    }

    public static Long ttr(JsonReader in) {
        return in.duration(100, 24 * HOUR, "from 100ms to 24h");
    }

    public static Long ttl(JsonReader in) {
        return in.duration(SECOND, FURTHEST, "from 1s to 3650d");
    }

    public static Priority priority(JsonReader in) {
        if (in.token() == JsonToken.VALUE_STRING) {
            switch (in.value()) {
                case "high":
                    return Priority.HIGH;
                case "normal":
                    return Priority.NORMAL;
                case "low":
                    return Priority.LOW;
                default:
            }
        }
        in.expected("high, normal or low");
        return null;
    }

    private static String checked(JsonReader in, String text, String fault) {
        if (fault == null) {
            return text;
        }
        in.fault(fault);
        return null;
    }
}
