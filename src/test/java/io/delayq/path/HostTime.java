package io.delayq.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.LockSupport;

/** How much time the host of this virtual machine has given to others, as the kernel counts it. */
public final class HostTime {
    private static final Path STAT = Path.of("/proc/stat");
    /** Of the line "cpu user nice system idle iowait irq softirq steal". */
    private static final int STEAL = 8;

    private static final int TICK_MILLIS = 10;

    private final long stolenBefore = stolenTicks();
    private final long began = System.nanoTime();

    private static long stolenTicks() {
        try {
            String[] words =
                    Files.readString(STAT).lines().findFirst().orElse("").split("\\s+");
            return words.length > STEAL ? Long.parseLong(words[STEAL]) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    /** Since it was made; of all cores together. */
    public long stolenMillis() {
        return TICK_MILLIS * (stolenTicks() - stolenBefore);
    }

    /** How much since it was made, noted again and again: between two times of the wall clock it can be told afterwards. */
    public static final class Log implements AutoCloseable {
        private static final long REST_NANOS = 20_000_000;
        private final HostTime host = new HostTime();
        private final ConcurrentSkipListMap<Long, Long> stolen = new ConcurrentSkipListMap<>();
        private final Thread writer = new Thread(this::write, "host time");
        private volatile boolean over;

        /** Begins to look. */
        public static Log begin() {
            Log log = new Log();
            log.note();
            log.writer.setDaemon(true);
            log.writer.start();
            return log;
        }

        private void write() {
            while (!over) {
                LockSupport.parkNanos(REST_NANOS);
                note();
            }
        }

        private void note() {
            note(System.currentTimeMillis(), host.stolenMillis());
        }

        void note(long atMillis, long stolenMillis) {
            stolen.put(atMillis, stolenMillis);
        }

        /** Of all cores together, and at most a little more than that: by the notes around these times. */
        public long between(long fromMillis, long toMillis) {
            return at(stolen.ceilingEntry(toMillis), stolen.lastEntry())
                    - at(stolen.floorEntry(fromMillis), stolen.firstEntry());
        }

        private static long at(Map.Entry<Long, Long> entry, Map.Entry<Long, Long> otherwise) {
            return (entry == null ? otherwise : entry).getValue();
        }

        @Override
        public void close() {
            note();
            over = true;
        }
    }

    /** Since it was made, in % of the time that passed; of all cores together, so that it can be over 100. */
    long stolenPercent() {
        long passedMillis = Math.max(1, (System.nanoTime() - began) / 1_000_000);
        return 100 * stolenMillis() / passedMillis;
    }
}
