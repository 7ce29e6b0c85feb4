package io.delayq.job;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;

/**
 * Ids of 13 characters from {@code [0-9a-z]}: 8 for the millisecond (from 2020 until 2109), 5 for a counter and the
 * maker's tag, so that they sort by time and never repeat within one maker. Two makers can clash only if they drew the
 * same of 16,384 tags and then the same count in the same millisecond; whoever numbers the makers rules it out.
 *
 * <p>Safe from any thread. One maker for a whole process keeps its threads from clashing at all.
 */
public final class Ids implements IdSource {
    public static final int LENGTH = 13;
    public static final int TAGS = 1 << 14;

    private static final long EPOCH = 1_577_836_800_000L;
    private static final int TAIL_CHARS = 5;
    /** 36^5 tails shared out among the tags. Past that many ids in one millisecond the next one is begun early. */
    private static final int COUNTS = 36 * 36 * 36 * 36 * 36 / TAGS;

    private static final int MAX_DRAWS = 10_000_000;
    private static final byte[] DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz".getBytes(StandardCharsets.ISO_8859_1);

    private final LongSupplier clock;
    private final int tag;
    private final AtomicLong last = new AtomicLong();

    public Ids() {
        this(System::currentTimeMillis, new SecureRandom().nextInt(TAGS));
    }

    public Ids(LongSupplier clock, int tag) {
        if (tag < 0 || tag >= TAGS) {
            throw new IllegalArgumentException("tag from 0 to " + (TAGS - 1) + ", not " + tag);
        }
        this.clock = clock;
        this.tag = tag;
    }

    @Override
    public String next() {
        byte[] id = new byte[LENGTH];
        write(id, moment());
        return text(id);
    }

    /**
     * Draws until an id falls into {@code bucket}: about as many draws as there are buckets.
     *
     * @param bucketOf of the id as UTF-8
     */
    public String nextIn(int bucket, ToIntFunction<byte[]> bucketOf) {
        byte[] id = new byte[LENGTH];
        write(id, moment());
        for (int draw = 0; draw < MAX_DRAWS; draw++) {
            if (bucketOf.applyAsInt(id) == bucket) {
                return text(id);
            }
            write(id, last.incrementAndGet());
        }
        throw new IllegalArgumentException("no id falls into bucket " + bucket);
    }

    private long moment() {
        long now = Math.max(0, clock.getAsLong() - EPOCH);
        // A random start in each millisecond, lest two makers with one tag count in step.
        long fresh = now * COUNTS + ThreadLocalRandom.current().nextInt(COUNTS / 4);
        return last.updateAndGet(previous -> Math.max(previous + 1, fresh));
    }

    private void write(byte[] id, long moment) {
        digits(id, 0, LENGTH - TAIL_CHARS, moment / COUNTS);
        digits(id, LENGTH - TAIL_CHARS, LENGTH, moment % COUNTS * TAGS + tag);
    }

    private static String text(byte[] id) {
        return new String(id, StandardCharsets.ISO_8859_1);
    }

    private static void digits(byte[] out, int from, int to, long value) {
        long rest = value;
        for (int i = to - 1; i >= from; i--) {
            out[i] = DIGITS[(int) (rest % 36)];
            rest /= 36;
        }
    }
}
