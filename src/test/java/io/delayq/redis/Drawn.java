package io.delayq.redis;

import io.delayq.job.Backoff;
import io.delayq.job.Callback;
import io.delayq.job.JobOptions;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.OnExpire;
import io.delayq.job.When;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Jobs, times and settings drawn at random, with short times and few attempts, so that much happens. */
final class Drawn {
    // together with the topics these would collide if they were just joined
    static final String[] GROUPS = {"g:h", "h"};
    static final long MUCH = 3_600_000;

    private final Random random;

    Drawn(Random random) {
        this.random = random;
    }

    <T> T any(T[] of) {
        return of[random.nextInt(of.length)];
    }

    @SafeVarargs
    final <T> T maybe(T... of) {
        int at = random.nextInt(of.length + 2) - 2;
        return at < 0 ? null : of[at];
    }

    When when(long now) {
        return switch (random.nextInt(8)) {
            case 0 -> When.in(1 + random.nextInt(3_000));
            case 1 -> When.at(now - 5_000 + random.nextInt(10_000));
            case 2 -> When.in(MUCH);
            default -> When.NOW;
        };
    }

    private Backoff backoff() {
        return maybe(
                new Backoff.Steps(List.of(0L, 500L, 2_000L)),
                new Backoff.Steps(List.of(100L)),
                new Backoff.Exponential(200, 3, 1_000, 0));
    }

    private Retry retry() {
        return new Retry(maybe(0, 1, 2, 3), backoff());
    }

    NewJob job(String topic, String id, long now) {
        Callback callback = random.nextInt(8) > 0 ? null : new Callback("http://127.0.0.1/", "POST", Map.of());
        JobOptions options = random.nextInt(3) == 0
                ? JobOptions.NONE
                : new JobOptions(
                        maybe(100L, 5_000L),
                        retry(),
                        callback,
                        maybe(Priority.values()),
                        maybe(1_000L, 20_000L),
                        maybe(GROUPS),
                        null);
        return new NewJob(topic, id, when(now), options, Buffer.buffer("{\"n\":" + random.nextInt(1000) + "}"));
    }

    TopicSettings settings() {
        return new TopicSettings(
                maybe(100L, 5_000L),
                retry(),
                maybe(Priority.values()),
                maybe(1_000L, 20_000L),
                maybe(OnExpire.DEAD, OnExpire.DEAD, OnExpire.DROP),
                null,
                null,
                null,
                maybe(0L, 3_000L, 100_000L),
                maybe(0L, 2_000L, 100_000L),
                null,
                null);
    }
}
