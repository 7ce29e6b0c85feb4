package io.delayq.redis;

import java.io.IOException;
import java.util.Map;

/**
 * Has an embedded Redis rewrite its log of writes when little is written. Redis itself begins as soon as the log is long
 * enough, which is under load: it stands still while it forks, every write copies a page until the rewrite is over, and
 * the child takes a core. It still does so if there is never a quiet moment, at a size that is a multiple of ours.
 *
 * <p>Looked at on worker threads, one at a time.
 */
final class QuietRewrite {
    /** Shorter logs are read in some seconds. */
    private static final long LEAST_BYTES = 256 << 20;
    /** Of a log that grows by no more than this a second. */
    private static final long QUIET_BYTES = 256 << 10;

    /** One that fails, on a full disk for instance, is not tried again and again: it forks. */
    private static final long AGAIN_NANOS = 60_000_000_000L;

    private final RedisConf conf;
    private final long leastBytes;
    private long lastBytes = -1;
    private long lastNanos;
    private long begunNanos = System.nanoTime() - AGAIN_NANOS;

    QuietRewrite(RedisConf conf) {
        this(conf, LEAST_BYTES);
    }

    QuietRewrite(RedisConf conf, long leastBytes) {
        this.conf = conf;
        this.leastBytes = leastBytes;
    }

    /** @return whether a rewrite was begun */
    boolean look() throws IOException {
        Map<String, String> info = RedisCheckup.read(RedisProbe.info(conf, "persistence"));
        long bytes = number(info, "aof_current_size");
        long now = System.nanoTime();
        long grown = lastBytes < 0 ? Long.MAX_VALUE : perSecond(bytes - lastBytes, now - lastNanos);
        lastBytes = bytes;
        lastNanos = now;
        boolean due = now - begunNanos >= AGAIN_NANOS
                && isDue(bytes, number(info, "aof_base_size"), grown)
                && number(info, "aof_rewrite_in_progress") == 0
                && number(info, "loading") == 0;
        if (due) {
            begunNanos = now;
            RedisProbe.rewriteLog(conf);
        }
        return due;
    }

    /** As Redis itself does it, a log is long when it is twice as long as what it would be rewritten to. */
    private boolean isDue(long bytes, long base, long grown) {
        return bytes >= leastBytes && bytes >= 2 * base && grown <= QUIET_BYTES;
    }

    private static long perSecond(long bytes, long nanos) {
        return Math.round(bytes * 1e9 / Math.max(1, nanos));
    }

    private static long number(Map<String, String> info, String name) {
        return Long.parseLong(info.getOrDefault(name, "0"));
    }
}
