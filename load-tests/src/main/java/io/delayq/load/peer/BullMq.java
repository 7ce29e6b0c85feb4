package io.delayq.load.peer;

import io.delayq.load.Children;
import io.delayq.load.Stopwatch;
import io.delayq.load.net.Lateness;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.HdrHistogram.Histogram;

/** BullMQ on a Redis like delayq's. {@code peers/bullmq.mjs} does the work; D has a process for each side. */
public final class BullMq implements Peer {
    private static final int CONCURRENCY = 20;

    private final RedisProgram program;
    private final Path script;
    private final Path work;
    private OwnRedis redis;
    private Node first;
    private Node second;
    private int queueNumber;

    /** @param script in a directory where BullMQ is installed */
    public BullMq(RedisProgram program, String script, Path work) {
        this.program = program;
        this.script = script.isEmpty() ? null : Path.of(script);
        this.work = work;
    }

    @Override
    public String name() {
        return "bullmq";
    }

    @Override
    public String missing() {
        return script == null ? "no node, or npm could not bring it" : null;
    }

    @Override
    public void start() throws Exception {
        Path dir = Files.createTempDirectory(work, "bullmq");
        redis = OwnRedis.start(program, dir);
        first = new Node(dir.resolve("first.log"));
        second = new Node(dir.resolve("second.log"));
    }

    @Override
    public Map<String, String> settings() throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("redis", redis.settings());
        settings.put("jobs", "removeOnComplete, its own ids");
        settings.put("batch", "addBulk");
        settings.put(
                "consumers",
                "a worker for each connection, concurrency " + CONCURRENCY + "; in D in a process of their own");
        return settings;
    }

    @Override
    public double push(PushWork work, IntConsumer progress) throws Exception {
        return work.jobs()
                / Double.parseDouble(first.order(
                        """
                        {"op":"push","queue":"%s","jobs":%d,"connections":%d,"batch":%d,"delay":%d}"""
                                .formatted(queue(), work.jobs(), work.connections(), work.batch(), work.delayMillis()),
                        progress));
    }

    @Override
    public double drain(DrainWork work, IntConsumer progress) throws Exception {
        return drain(work, 0, progress);
    }

    public double drain(DrainWork work, long delayMillis, IntConsumer progress) throws Exception {
        return work.jobs()
                / Double.parseDouble(first.order(
                        """
                        {"op":"drain","queue":"%s","jobs":%d,"connections":%d,"concurrency":%d,"delay":%d}"""
                                .formatted(queue(), work.jobs(), work.connections(), CONCURRENCY, delayMillis),
                        progress));
    }

    @Override
    public Lateness lateness(PaceWork work, IntConsumer progress) throws Exception {
        String queue = queue();
        int jobs = work.perSecond() * work.seconds();
        CompletableFuture<Void> ready = new CompletableFuture<>();
        CompletableFuture<String> taken = second.orderLater(
                """
                {"op":"paceTake","queue":"%s","jobs":%d,"connections":%d,"concurrency":%d}"""
                        .formatted(queue, jobs, work.connections(), CONCURRENCY),
                progress,
                ready);
        ready.get(30, TimeUnit.SECONDS);
        String[] sent = first.order(
                        """
                        {"op":"pacePush","queue":"%s","jobs":%d,"connections":%d,"perSecond":%d,"delays":%s}"""
                                .formatted(
                                        queue,
                                        jobs,
                                        work.connections(),
                                        work.perSecond(),
                                        Arrays.toString(work.delaysMillis())),
                        stored -> {})
                .split(" ");
        String[] arrived = taken.get(120, TimeUnit.SECONDS).split(" ");
        double began = Double.parseDouble(sent[0]);
        Histogram histogram = new Histogram(3);
        for (int job = 0; job < jobs; job++) {
            long delay = work.delaysMillis()[job % work.delaysMillis().length];
            double came = Double.parseDouble(arrived[job]);
            if (came - Double.parseDouble(sent[job + 1]) - delay < -1) {
                throw new IOException("job " + job + " came early");
            }
            double meant = began + job * 1000.0 / work.perSecond();
            histogram.recordValue(Math.max(0, (long) (1_000 * (came - meant - delay))));
        }
        return Lateness.of(histogram);
    }

    private String queue() {
        return "load" + ++queueNumber;
    }

    @Override
    public long memoryBytes() throws IOException {
        return redis.dataBytes();
    }

    @Override
    public Map<String, Long> processes() {
        Map<String, Long> pids = new LinkedHashMap<>();
        pids.put("server", first.process.pid());
        pids.put("redis", redis.pid());
        return pids;
    }

    @Override
    public void clear() throws IOException {
        redis.empty();
    }

    @Override
    public void close() {
        for (Node node : Arrays.asList(first, second)) {
            if (node != null) {
                Children.end(node.process);
            }
        }
        if (redis != null) {
            redis.close();
        }
    }

    /** A process that does one order at a time. */
    private final class Node {
        private final Process process;
        private final Writer to;
        private final BufferedReader from;

        Node(Path log) throws IOException {
            process = Children.startTalking(
                    script.getParent(), log, List.of("node", script.toString(), Integer.toString(redis.port())));
            to = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
            from = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        CompletableFuture<String> orderLater(String order, IntConsumer progress, CompletableFuture<Void> ready) {
            CompletableFuture<String> answer = new CompletableFuture<>();
            Thread reader = new Thread(
                    () -> {
                        try {
                            answer.complete(answer(order, progress, ready));
                        } catch (IOException | RuntimeException e) {
                            answer.completeExceptionally(e);
                        }
                    },
                    "bullmq-answers");
            reader.setDaemon(true);
            reader.start();
            return answer;
        }

        String order(String order, IntConsumer progress) throws Exception {
            return orderLater(order, progress, new CompletableFuture<>()).get(15, TimeUnit.MINUTES);
        }

        private String answer(String order, IntConsumer progress, CompletableFuture<Void> ready) throws IOException {
            to.write(order + "\n");
            to.flush();
            Stopwatch watch = Stopwatch.start();
            for (String line = from.readLine(); line != null; line = from.readLine()) {
                String[] words = line.split(" ", 2);
                switch (words[0]) {
                    case "count" -> progress.accept(Integer.parseInt(words[1]));
                    case "ready" -> ready.complete(null);
                    case "began" -> watch = Stopwatch.start();
                    case "ended" -> watch.seconds();
                    case "done" -> {
                        return words[1];
                    }
                    default -> throw new IOException(line);
                }
            }
            throw new IOException("its process ended");
        }
    }
}
