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

    private static final String JITTER = "max = 600000, jitter = 0.1}";
    private static final String NO_JITTER = "max = 600000, jitter = 0}";

    private static int users;

    private final StoreHarness store;
    private long now = System.currentTimeMillis();

    SetClock(StoreHarness store) {
        this.store = store;
        use(1);
        advance(0);
    }

    /** The scripts read set clocks as long as there is one. */
    private static synchronized void use(int more) {
        boolean wasUsed = users > 0;
        users += more;
        if (!wasUsed) {
            plant(REAL, SET);
            plant(JITTER, NO_JITTER);
        } else if (users == 0) {
            plant(SET, REAL);
            plant(NO_JITTER, JITTER);
        }
    }

    private static void plant(String text, String other) {
        Arrays.stream(Script.values()).forEach(script -> script.plant(text, other));
    }

    static String key(StoreHarness store, int bucket) {
        return store.keys.key(bucket, "testclock");
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
            store.redis.command("SET", key(store, bucket), Long.toString(now));
        }
        return now;
    }

    /** A fault that is planted beside it stays. */
    @Override
    public void close() {
        use(-1);
    }
}
