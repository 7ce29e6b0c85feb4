package io.delayq.bus;

/** The consumer takes no more. */
public record Withdrawal(String room, long consumer, String topic) {}
