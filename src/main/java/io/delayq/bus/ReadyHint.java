package io.delayq.bus;

/** The bucket may have ready jobs of the topic. */
public record ReadyHint(int bucket, String topic) {}
