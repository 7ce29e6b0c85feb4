package io.delayq.redis;

import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Response;

/**
 * What reserve.lua says of a job beside its id and record. Of most jobs that is little: they follow their topic's rules
 * and are at their first attempt.
 *
 * @param place the job's number in the call, part of its lease
 * @param due {@link #AT_PUSH}: when it was pushed, as its record has it
 */
record LeaseTerms(int place, int attempt, int maxAttempts, long due, long deadline) {
    static final long AT_PUSH = -1;

    private static final int NOTHING = 0;
    /** The run of a job that waited on the clock and never ran, see prelude.lua. */
    private static final int NEW_RUN = 28;

    private static final int DUE_IN_RUN = 8;
    /** All of it, behind the place where that is not the number in the answer. */
    private static final int ALL = 20;

    /**
     * @param maxAttempts by the topic's rules, as is the deadline
     */
    static LeaseTerms of(Response answer, int at, int place, int maxAttempts, long deadline) {
        Buffer said = answer.get(at).toBuffer();
        return switch (said.length()) {
            case NOTHING -> new LeaseTerms(place, 1, maxAttempts, AT_PUSH, deadline);
            case NEW_RUN -> new LeaseTerms(place, 1, maxAttempts, sixBytes(said, DUE_IN_RUN), deadline);
            case ALL -> all(said, 0, place);
            default -> all(said, 2, said.getUnsignedShort(0));
        };
    }

    private static LeaseTerms all(Buffer said, int from, int place) {
        return new LeaseTerms(
                place, said.getInt(from), said.getInt(from + 4), sixBytes(said, from + 8), sixBytes(said, from + 14));
    }

    private static long sixBytes(Buffer from, int at) {
        return (long) from.getUnsignedShort(at) << 32 | from.getUnsignedInt(at + 2);
    }

    String lease(String token) {
        // three digits, without a formatter: this is done for every job
        return token + (char) ('0' + place / 100) + (char) ('0' + place / 10 % 10) + (char) ('0' + place % 10);
    }
}
