package io.delayq.redis;

import java.util.Arrays;

/**
 * A clock that stands still unless the test moves it: the scripts of this JVM read it in place of Redis' own, in the
 * buckets of one namespace. Backoff without a rule of its own then waits without jitter, so that every time is known.
 */
final class SetClock implements AutoCloseable {
    private static final String REAL = "local time = call('TIME')";
    private static final String SET = REAL
            + " do local set = call('GET', string.sub(KEYS[1], 1, -5) .. 'testclock')"
            + " if set then time = {string.sub(set, 1, -4), string.sub(set, -3) .. '000'} end end";

    private final StoreHarness store;
    private long now = System.currentTimeMillis();

    SetClock(StoreHarness store) {
        this.store = store;
        Arrays.stream(Script.values()).forEach(script -> {
            script.plant(REAL, SET);
            script.plant("max = 600000, jitter = 0.1}", "max = 600000, jitter = 0}");
        });
        advance(0);
    }

    /** Whether a key is this clock's. */
    static boolean isKey(String key) {
        return key.endsWith(":testclock");
    }

    long now() {
        return now;
    }

    long advance(long millis) {
        now += millis;
        for (int bucket = 0; bucket < store.keys.buckets(); bucket++) {
            store.redis.command("SET", store.keys.key(bucket, "testclock"), Long.toString(now));
        }
        return now;
    }

    @Override
    public void close() {
        Arrays.stream(Script.values()).forEach(Script::heal);
    }
}
