package io.delayq.fault;

import io.delayq.Main;
import io.delayq.fault.RecordingClients.Load;
import io.delayq.fault.RecordingClients.Target;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.LeftBehind;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The real program as a process in a group of its own, on a data directory of the test's, to be killed and stopped.
 * Closing it ends it and the Redis on that directory, whatever state they are in.
 */
public final class ChildServer implements AutoCloseable {
    private static final Set<ChildServer> OPEN = ConcurrentHashMap.newKeySet();
    private static final Pattern LISTENING = Pattern.compile("listening on http://127\\.0\\.0\\.1:(\\d+)");
    private static final String HEAP = "256m";
    private static final List<String> MAIN = List.of(Main.class.getName());
    private static final Load FIRST = new Load(200, 10, 100, 2_000, 50);
    private static final Duration START_LIMIT = Duration.ofSeconds(20);
    private static final Duration REPLY_LIMIT = Duration.ofSeconds(20);

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(ChildServer::close)));
    }

    private final Path data;
    private final Path log;
    private final Process process;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private int port;

    private static final class Archive {
        static final boolean MADE = Files.exists(ChildClasses.ARCHIVE) || makeArchive();
    }

    /** By the first server of all, which serves every kind of client for a moment and stops. */
    private static boolean makeArchive() {
        Path data = ChildClasses.ARCHIVE.resolveSibling("data");
        Path half = ChildClasses.ARCHIVE.resolveSibling("half");
        List<String> java = java("64m", "-XX:ArchiveClassesAtExit=" + half);
        try (ChildServer server = new ChildServer(data, java, Map.of(), MAIN, List.of()).listening()) {
            server.push("t", "{}");
            server.settle("ack", server.reserve("t", 1, "5s").job(0));
            Target target = new Target("first", server.port());
            try (RecordingClients clients = new RecordingClients(FIRST, List.of(() -> target)).begin()) {
                TestRedis.await("jobs delivered", () -> clients.delivered() >= 100);
            }
            server.terminate();
            server.exitCode(Duration.ofSeconds(60));
            boolean made = Files.exists(half);
            if (made) {
                Files.move(half, ChildClasses.ARCHIVE);
            }
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A JVM with the program's classes, to be followed by the main class; starts fast. */
    static List<String> java(String heap) {
        return java(heap, Archive.MADE ? "-XX:SharedArchiveFile=" + ChildClasses.ARCHIVE : "-Xshare:auto");
    }

    private static List<String> java(String heap, String sharing) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                sharing,
                "-Xmx" + heap,
                "-cp",
                ChildClasses.PATH);
    }

    private ChildServer(
            Path data, List<String> java, Map<String, String> environment, List<String> main, List<String> flags) {
        this.data = data;
        try {
            Files.createDirectories(data);
            this.log = Files.createTempFile(data.toAbsolutePath().getParent(), "log", ".txt");
            // also if whoever runs the tests does not heed these, as one in the background
            List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT,HUP", "setsid"));
            command.addAll(java);
            command.addAll(main);
            command.addAll(List.of("serve", "--http.port=0", "--data.dir=" + data));
            command.addAll(flags);
            // elsewhere than in the project, whose configuration file it would take
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(data.toAbsolutePath().getParent().toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile());
            builder.environment().putAll(environment);
            this.process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        OPEN.add(this);
    }

    /** Starts it and does not wait. */
    public static ChildServer launch(Path data, String... flags) {
        return launchWith(null, data, flags);
    }

    /** @param fault null: none */
    static ChildServer launchWith(PlantedMain.Fault fault, Path data, String... flags) {
        return new ChildServer(data, java(HEAP), Map.of(), fault == null ? MAIN : fault.main(), List.of(flags));
    }

    static ChildServer launchIn(Map<String, String> environment, Path data, String... flags) {
        return new ChildServer(data, java(HEAP), environment, MAIN, List.of(flags));
    }

    /** Done when it listens. */
    public static ChildServer start(Path data, String... flags) {
        return launch(data, flags).listening();
    }

    /** @param heap most memory for objects, such as 64m */
    public static ChildServer startWithin(String heap, Path data, String... flags) {
        return new ChildServer(data, java(heap), Map.of(), MAIN, List.of(flags)).listening();
    }

    /** Waits until it listens; closes it if it does not. */
    ChildServer listening() {
        try {
            TestRedis.await("the server listening", START_LIMIT, () -> {
                if (!process.isAlive()) {
                    throw new AssertionError("the server ended: " + log());
                }
                Matcher line = LISTENING.matcher(log());
                boolean found = line.find();
                port = found ? Integer.parseInt(line.group(1)) : 0;
                return found;
            });
            return this;
        } catch (AssertionError e) {
            close();
            throw e;
        }
    }

    public long pid() {
        return process.pid();
    }

    public int port() {
        return port;
    }

    /** All that it printed, to either stream. */
    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public long openFiles() {
        try (Stream<Path> files = Files.list(Path.of("/proc/" + pid() + "/fd"))) {
            return files.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Bytes of the objects that are in use. */
    public long heapBytes() {
        return Long.parseLong(asked("GC.class_histogram", "(?m)^Total\\s+\\d+\\s+(\\d+)"));
    }

    /** What time it is to that process. */
    public LocalDateTime clock() {
        return LocalDateTime.parse(asked("Thread.print", "(?m)^(\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d)")
                .replace(' ', 'T'));
    }

    private String asked(String command, String wanted) {
        try {
            Process jcmd = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(pid()),
                            command)
                    .redirectErrorStream(true)
                    .start();
            String text = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher found = Pattern.compile(wanted).matcher(text);
            if (!found.find()) {
                throw new AssertionError(text);
            }
            return found.group(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The process of its embedded Redis. */
    public long redisPid() {
        try {
            return Long.parseLong(
                    Files.readString(data.resolve("redis/redis.pid")).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it without a word, and leaves its Redis. Done when it is gone. */
    public void kill9() {
        signal("-KILL", pid());
        exitCode(Duration.ofSeconds(10));
        OPEN.remove(this);
    }

    public void terminate() {
        signal("-TERM", pid());
    }

    public void interrupt() {
        signal("-INT", pid());
    }

    /** As Ctrl-C in a terminal does. */
    public void interruptGroup() {
        signal("-INT", -pid());
    }

    public void hangUp() {
        signal("-HUP", pid());
    }

    public int exitCode(Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("the server did not end within " + limit + ": " + log());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public static void signal(String name, long pid) {
        try {
            new ProcessBuilder("kill", name, "--", Long.toString(pid)).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public CompletableFuture<Reply> sendAsync(String method, String path, String json) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(REPLY_LIMIT)
                .method(
                        method,
                        json == null
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(json, StandardCharsets.UTF_8));
        if (json != null) {
            request.header("Content-Type", "application/json");
        }
        return http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
                .thenApply(response -> new Reply(response.statusCode(), response.body(), response));
    }

    /** Throws IOException where no whole answer came: refused, cut, or nobody there. */
    public Reply send(String method, String path, String json) throws IOException {
        try {
            return sendAsync(method, path, json).get(REPLY_LIMIT.toSeconds() + 5, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    public Reply push(String topic, String json) throws IOException {
        return send("POST", "/v1/topics/" + topic + "/jobs", json);
    }

    public Reply reserve(String topic, int max, String wait) throws IOException {
        return send("POST", "/v1/topics/" + topic + "/reserve", "{\"max\":" + max + ",\"wait\":\"" + wait + "\"}");
    }

    /** @param what ack, nack or extend */
    public Reply settle(String what, JsonObject job) throws IOException {
        return send(
                "POST",
                "/v1/topics/" + job.getString("topic") + "/jobs/" + job.getString("id") + "/" + what,
                new JsonObject().put("lease", job.getString("lease")).encode());
    }

    @Override
    public void close() {
        OPEN.remove(this);
        process.destroyForcibly();
        exitCode(Duration.ofSeconds(10));
        LeftBehind.killRedisOf(data);
    }
}
