package io.delayq.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

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

    /** Since it was made, in % of the time that passed; of all cores together, so that it can be over 100. */
    long stolenPercent() {
        long passedMillis = Math.max(1, (System.nanoTime() - began) / 1_000_000);
        return 100 * stolenMillis() / passedMillis;
    }
}
