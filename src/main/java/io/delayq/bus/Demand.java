package io.delayq.bus;

/**
 * How much room a consumer has. Repeated every second while it lasts; saying it twice asks for nothing twice, because
 * {@code granted} counts from the consumer's beginning. The last word counts: one with less takes room back.
 *
 * @param room where its jobs are to be sent
 * @param consumer unique in its room
 * @param taken how many jobs it has taken so far
 * @param granted how many it may be sent in all
 * @param once it takes one batch, and is forgotten afterwards
 * @param now it wants that batch at once, empty if nothing is ready
 */
public record Demand(String room, long consumer, String topic, long taken, long granted, boolean once, boolean now) {}
