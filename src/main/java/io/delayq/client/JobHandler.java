package io.delayq.client;

import io.vertx.core.Future;

/**
 * Does a job's work. The job is acked when the future succeeds, and nacked with the reason when it fails or the handler
 * throws. Called on the client's context, which it must not block.
 */
@FunctionalInterface
public interface JobHandler {
    Future<?> handle(Job job) throws Exception;
}
