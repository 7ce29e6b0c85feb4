package io.delayq.job;

import io.vertx.core.buffer.Buffer;

/**
 * A valid job on its way into the store.
 *
 * @param body the JSON text as the client spelled it
 */
public record NewJob(String topic, String id, When when, JobOptions options, Buffer body) {}
