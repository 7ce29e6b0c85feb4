package io.delayq.path;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Tells when a core stood still: a process that does nothing but sleep there, and that the kernel prefers to all others.
 * When it wakes late nobody else could work on that core either, be it that the host took the core away or that the
 * kernel did not give it to any program. A program that merely computes does not make it late.
 *
 * <p>Times are of {@link System#nanoTime}, which on Linux is one clock for all processes.
 */
final class Witness implements AutoCloseable {
    private static final long SLEEP_NANOS = 300_000;
    private static final long NOTED_NANOS = 100_000;
    private static final int MOST = 1_000_000;
    private static final String READY = "ready";
    private static volatile boolean over;

    /** At least so long: it is counted from when the witness should have woken. */
    record Stall(long from, long to) {}

    private final Process process;
    private final BufferedReader said;

    private Witness(Process process, BufferedReader said) {
        this.process = process;
        this.said = said;
    }

    /** Of one core, from now on; null where we may not have one, which is said. */
    static Witness of(int core) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        String classes = Witness.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        Process process = new ProcessBuilder(
                        "taskset",
                        "--cpu-list",
                        Integer.toString(core),
                        "chrt",
                        "--fifo",
                        "99",
                        java.toString(),
                        // nothing of its own may make it late
                        "-Xint",
                        "-XX:+UnlockExperimentalVMOptions",
                        "-XX:+UseEpsilonGC",
                        "-XX:+AlwaysPreTouch",
                        "-XX:-UsePerfData",
                        "-Xmx64m",
                        "-cp",
                        classes,
                        Witness.class.getName())
                .redirectErrorStream(true)
                .start();
        BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        String first = said.readLine();
        if (READY.equals(first)) {
            return new Witness(process, said);
        }
        System.out.println("the wall clock alone counts: " + first);
        return null;
    }

    /** Ends it, and says what it noted. */
    List<Stall> end() {
        List<Stall> stalls = new ArrayList<>();
        try {
            process.getOutputStream().close();
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                String[] times = line.split(" ");
                stalls.add(new Stall(Long.parseLong(times[0]), Long.parseLong(times[1])));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return stalls;
    }

    @Override
    public void close() {
        process.destroy();
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
        long[] from = new long[MOST];
        long[] to = new long[MOST];
        int count = 0;
        System.out.println(READY);
        for (long slept = System.nanoTime(); !over; slept = System.nanoTime()) {
            LockSupport.parkNanos(SLEEP_NANOS);
            long now = System.nanoTime();
            if (now - slept > SLEEP_NANOS + NOTED_NANOS && count < MOST) {
                from[count] = slept + SLEEP_NANOS;
                to[count++] = now;
            }
        }
        for (int i = 0; i < count; i++) {
            System.out.println(from[i] + " " + to[i]);
        }
    }
}
