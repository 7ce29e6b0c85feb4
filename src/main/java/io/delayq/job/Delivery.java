package io.delayq.job;

import io.vertx.core.buffer.Buffer;

/** One reserved job on its way to a consumer. Times in ms since 1970, by Redis' clock. */
public record Delivery(
        String topic,
        String id,
        String lease,
        int attempt,
        int maxAttempts,
        long due,
        long deadline,
        String traceparent,
        Buffer body) {}
