package io.delayq.compat;

import io.delayq.compat.GoJson.Fields;
import io.delayq.compat.GoJson.Struct;
import io.delayq.http.JobText;
import io.delayq.http.ProblemType;
import io.delayq.http.Row;
import io.delayq.http.Targets;
import io.delayq.job.Backoff;
import io.delayq.job.Callback;
import io.delayq.job.JobOptions;
import io.delayq.job.NewJob;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.Webhook;
import io.delayq.job.When;
import io.delayq.redis.TopicStore;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;

/**
 * A task of shenpeiliang/delay_queue: an address to be called at a time, again after each of some waits until it answers
 * {@code {"success":true}}. All are of one topic, named after the list that its clients may push them on.
 *
 * @param planned ms since 1970
 */
public record C3Task(Callback callback, Buffer body, long planned) {
    public static final String TOPIC = "delay_queue_task";

    private static final Struct TASK =
            new Struct("delay.RedisTask", List.of("notify_url", "plan_time", "method_name", "notify_param"), List.of());
    private static final List<Long> WAITS = List.of(5_000L, 15_000L, 30_000L, 180_000L, 3_600_000L, 7_200_000L);
    private static final Retry RETRY = new Retry(1 + WAITS.size(), new Backoff.Steps(WAITS));
    private static final Map<String, String> FORM = Map.of("Content-Type", "application/x-www-form-urlencoded");
    private static final long FOR_THE_PAST_MILLIS = 10_000;
    private static final long SECOND = 1_000;
    private static final long NANOS_A_MILLI = 1_000_000;

    /** @throws IllegalArgumentException with what is wrong */
    static C3Task of(String url, String method, String param, long planned, Targets targets) {
        if (url.isEmpty()) {
            throw new IllegalArgumentException("通知地址参数必须");
        }
        boolean post = method.equalsIgnoreCase("post");
        Callback callback =
                new Callback(Urls.checked("notify_url", url, targets), post ? "POST" : "GET", post ? FORM : Map.of());
        return new C3Task(callback, Core.body(param), planned);
    }

    /**
     * A task as it comes on the list: JSON with {@code plan_time} as RFC 3339.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    public static C3Task read(byte[] json, Targets targets) {
        try {
            Fields task = GoJson.read(json, TASK);
            return of(
                    task.text("notify_url"),
                    task.text("method_name"),
                    task.text("notify_param"),
                    millis(task.text("plan_time")),
                    targets);
        } catch (GoJson.Fault e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** Reads tasks off the list {@link #TOPIC}. */
    public static JobText onList(Targets targets) {
        return (text, ids, now) -> {
            String id = ids.next();
            try {
                return new Row(0, TOPIC, id, read(text, targets).job(id, now), null);
            } catch (IllegalArgumentException e) {
                return new Row(0, TOPIC, id, null, ProblemType.INVALID_REQUEST.with(e.getMessage()));
            }
        };
    }

    /** A fraction of a millisecond counts as a whole one, so that it is not early. */
    private static long millis(String time) {
        try {
            return time.isEmpty()
                    ? 0
                    : OffsetDateTime.parse(time)
                            .toInstant()
                            .plusNanos(NANOS_A_MILLI - 1)
                            .toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("plan_time: expected a time as in RFC 3339", e);
        }
    }

    /**
     * @param now by Redis' clock: what was planned for the past runs in ten seconds
     * @throws IllegalArgumentException if it is too far ahead
     */
    public NewJob job(String id, long now) {
        if (!Core.isBearable((planned - now) / SECOND)) {
            throw new IllegalArgumentException("plan_time: expected at most 2^31 s from now");
        }
        When when = planned > now ? When.at(planned) : When.in(FOR_THE_PAST_MILLIS);
        return new NewJob(TOPIC, id, when, new JobOptions(null, RETRY, callback, null, null, null, null), body);
    }

    /** Sees to it that answers are judged as its clients expect, unless the topic's settings say otherwise. */
    public static Future<Void> judge(TopicStore topics) {
        return topics.settings(TOPIC).compose(set -> {
            TopicSettings now = set == null ? TopicSettings.NONE : set;
            return now.webhook() != null && now.webhook().success() != null
                    ? Future.succeededFuture()
                    : topics.configure(TOPIC, judged(now));
        });
    }

    private static TopicSettings judged(TopicSettings set) {
        List<String> secrets = set.webhook() == null ? List.of() : set.webhook().secrets();
        return new TopicSettings(
                set.ttr(),
                set.retry(),
                set.priority(),
                set.ttl(),
                set.onExpire(),
                set.callback(),
                new Webhook(secrets, Webhook.Success.SUCCESS_TRUE),
                set.redisList(),
                set.keepDone(),
                set.keepDead(),
                set.maxInFlight(),
                set.ratePerSecond());
    }
}
