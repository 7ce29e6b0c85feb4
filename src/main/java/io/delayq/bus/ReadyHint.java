package io.delayq.bus;

/** The bucket may have ready jobs of the topic; or, under their name, of its jobs that go by callback. */
public record ReadyHint(int bucket, String topic) {}
