package io.delayq.load.peer;

import io.delayq.load.Children;
import io.delayq.load.Stopwatch;
import io.delayq.load.net.BeanstalkDrain;
import io.delayq.load.net.BeanstalkPush;
import io.delayq.load.net.ClosedPush;
import io.delayq.load.net.Drain;
import io.delayq.load.net.Lateness;
import io.delayq.load.net.OpenLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** beanstalkd with its binlog, synced once a second as Redis does. It keeps delays in whole seconds. */
public final class Beanstalkd implements Peer {
    private static final int PIPELINED = 100;

    private final String program;
    private final Path work;
    private Process server;
    private int port;
    private int tubeNumber;

    /** @param program empty if there is none */
    public Beanstalkd(String program, Path work) {
        this.program = program;
        this.work = work;
    }

    @Override
    public String name() {
        return "beanstalkd";
    }

    @Override
    public String missing() {
        return program.isEmpty() ? "not on the path, and its Debian package could not be had" : null;
    }

    @Override
    public void start() throws Exception {
        Path dir = Files.createTempDirectory(work, "beanstalkd");
        Path log = dir.resolve("server.log");
        port = Children.freePort();
        String binlog = Files.createDirectory(dir.resolve("binlog")).toString();
        server = Children.start(
                dir,
                log,
                Map.of(),
                List.of(program, "-l", "127.0.0.1", "-p", Integer.toString(port), "-b", binlog, "-f", "1000"));
        Children.awaitPort(server, port, log, Duration.ofSeconds(10));
    }

    @Override
    public Map<String, String> settings() {
        return new TreeMap<>(Map.of(
                "options", "-b <dir> -f 1000",
                "batch", PIPELINED + " puts sent at once (pipelined)",
                "consumers",
                        "reserve and delete, the better of one at a time and " + PIPELINED + " pipelined; in D one"));
    }

    @Override
    public boolean takesMillis() {
        return false;
    }

    @Override
    public double push(PushWork work, IntConsumer progress) throws Exception {
        String tube = "load" + ++tubeNumber;
        double seconds = push(work, tube, progress);
        expect(tube, work.jobs());
        return work.jobs() / seconds;
    }

    private double push(PushWork work, String tube, IntConsumer progress) throws IOException {
        return ClosedPush.run(port, pushers(work, tube), 0, work.jobs(), work.delayMillis(), progress);
    }

    private static List<BeanstalkPush> pushers(PushWork work, String tube) {
        List<BeanstalkPush> conns = new ArrayList<>();
        for (int i = 0; i < work.connections(); i++) {
            conns.add(new BeanstalkPush(tube, work.batch()));
        }
        return conns;
    }

    private void expect(String tube, int jobs) throws IOException {
        Matcher counts = Pattern.compile("current-jobs-(?:ready|reserved|delayed|buried): (\\d+)")
                .matcher(ask("stats-tube " + tube));
        long found = 0;
        while (counts.find()) {
            found += Long.parseLong(counts.group(1));
        }
        if (found != jobs) {
            throw new IOException("expected " + jobs + " jobs, found " + found);
        }
    }

    /** The better of the two ways; the other one's figure is left out. */
    @Override
    public double drain(DrainWork work, IntConsumer progress) throws Exception {
        double plain = drain(work, 0, 1, progress);
        Map<String, Double> use = Stopwatch.lastUse();
        clear();
        double pipelined = drain(work, 0, PIPELINED, progress);
        if (plain > pipelined) {
            Stopwatch.setLastUse(use);
        }
        return Math.max(plain, pipelined);
    }

    public double drain(DrainWork work, long delayMillis, int window, IntConsumer progress) throws Exception {
        String tube = "load" + ++tubeNumber;
        push(new PushWork(work.jobs(), 16, 100, delayMillis, 8), tube, pushed -> {});
        List<BeanstalkDrain> conns = new ArrayList<>();
        for (int i = 0; i < work.connections(); i++) {
            conns.add(new BeanstalkDrain(tube, window));
        }
        return work.jobs() / Drain.run(port, conns, work.jobs(), progress);
    }

    @Override
    public Lateness lateness(PaceWork work, IntConsumer progress) throws Exception {
        String tube = "load" + ++tubeNumber;
        List<BeanstalkPush> pushers = pushers(new PushWork(1, work.connections(), 1), tube);
        List<BeanstalkDrain> takers = new ArrayList<>();
        for (int i = 0; i < work.connections(); i++) {
            takers.add(new BeanstalkDrain(tube, 1));
        }
        return OpenLoop.run(port, pushers, takers, work.perSecond(), work.seconds(), work.delaysMillis(), progress);
    }

    @Override
    public long memoryBytes() throws IOException {
        return Children.residentBytes(server.pid());
    }

    @Override
    public Map<String, Long> processes() {
        return Map.of("server", server.pid());
    }

    /** It has no call that deletes many; a new one is up in milliseconds. */
    @Override
    public void clear() throws Exception {
        close();
        start();
    }

    private String ask(String command) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write((command + "\r\nquit\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Override
    public void close() {
        Children.end(server);
    }
}
