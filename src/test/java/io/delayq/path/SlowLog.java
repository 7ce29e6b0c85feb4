package io.delayq.path;

import io.delayq.path.Witness.Stall;
import io.delayq.redis.RespClient;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Looks at a Redis' slow log all the time, for the log itself says of a command only in which second it ended. */
final class SlowLog implements AutoCloseable {
    static final int SLOW_MICROS = 10_000;
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** A script that ran as a whole between two times of {@link System#nanoTime}. */
    record Entry(long micros, String words, long from, long to) {
        /** Takes the longest stalls between these times, as many as it needs, out of the list: each excuses one script. */
        Slow excusedBy(List<Stall> stalls) {
            List<Long> its = new ArrayList<>();
            long own = micros;
            for (Stall stall : stalls.stream()
                    .filter(one -> nanosOf(one) > 0)
                    .sorted(Comparator.comparingLong(this::nanosOf).reversed())
                    .toList()) {
                if (own >= SLOW_MICROS) {
                    stalls.remove(stall);
                    its.add(nanosOf(stall) / 1_000);
                    own -= nanosOf(stall) / 1_000;
                }
            }
            return new Slow(this, own, its);
        }

        private long nanosOf(Stall stall) {
            return Math.max(0, Math.min(stall.to(), to) - Math.max(stall.from(), from));
        }
    }

    /** A script, what of its time was work, and for how many µs each the core stood still instead. */
    record Slow(Entry entry, long ownMicros, List<Long> stalls) {
        @Override
        public String toString() {
            return "%,d µs within %,d, stood still %s, its own %,d: %s"
                    .formatted(entry.micros, (entry.to - entry.from) / 1_000, stalls, ownMicros, entry.words);
        }
    }

    private final FutureTask<List<Entry>> looks = new FutureTask<>(this::look);
    private final RespClient redis;
    private volatile boolean over;

    /** From now on; what the log has is deleted. */
    SlowLog(String url) {
        redis = new RespClient(url);
        redis.command("SLOWLOG", "RESET");
        new Thread(looks, "slow log").start();
    }

    /** The thread's. A script lies between two looks, for Redis does one thing at a time. */
    private List<Entry> look() {
        List<Entry> entries = new ArrayList<>();
        int seen = 0;
        long before = System.nanoTime();
        for (boolean last = false; !last; LockSupport.parkNanos(REST_NANOS)) {
            last = over;
            long asked = System.nanoTime();
            if ((Long) redis.command("SLOWLOG", "LEN") > seen) {
                List<?> log = (List<?>) redis.command("SLOWLOG", "GET", "-1");
                long answered = System.nanoTime();
                for (Object newest : log.subList(0, log.size() - seen)) {
                    List<?> entry = (List<?>) newest;
                    List<?> words = (List<?>) entry.get(3);
                    // what a script calls is logged as well
                    if (words.get(0).toString().toLowerCase(Locale.ROOT).startsWith("eval")) {
                        entries.add(new Entry((Long) entry.get(2), told(words), before, answered));
                    }
                }
                seen = log.size();
            }
            before = asked;
        }
        return entries;
    }

    /** The words that tell which script it was. */
    private static String told(List<?> words) {
        return words.get(0) + " " + words.subList(Math.min(7, words.size() - 1), Math.min(15, words.size()));
    }

    /** Ends it, and says what it saw. */
    List<Entry> end() throws InterruptedException, ExecutionException {
        over = true;
        return looks.get();
    }

    @Override
    public void close() {
        over = true;
        redis.close();
    }
}
