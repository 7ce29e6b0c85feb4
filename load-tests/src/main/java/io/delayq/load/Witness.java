package io.delayq.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Tells when a core stood still: on each a process does nothing but sleep, and the kernel prefers it to all others. When
 * it wakes late nobody else could work there either, whatever the reason; a program that merely computes does not make it
 * late. A virtual machine may stand still without its kernel counting that as stolen. Times are of
 * {@link System#nanoTime}, which on Linux is one clock for all processes.
 */
public final class Witness {
    private static final long SLEEP_NANOS = 1_000_000;
    private static final long NOTED_NANOS = 1_000_000;
    private static final long LONG_NANOS = 5_000_000;
    private static final String READY = "ready";
    /** From when to when, one map a core. */
    private static final List<NavigableMap<Long, Long>> STALLS = new ArrayList<>();

    private static volatile boolean over;

    private Witness() {}

    /** One a core, from now until the end of this process. Says what it does, or why nobody witnesses. */
    static String start(Path classes) {
        int cores = Runtime.getRuntime().availableProcessors();
        for (int core = 0; core < cores; core++) {
            try {
                begin(core, classes);
            } catch (IOException e) {
                STALLS.clear();
                return "none: " + Bench.why(e);
            }
        }
        return "each core's, which tells when it stood still for over 1 ms";
    }

    private static void begin(int core, Path classes) throws IOException {
        List<String> command = List.of(
                "taskset",
                "--cpu-list",
                Integer.toString(core),
                "chrt",
                "--fifo",
                "99",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // nothing of its own may make it late
                "-Xint",
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:+UseEpsilonGC",
                "-XX:+AlwaysPreTouch",
                "-XX:-UsePerfData",
                "-Xmx128m",
                "-cp",
                classes.toString(),
                Witness.class.getName());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Children.keep(process.toHandle());
        BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        String first = said.readLine();
        if (!READY.equals(first)) {
            throw new IOException(String.valueOf(first));
        }
        NavigableMap<Long, Long> stalls = new ConcurrentSkipListMap<>();
        STALLS.add(stalls);
        Thread ear = new Thread(
                () -> said.lines()
                        .map(line -> line.split(" "))
                        .forEach(times -> stalls.put(Long.parseLong(times[0]), Long.parseLong(times[1]))),
                "witness of core " + core);
        ear.setDaemon(true);
        ear.start();
    }

    /** Whether somebody looks. */
    public static boolean isThere() {
        return !STALLS.isEmpty();
    }

    /** Whether any core stood still for a moment between these times. */
    public static boolean stoodStill(long from, long to) {
        for (NavigableMap<Long, Long> stalls : STALLS) {
            Map.Entry<Long, Long> last = stalls.lowerEntry(to);
            if (last != null && last.getValue() > from) {
                return true;
            }
        }
        return false;
    }

    /** For how long between these times, of the core that did so for longest. */
    public static long stalledNanos(long from, long to) {
        long most = 0;
        for (NavigableMap<Long, Long> stalls : STALLS) {
            long sum = 0;
            Long first = stalls.floorKey(from);
            for (Map.Entry<Long, Long> stall :
                    stalls.subMap(first == null ? from : first, true, to, true).entrySet()) {
                sum += Math.max(0, Math.min(stall.getValue(), to) - Math.max(stall.getKey(), from));
            }
            most = Math.max(most, sum);
        }
        return most;
    }

    /** How often the cores stood still, for how long at most, and how long in all. */
    record Stood(int times, long longest, long all, long passed) {
        static Stood between(long from, long to) {
            int times = 0;
            long longest = 0;
            long all = 0;
            for (NavigableMap<Long, Long> stalls : STALLS) {
                for (Map.Entry<Long, Long> stall : stalls.subMap(from, to).entrySet()) {
                    long nanos = stall.getValue() - stall.getKey();
                    times += nanos >= LONG_NANOS ? 1 : 0;
                    longest = Math.max(longest, nanos);
                    all += nanos;
                }
            }
            return new Stood(times, longest, all, (to - from) * STALLS.size());
        }

        Stood and(Stood more) {
            return new Stood(times + more.times, Math.max(longest, more.longest), all + more.all, passed + more.passed);
        }

        @Override
        public String toString() {
            return isThere()
                    ? "a core did so %d times for over 5 ms, at most %d ms, in all %s %% of the time"
                            .formatted(times, longest / 1_000_000, Report.number(100.0 * all / Math.max(1, passed)))
                    : "nobody looked";
        }
    }

    /** The process: until its input ends. */
    public static void main(String[] none) {
        Thread ear = new Thread(() -> {
            try {
                System.in.read();
            } catch (IOException e) {
                // it is over as well
            }
            over = true;
        });
        ear.setDaemon(true);
        ear.start();
        System.out.println(READY);
        for (long slept = System.nanoTime(); !over; slept = System.nanoTime()) {
            LockSupport.parkNanos(SLEEP_NANOS);
            long now = System.nanoTime();
            if (now - slept > SLEEP_NANOS + NOTED_NANOS) {
                System.out.println((slept + SLEEP_NANOS) + " " + now);
            }
        }
    }
}
