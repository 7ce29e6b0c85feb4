package io.delayq.load;

import io.delayq.load.peer.Peer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * The time that counts, from the first request to the last answer, and what the processes used in it. One thing is
 * measured at a time, so the last one's use is kept here for whoever wants it. Without a {@code /proc} it is empty.
 */
public final class Stopwatch {
    private static final boolean PROC = Files.exists(Path.of("/proc/self/stat"));
    private static final long QUIET_MILLIS = 200;
    private static final double QUIET_CORES = 0.1;
    /** Longer than a Redis takes to rewrite the log of millions of jobs. */
    private static final long MOST_MILLIS = 15_000;
    private static Supplier<Map<String, Long>> watched = Map::of;
    private static Map<String, Double> lastUse = Map.of();

    private final Map<String, Double> cpuAtFirst = cpuSeconds();
    private final long began = System.nanoTime();

    /** @param processes by role; asked each time, as some are started anew */
    static void watch(Supplier<Map<String, Long>> processes) {
        watched = processes;
        lastUse = Map.of();
    }

    public static Stopwatch start() {
        return new Stopwatch();
    }

    /** Stops it. */
    public double seconds() {
        double seconds = (System.nanoTime() - began) / 1e9;
        Map<String, Double> use = new LinkedHashMap<>();
        Map<String, Double> now = cpuSeconds();
        cpuAtFirst.forEach((role, first) -> {
            if (now.containsKey(role)) {
                use.put(role, 100 * (now.get(role) - first) / seconds);
            }
        });
        lastUse = use;
        return seconds;
    }

    /** What one still does after its turn, compiling or rewriting a log, is not to burden the next. */
    static void awaitQuiet(List<Peer> peers) throws InterruptedException {
        long deadline = System.nanoTime() + 1_000_000 * MOST_MILLIS;
        double used = 1;
        while (PROC && used > QUIET_CORES * QUIET_MILLIS / 1_000 && System.nanoTime() < deadline) {
            Set<Long> pids = pids(peers);
            double before = cpuSeconds(pids);
            Thread.sleep(QUIET_MILLIS);
            used = cpuSeconds(pids) - before;
        }
    }

    /** With what they have started: a Redis rewrites its log in a child. */
    private static Set<Long> pids(List<Peer> peers) {
        Set<Long> pids = new TreeSet<>();
        for (Peer peer : peers) {
            for (long pid : peer.processes().values()) {
                pids.add(pid);
                ProcessHandle.of(pid).stream()
                        .flatMap(ProcessHandle::children)
                        .forEach(child -> pids.add(child.pid()));
            }
        }
        pids.add(ProcessHandle.current().pid());
        return pids;
    }

    private static double cpuSeconds(Set<Long> pids) {
        double all = 0;
        for (long pid : pids) {
            try {
                all += Children.cpuSeconds(pid);
            } catch (IOException e) {
                // it has ended, and uses nothing
                continue;
            }
        }
        return all;
    }

    /** By role, in percent of one core. The load generator is the client. */
    public static Map<String, Double> lastUse() {
        return lastUse;
    }

    /** For a system that was measured more than once, of which one counts. */
    public static void setLastUse(Map<String, Double> use) {
        lastUse = use;
    }

    private static Map<String, Double> cpuSeconds() {
        Map<String, Double> seconds = new LinkedHashMap<>();
        if (!PROC) {
            return seconds;
        }
        Map<String, Long> pids = new LinkedHashMap<>();
        pids.put("client", ProcessHandle.current().pid());
        pids.putAll(watched.get());
        pids.forEach((role, pid) -> {
            try {
                seconds.put(role, Children.cpuSeconds(pid));
            } catch (IOException e) {
                // it has ended, and what was measured fails by itself
                seconds.remove(role);
            }
        });
        return seconds;
    }
}
