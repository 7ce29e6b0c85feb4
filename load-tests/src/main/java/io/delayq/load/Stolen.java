package io.delayq.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How much of the time in which this machine had work it was kept from it: a virtual machine's host gives its cores to
 * others too. While it does everything stands still, be it Redis in the middle of a command or an event loop. In ticks of
 * the kernel; all 0 where nobody counts them.
 */
record Stolen(long taken, long worked) {
    private static final Path STAT = Path.of("/proc/stat");
    /** Of the line "cpu user nice system idle iowait irq softirq steal", by their places behind the word. */
    private static final int IDLE = 4;

    private static final int WAITING = 5;
    private static final int STEAL = 8;

    static Stolen now() {
        try {
            String[] words =
                    Files.readString(STAT).lines().findFirst().orElse("").split("\\s+");
            long worked = 0;
            for (int i = 1; i <= STEAL && i < words.length; i++) {
                worked += i == IDLE || i == WAITING || i == STEAL ? 0 : Long.parseLong(words[i]);
            }
            return new Stolen(words.length > STEAL ? Long.parseLong(words[STEAL]) : 0, worked);
        } catch (IOException e) {
            return new Stolen(0, 0);
        }
    }

    Stolen since(Stolen before) {
        return new Stolen(taken - before.taken, worked - before.worked);
    }

    Stolen and(Stolen more) {
        return new Stolen(taken + more.taken, worked + more.worked);
    }

    @Override
    public String toString() {
        return Math.round(100.0 * taken / Math.max(1, taken + worked)) + " % of the time in which there was work";
    }
}
