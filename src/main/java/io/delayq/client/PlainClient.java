package io.delayq.client;

import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * {@link DelayqClient} for applications without Vert.x: the same operations, with {@link CompletionStage}.
 *
 * <p>Stages complete on the client's event loop, and handlers are called on it. Neither may block: what does belongs on a
 * pool, as in {@code job -> CompletableFuture.runAsync(() -> work(job), pool)}.
 */
public final class PlainClient {
    private final DelayqClient client;

    /** Does a job's work; see {@link JobHandler}. */
    @FunctionalInterface
    public interface Handler {
        CompletionStage<?> handle(Job job) throws Exception;
    }

    /** See {@link Handling}. */
    public static final class Running {
        private final Handling handling;

        private Running(Handling handling) {
            this.handling = handling;
        }

        public CompletionStage<Void> ready() {
            return handling.ready().toCompletionStage();
        }

        public CompletionStage<Void> close() {
            return handling.close().toCompletionStage();
        }

        public Handling.Counts counts() {
            return handling.counts();
        }
    }

    PlainClient(DelayqClient client) {
        this.client = client;
    }

    public static PlainClient create(DelayqOptions options) {
        return DelayqClient.create(options).plain();
    }

    public CompletionStage<Pushed> push(String topic, Object body, PushOptions options) {
        return client.push(topic, body, options).toCompletionStage();
    }

    public CompletionStage<Pushed> push(String topic, Object body) {
        return client.push(topic, body).toCompletionStage();
    }

    public CompletionStage<List<Pushed>> pushAll(List<Push> jobs) {
        return client.pushAll(jobs).toCompletionStage();
    }

    public CompletionStage<Pushed> put(String topic, String id, Object body, PushOptions options) {
        return client.put(topic, id, body, options).toCompletionStage();
    }

    public CompletionStage<Optional<JobInfo>> get(String topic, String id) {
        return client.get(topic, id).toCompletionStage();
    }

    public CompletionStage<Boolean> cancel(String topic, String id) {
        return client.cancel(topic, id).toCompletionStage();
    }

    public CompletionStage<JobInfo> reschedule(String topic, String id, Duration delay) {
        return client.reschedule(topic, id, delay).toCompletionStage();
    }

    public CompletionStage<JobInfo> reschedule(String topic, String id, Instant at) {
        return client.reschedule(topic, id, at).toCompletionStage();
    }

    public CompletionStage<List<Job>> reserve(String topic, int max, Duration wait) {
        return client.reserve(topic, max, wait).toCompletionStage();
    }

    public CompletionStage<Void> ack(Job job) {
        return client.ack(job).toCompletionStage();
    }

    public CompletionStage<Void> nack(Job job, String reason) {
        return client.nack(job, reason).toCompletionStage();
    }

    public CompletionStage<Void> nack(Job job, String reason, Duration delay) {
        return client.nack(job, reason, delay).toCompletionStage();
    }

    public CompletionStage<Void> extend(Job job, Duration ttr) {
        return client.extend(job, ttr).toCompletionStage();
    }

    public Running handle(String topic, HandlerOptions options, Handler handler) {
        return new Running(client.handle(topic, options, job -> {
            CompletionStage<?> stage = handler.handle(job);
            return stage == null ? null : Future.fromCompletionStage(stage);
        }));
    }

    public CompletionStage<Void> close() {
        return client.close().toCompletionStage();
    }
}
