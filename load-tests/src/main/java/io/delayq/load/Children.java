package io.delayq.load;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The processes that a run has started. Each is ended by its number, at the latest when this process ends. */
public final class Children {
    private static final Deque<ProcessHandle> running = new ArrayDeque<>();
    private static final List<Path> leftovers = new ArrayList<>();
    private static final long GRACE_SECONDS = 12;
    /** Below the ports that systems give to outgoing connections. */
    private static final int FIRST_PORT = 20_000;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Children::endAll, "end-children"));
    }

    private Children() {}

    /** What the processes have written: it can go only when they have ended, also at Ctrl-C. */
    static synchronized void deleteAtTheEnd(Path dir) {
        leftovers.add(dir);
    }

    /** Its output goes to {@code log}. */
    public static Process start(Path dir, Path log, Map<String, String> environment, List<String> command)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        return kept(builder.start());
    }

    /** One that is talked to over its input and output. */
    public static Process startTalking(Path dir, Path log, List<String> command) throws IOException {
        return kept(new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectError(log.toFile())
                .start());
    }

    private static Process kept(Process process) {
        keep(process.toHandle());
        return process;
    }

    /** One that a child has started and that is not to outlive us either. */
    public static synchronized void keep(ProcessHandle handle) {
        running.push(handle);
    }

    public static void end(ProcessHandle handle) {
        // what a script has started and leaves behind when it is ended
        List<ProcessHandle> below = handle.descendants().toList();
        handle.destroy();
        try {
            handle.onExit().get(GRACE_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            handle.destroyForcibly();
        }
        below.forEach(ProcessHandle::destroy);
        synchronized (Children.class) {
            running.remove(handle);
        }
    }

    public static void end(Process process) {
        if (process != null) {
            end(process.toHandle());
        }
    }

    /** The last started first, so that one that watches another finds it alive to the end. */
    private static void endAll() {
        while (true) {
            ProcessHandle handle;
            synchronized (Children.class) {
                handle = running.poll();
            }
            if (handle == null) {
                leftovers.forEach(Children::delete);
                return;
            }
            end(handle);
        }
    }

    private static void delete(Path dir) {
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("could not delete " + dir + ": " + e);
        }
    }

    public static int freePort() throws IOException {
        for (int tries = 0; tries < 100; tries++) {
            int port = FIRST_PORT + ThreadLocalRandom.current().nextInt(10_000);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return port;
            } catch (IOException e) {
                continue;
            }
        }
        throw new IOException("no free port");
    }

    /** Until somebody listens there. */
    public static void awaitPort(Process process, int port, Path log, Duration most)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + most.toNanos();
        while (true) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    throw new IOException("did not start; its log ends with: " + tail(log));
                }
            }
            Thread.sleep(50);
        }
    }

    public static String tail(Path log) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            long from = Math.max(0, file.length() - 1_500);
            byte[] bytes = new byte[(int) (file.length() - from)];
            file.seek(from);
            file.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "no log at " + log;
        }
    }

    /** CPU time of a process in seconds, user and system, from {@code /proc}; a tick is a hundredth on Linux. */
    public static double cpuSeconds(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    }

    /** Resident memory in bytes. */
    public static long residentBytes(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
            if (line.startsWith("VmRSS:")) {
                return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("no VmRSS");
    }
}
