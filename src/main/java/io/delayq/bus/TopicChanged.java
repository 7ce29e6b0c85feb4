package io.delayq.bus;

/** Somebody has changed a topic, on whichever server. */
public record TopicChanged(String kind, String topic) {}
