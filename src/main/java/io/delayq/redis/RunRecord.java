package io.delayq.redis;

import io.vertx.core.buffer.Buffer;

/** A job's attempts as the scripts keep them in {@code runs:<t>}; see pack_run in prelude.lua for the layout. */
record RunRecord(int attempts, long due, String lastError) {
    private static final int ATTEMPTS = 3;
    private static final int DUE = 7;
    private static final int LEASE = 25;

    static RunRecord decode(Buffer run) {
        int at = LEASE;
        at += 1 + run.getUnsignedByte(at);
        at += 2 + run.getUnsignedShort(at);
        return new RunRecord(
                run.getInt(ATTEMPTS),
                run.getLong(DUE - 2) & 0xffff_ffff_ffffL,
                at < run.length() ? run.getString(at, run.length()) : null);
    }
}
