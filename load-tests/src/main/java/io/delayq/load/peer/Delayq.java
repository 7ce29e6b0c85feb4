package io.delayq.load.peer;

import io.delayq.load.Children;
import io.delayq.load.RedisTalk;
import io.delayq.load.SlowWatch;
import io.delayq.load.Witness;
import io.delayq.load.net.ClosedPush;
import io.delayq.load.net.Drain;
import io.delayq.load.net.HttpPush;
import io.delayq.load.net.JobShape;
import io.delayq.load.net.Lateness;
import io.delayq.load.net.OpenLoop;
import io.delayq.load.net.SocketDrain;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The server of this repository with its embedded Redis, over REST and WebSocket. */
public final class Delayq implements Peer {
    private static final Pattern COUNTS =
            Pattern.compile("\"delayed\":(\\d+),\"ready\":(\\d+),\"reserved\":(\\d+),\"dead\":(\\d+)");
    private static final int MOST_SUBSCRIPTIONS = 1_000;
    private static final int PREFETCH = 250;
    private static final int DELETIONS = 8;
    private static final String PROGRAM = "--redis.program=";
    /** Another build than this one's, another java than ours. */
    private static final String JAR = "jar=";

    private static final String JAVA = "java=";
    /** An event loop that was held up for longer is told of in the server's log. */
    private static final int BLOCKED_MILLIS = 50;

    private static final Pattern BLOCKED = Pattern.compile("Thread (\\S+) has been blocked for (\\d+) ms");
    private static final Pattern LOG_LINE = Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT");
    private static final Pattern OUR_FRAME =
            Pattern.compile("^\\s*at .*io\\.delayq\\.(?:\\w+\\.)*([\\w$]+\\.[\\w$]+)\\(");

    private final Path jar;
    private final Path work;
    private final RedisProgram program;
    private final List<String> flags;
    private Path dir;
    private Path log;
    private Process server;
    private final List<OneRedis> redises = new ArrayList<>();
    private final List<SlowWatch> watches = new ArrayList<>();
    private int port;
    private int topicNumber;
    private int blockedSeen;

    /** One of its Redis processes; {@code role} is what its CPU time stands under. */
    private record OneRedis(String role, int port, String password, ProcessHandle process) {
        static OneRedis in(Path dir) throws IOException {
            int port = 0;
            String password = null;
            for (String line : Files.readAllLines(dir.resolve("redis.conf"))) {
                port = line.startsWith("port ") ? Integer.parseInt(line.substring(5)) : port;
                password = line.startsWith("requirepass ") ? line.substring(12) : password;
            }
            long pid = Long.parseLong(Files.readString(dir.resolve("redis.pid")).strip());
            return new OneRedis(
                    dir.getFileName().toString(),
                    port,
                    password,
                    ProcessHandle.of(pid).orElseThrow());
        }

        RedisTalk talk() throws IOException {
            return new RedisTalk(port, password);
        }
    }

    /**
     * @param flags settings that differ from the defaults, as the serve command takes them; with -D or -X in front, as Java
     *     does; {@code jar=} another build, {@code java=} another java
     */
    public Delayq(RedisProgram program, Path work, List<String> flags) {
        this.jar = program.jar();
        this.program = program;
        this.work = work;
        this.flags = flags;
    }

    @Override
    public String name() {
        return "delayq";
    }

    @Override
    public String missing() {
        return Files.isRegularFile(jar) ? null : "no " + jar + "; bin/delayq builds it";
    }

    @Override
    public void start() throws Exception {
        dir = Files.createTempDirectory(work, "delayq");
        log = dir.resolve("server.log");
        port = Children.freePort();
        List<String> command =
                new ArrayList<>(List.of(chosen(JAVA, java()), "-Ddelayq.blockedMillis=" + BLOCKED_MILLIS));
        flags.stream().filter(Delayq::isForJava).forEach(command::add);
        command.addAll(List.of("-jar", chosen(JAR, jar.toString()), "serve", "--http.port=" + port));
        command.add("--data.dir=" + dir.resolve("data"));
        if (flags.stream().noneMatch(flag -> flag.startsWith(PROGRAM))) {
            command.addAll(program.delayqFlags());
        }
        flags.stream().filter(flag -> flag.startsWith("--")).forEach(command::add);
        server = Children.start(dir, log, Map.of(), command);
        Children.awaitPort(server, port, log, Duration.ofSeconds(60));
        awaitReady();
        try (Stream<Path> dirs = Files.list(dir.resolve("data"))) {
            for (Path one : dirs.filter(Files::isDirectory).sorted().toList()) {
                redises.add(OneRedis.in(one));
            }
        }
        for (OneRedis redis : redises) {
            Children.keep(redis.process());
            watches.add(new SlowWatch(redis.talk(), redis.process().pid()));
        }
        // classes are loaded on the event loops while it starts
        blockedSeen = blocked().size();
        // ended before Redis, whose end it sees to itself
        Children.keep(server.toHandle());
    }

    private String chosen(String word, String usual) {
        return flags.stream()
                .filter(flag -> flag.startsWith(word))
                .map(flag -> flag.substring(word.length()))
                .findFirst()
                .orElse(usual);
    }

    private static boolean isForJava(String flag) {
        return flag.startsWith("-D") || flag.startsWith("-X");
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (true) {
            try {
                ask("GET", "/health/ready");
                return;
            } catch (IOException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
            }
            Thread.sleep(50);
        }
    }

    @Override
    public Map<String, String> settings() throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        try (RedisTalk talk = redises.get(0).talk()) {
            settings.put("redis", "embedded, " + talk.about() + ", appendonly yes, appendfsync everysec, save off");
        }
        settings.put("flags", flags.isEmpty() ? "defaults" : String.join(" ", flags));
        settings.put("batch", "POST /v1/jobs with an array");
        settings.put("consumers", "WebSocket, prefetch " + PREFETCH + ", one ack for each message of jobs");
        return settings;
    }

    @Override
    public double push(PushWork work, IntConsumer progress) throws Exception {
        return push(work, 1, progress);
    }

    public double push(PushWork work, int topics, IntConsumer progress) throws Exception {
        JobShape shape = new JobShape(newTopic(), topics, work.idLength());
        double seconds = ClosedPush.run(port, pushers(work, shape), 0, work.jobs(), work.delayMillis(), progress);
        expect(shape, work.jobs());
        return work.jobs() / seconds;
    }

    private List<HttpPush> pushers(PushWork work, JobShape shape) {
        List<HttpPush> conns = new ArrayList<>();
        for (int i = 0; i < work.connections(); i++) {
            conns.add(new HttpPush(port, shape, work.batch(), work.delayMillis() > 0));
        }
        return conns;
    }

    private String newTopic() {
        return "load." + ++topicNumber + ".";
    }

    /** The counts of the topics together say that all are stored. Many topics are looked at in part. */
    private void expect(JobShape shape, int jobs) throws IOException {
        int looked = Math.min(shape.topics(), 100);
        long found = 0;
        long expected = 0;
        for (int i = 0; i < looked; i++) {
            Matcher counts = COUNTS.matcher(ask("GET", "/v1/topics/" + shape.topic(i)));
            if (!counts.find()) {
                throw new IOException("no counts in the answer");
            }
            for (int k = 1; k <= 4; k++) {
                found += Long.parseLong(counts.group(k));
            }
            expected += jobs / shape.topics() + (i < jobs % shape.topics() ? 1 : 0);
        }
        if (found != expected) {
            throw new IOException("expected " + expected + " jobs in " + looked + " topics, found " + found);
        }
    }

    @Override
    public double drain(DrainWork work, IntConsumer progress) throws Exception {
        return drain(work, 1, 0, progress);
    }

    /** With more than one topic each connection subscribes to its share; all of them if there is but one. */
    public double drain(DrainWork work, int topics, long delayMillis, IntConsumer progress) throws Exception {
        JobShape shape = new JobShape(newTopic(), topics, 8);
        PushWork stored = new PushWork(work.jobs(), 16, 100, delayMillis, 8);
        ClosedPush.run(port, pushers(stored, shape), 0, work.jobs(), delayMillis, pushed -> {});
        double seconds = Drain.run(port, takers(work.connections(), shape), work.jobs(), progress);
        expect(shape, 0);
        return work.jobs() / seconds;
    }

    private List<SocketDrain> takers(int connections, JobShape shape) {
        List<SocketDrain> conns = new ArrayList<>();
        if (shape.topics() == 1) {
            for (int i = 0; i < connections; i++) {
                conns.add(new SocketDrain(port, shape, List.of(shape.topic(0)), PREFETCH));
            }
            return conns;
        }
        int share = Math.min(MOST_SUBSCRIPTIONS, (shape.topics() + connections - 1) / connections);
        for (int from = 0; from < shape.topics(); from += share) {
            List<String> topics = new ArrayList<>();
            for (int i = from; i < Math.min(shape.topics(), from + share); i++) {
                topics.add(shape.topic(i));
            }
            conns.add(new SocketDrain(port, shape, topics, PREFETCH));
        }
        return conns;
    }

    @Override
    public Lateness lateness(PaceWork work, IntConsumer progress) throws Exception {
        return lateness(work, 1, progress);
    }

    public Lateness lateness(PaceWork work, int topics, IntConsumer progress) throws Exception {
        JobShape shape = new JobShape(newTopic(), topics, 8);
        List<HttpPush> pushers = new ArrayList<>();
        for (int i = 0; i < work.connections(); i++) {
            pushers.add(new HttpPush(port, shape, 1, true));
        }
        return OpenLoop.run(
                port,
                pushers,
                takers(work.connections(), shape),
                work.perSecond(),
                work.seconds(),
                work.delaysMillis(),
                progress);
    }

    /** Jobs that stay: far away, in topics that {@link #clear} does not know. */
    public void fill(String base, int topics, int first, int jobs, IntConsumer progress) throws Exception {
        JobShape shape = new JobShape(base, topics, 8);
        long farAway = Duration.ofDays(300).toMillis();
        ClosedPush.run(port, pushers(new PushWork(jobs, 16, 100, farAway, 8), shape), first, jobs, farAway, progress);
    }

    @Override
    public long memoryBytes() throws IOException {
        long bytes = 0;
        for (OneRedis redis : redises) {
            try (RedisTalk talk = redis.talk()) {
                bytes += talk.dataBytes();
            }
        }
        return bytes;
    }

    /** Commands over 10 ms since the last time this was asked. */
    public List<SlowWatch.Slow> slowCommands() throws IOException {
        List<SlowWatch.Slow> slow = new ArrayList<>();
        for (SlowWatch watch : watches) {
            slow.addAll(watch.slow());
        }
        return slow;
    }

    /** How late the slowest event loop came to its timers in the last 15 to 30 s, at most, in ms: whatever held it up. */
    public double loopLagMillis() throws IOException {
        return ask("GET", "/metrics")
                .lines()
                .filter(line -> line.startsWith("delayq_eventloop_lag_seconds{"))
                .mapToDouble(line -> 1_000 * Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .max()
                .orElse(0);
    }

    /**
     * An event loop that was held up for too long.
     *
     * @param until when this was noticed, by {@link System#nanoTime}
     * @param where the first line of ours it stood in, '' if none is known
     */
    public record Blocked(String loop, long millis, long until, String where) {
        /** Without the time for which a core stood still. */
        public long ownMillis() {
            return millis - Witness.stalledNanos(until - millis * 1_000_000, until) / 1_000_000;
        }
    }

    /** Since the last look. */
    public List<Blocked> blockedLoops() throws IOException {
        List<Blocked> all = blocked();
        List<Blocked> fresh = all.subList(Math.min(blockedSeen, all.size()), all.size());
        blockedSeen = all.size();
        return fresh;
    }

    private List<Blocked> blocked() throws IOException {
        List<Blocked> times = new ArrayList<>();
        long clockAhead = System.currentTimeMillis() * 1_000_000 - System.nanoTime();
        Map<String, Integer> last = new LinkedHashMap<>();
        int told = -1;
        for (String line : Files.readAllLines(log)) {
            Matcher found = BLOCKED.matcher(line);
            Matcher frame = OUR_FRAME.matcher(line);
            if (found.find()) {
                String loop = found.group(1);
                long millis = Long.parseLong(found.group(2));
                long until =
                        Instant.parse(line.substring(0, line.indexOf(' '))).toEpochMilli() * 1_000_000 - clockAhead;
                Integer at = last.get(loop);
                // as long as it lasts it is told again, with a larger number
                if (at != null && millis > times.get(at).millis()) {
                    times.set(at, new Blocked(loop, millis, until, times.get(at).where()));
                    told = at;
                } else {
                    last.put(loop, times.size());
                    told = times.size();
                    times.add(new Blocked(loop, millis, until, ""));
                }
            } else if (LOG_LINE.matcher(line).find()) {
                told = -1;
            } else if (told >= 0 && times.get(told).where().isEmpty() && frame.find()) {
                Blocked one = times.get(told);
                times.set(told, new Blocked(one.loop(), one.millis(), one.until(), frame.group(1)));
            }
        }
        return times;
    }

    /** Until its Redis does not rewrite its log of writes, which takes a core and slows every write down. */
    public void awaitLogWritten() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + 120_000_000_000L;
        for (OneRedis redis : redises) {
            try (RedisTalk talk = redis.talk()) {
                while (talk.ask("INFO", "persistence").toString().contains("aof_rewrite_in_progress:1")
                        && System.nanoTime() < deadline) {
                    Thread.sleep(100);
                }
            }
        }
    }

    @Override
    public Map<String, Long> processes() {
        Map<String, Long> pids = new LinkedHashMap<>();
        pids.put("server", server.pid());
        redises.forEach(one -> pids.put(one.role(), one.process().pid()));
        return pids;
    }

    @Override
    public void clear() throws Exception {
        Pattern name = Pattern.compile("\"topic\":\"(load\\.[^\"]+)\"");
        // one after the other they take longer than what was measured
        ExecutorService many = Executors.newFixedThreadPool(DELETIONS);
        try {
            for (int left = 20_000; left > 0; ) {
                List<Future<String>> deletions = new ArrayList<>();
                for (Matcher topics = name.matcher(ask("GET", "/v1/topics?prefix=load.&limit=100")); topics.find(); ) {
                    String topic = topics.group(1);
                    deletions.add(many.submit(() -> ask("DELETE", "/v1/topics/" + topic)));
                }
                if (deletions.isEmpty()) {
                    return;
                }
                for (Future<String> deletion : deletions) {
                    deletion.get();
                }
                left -= deletions.size();
            }
            throw new IOException("topics come back after they were deleted");
        } finally {
            many.shutdownNow();
        }
    }

    private String ask(String method, String path) throws IOException {
        HttpURLConnection connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        connection.setRequestMethod(method);
        connection.setConnectTimeout(2_000);
        connection.setReadTimeout(120_000);
        int status = connection.getResponseCode();
        if (status >= 300) {
            try (var error = connection.getErrorStream()) {
                throw new IOException(method + " " + path + ": " + status + " "
                        + (error == null ? "" : new String(error.readAllBytes(), StandardCharsets.UTF_8)));
            }
        }
        try (var in = connection.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    public Path log() {
        return log;
    }

    @Override
    public void close() {
        Children.end(server);
        for (SlowWatch watch : watches) {
            try {
                watch.close();
            } catch (IOException e) {
                // it is closed
                continue;
            }
        }
        redises.forEach(one -> Children.end(one.process()));
    }
}
