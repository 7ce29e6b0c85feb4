package io.delayq.redis;

import io.vertx.core.buffer.Buffer;

/** A job's attempts as the scripts keep them in {@code runs:<t>}; see pack_run in prelude.lua for the layout. */
record RunRecord(int attempts, long due, long started, String lastError) {
    /** Behind the lease: grouped, lane, losses; then attempts, due, started, expires; then the rules. */
    private static final int ATTEMPTS = 3;

    private static final int DUE = 7;
    private static final int STARTED = 13;
    private static final int RULES = 25;

    static RunRecord decode(Buffer run) {
        int behindLease = 1 + run.getUnsignedByte(0);
        int error = behindLease + RULES + 2 + run.getUnsignedShort(behindLease + RULES);
        return new RunRecord(
                run.getInt(behindLease + ATTEMPTS),
                run.getLong(behindLease + DUE - 2) & 0xffff_ffff_ffffL,
                run.getLong(behindLease + STARTED - 2) & 0xffff_ffff_ffffL,
                error < run.length() ? run.getString(error, run.length()) : null);
    }
}
