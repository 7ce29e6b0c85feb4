package io.delayq.http;

import com.fasterxml.jackson.core.JsonToken;
import io.delayq.job.Callback;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.OnExpire;
import io.delayq.job.TopicSettings.RedisList;
import io.delayq.job.TopicSettings.Webhook;
import java.util.List;

/** Turns the JSON of a topic's settings into these, or into all its faults at once. */
public final class SettingsRequest {
    private static final List<String> FIELDS = List.of(
            "ttr",
            "retry",
            "priority",
            "ttl",
            "onExpire",
            "callback",
            "webhook",
            "redisList",
            "keepDone",
            "keepDead",
            "maxInFlight",
            "ratePerSecond");
    private static final long LONGEST_KEPT = 365 * 86_400_000L;
    private static final int MOST = 1_000_000;

    private final JsonReader in;
    private final Targets targets;
    private Long ttr;
    private Retry retry = Retry.INHERITED;
    private Priority priority;
    private Long ttl;
    private OnExpire onExpire;
    private Callback callback;
    private boolean callbackGiven;
    private Webhook webhook;
    private RedisList redisList;
    private boolean redisListGiven;
    private Long keepDone;
    private Long keepDead;
    private Integer maxInFlight;
    private Integer ratePerSecond;

    private SettingsRequest(JsonReader in, Targets targets) {
        this.in = in;
        this.targets = targets;
    }

    /** @throws Problem with all faults */
    public static TopicSettings read(byte[] json, Targets targets) {
        try (JsonReader in = JsonReader.of(json)) {
            SettingsRequest request = new SettingsRequest(in, targets);
            in.wholeObject(FIELDS, request::field);
            return request.finish();
        }
    }

    private boolean field(String name) {
        switch (name) {
            case "ttr" -> ttr = JobFields.ttr(in);
            case "retry" -> retry = RetryReader.read(in);
            case "priority" -> priority = JobFields.priority(in);
            case "ttl" -> ttl = JobFields.ttl(in);
            case "onExpire" -> onExpire = onExpire();
            case "keepDone" -> keepDone = kept();
            case "keepDead" -> keepDead = kept();
            case "maxInFlight" -> maxInFlight = count();
            case "ratePerSecond" -> ratePerSecond = count();
            default -> {
                return destination(name);
            }
        }
        return true;
    }

    /** Where due jobs go, and how. */
    private boolean destination(String name) {
        switch (name) {
            case "callback" -> {
                callbackGiven = true;
                callback = CallbackReader.read(in, targets);
            }
            case "webhook" -> webhook = WebhookReader.read(in);
            case "redisList" -> {
                redisListGiven = true;
                redisList = RedisListReader.read(in);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private OnExpire onExpire() {
        if (in.token() == JsonToken.VALUE_STRING) {
            for (OnExpire known : OnExpire.values()) {
                if (known.word().equals(in.value())) {
                    return known;
                }
            }
        }
        in.expected("drop or dead");
        return null;
    }

    private Long kept() {
        return in.duration(0, LONGEST_KEPT, "from 0s to 365d");
    }

    private Integer count() {
        Long count = in.whole(1, MOST, "a whole number from 1 to 1000000");
        return count == null ? null : count.intValue();
    }

    private TopicSettings finish() {
        if (callbackGiven && redisListGiven) {
            in.faultAt("redisList", "expected either callback or redisList, a job goes to one place; leave one out");
        }
        in.faults().throwIfAny();
        return new TopicSettings(
                ttr,
                retry,
                priority,
                ttl,
                onExpire,
                callback,
                webhook,
                redisList,
                keepDone,
                keepDead,
                maxInFlight,
                ratePerSecond);
    }
}
