package io.delayq.job;

import io.vertx.core.buffer.Buffer;

/**
 * A job as it stands in the store.
 *
 * @param options the job's own rules
 * @param ttr in force now, ms
 * @param retry in force now, both parts set
 * @param deadline end of the lease, null unless reserved
 * @param lastError null if none
 * @param log the last attempts as a JSON list, oldest first; null if none has ended
 */
public record JobView(
        String topic,
        String id,
        JobState state,
        long due,
        long created,
        int attempts,
        long ttr,
        Retry retry,
        JobOptions options,
        Long deadline,
        String lastError,
        String log,
        Buffer body) {}
