package io.delayq.bus;

/**
 * Something in the bucket is due at this time, perhaps earlier than its scanner knows.
 *
 * @param now Redis' time when the hint was given; both are by Redis' clock
 */
public record AlarmHint(int bucket, long at, long now) {}
