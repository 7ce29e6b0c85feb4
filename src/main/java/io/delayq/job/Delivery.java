package io.delayq.job;

import io.vertx.core.buffer.Buffer;

/**
 * One reserved job on its way to a consumer. Times in ms since 1970, by Redis' clock.
 *
 * @param hook how it is called; null: it goes to a consumer
 */
public record Delivery(
        String topic,
        String id,
        String lease,
        int attempt,
        int maxAttempts,
        long due,
        long deadline,
        String traceparent,
        Buffer body,
        Hook hook) {
    public Delivery(
            String topic,
            String id,
            String lease,
            int attempt,
            int maxAttempts,
            long due,
            long deadline,
            String traceparent,
            Buffer body) {
        this(topic, id, lease, attempt, maxAttempts, due, deadline, traceparent, body, null);
    }

    /**
     * What a call needs to know besides the job.
     *
     * @param callback the job's own or its topic's; null if its topic's was taken away
     * @param webhook the topic's, null if nothing was set
     * @param created when the job was pushed
     * @param now Redis' clock when it was reserved
     * @param kept whether the job is kept when it is done
     */
    public record Hook(Callback callback, TopicSettings.Webhook webhook, long created, long now, boolean kept) {}
}
