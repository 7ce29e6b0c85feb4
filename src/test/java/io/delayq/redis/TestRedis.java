package io.delayq.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * A real Redis for tests: one for all ({@link #shared}), or one of a test's own that it may kill, freeze and restart.
 *
 * <p>It ends with the JVM, even with one that is killed: a shell between the two waits for the end of its input, ends
 * Redis and deletes the directory.
 */
public final class TestRedis implements AutoCloseable {
    private static final Set<TestRedis> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(TestRedis::close)));
    }

    private static final String GUARD =
            """
            trap '' HUP INT TERM
            "$1" redis.conf </dev/null >/dev/null 2>&1 &
            redis=$!
            echo $redis
            delete=$2
            if read -r word; then delete=; fi
            kill -9 $redis 2>/dev/null
            wait $redis 2>/dev/null
            cd /
            [ -z "$delete" ] || rm -rf "$delete"
            """;

    private static TestRedis shared;

    /** Unpacked once for all. */
    static final class Program {
        static final Path FILE = unpacked();

        private static Path unpacked() {
            try {
                return RedisBinary.unpack(
                        Files.createDirectories(Path.of("target/redis").toAbsolutePath()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final Options options;
    private final Path dir;
    private final int port;
    private final int busPort;
    private final GenericContainer<?> container;
    private final RespClient client;
    private Process guard;
    private RedisProcess process;

    /**
     * @param cluster a cluster of this one node, which has all slots
     * @param port 0: a free one
     * @param dir null: a temporary one, deleted at the end
     * @param conf further lines for the configuration file
     */
    public record Options(boolean cluster, int port, Path dir, List<String> conf) {
        public static Options standalone() {
            return new Options(false, 0, null, List.of());
        }

        public static Options clustered() {
            return new Options(true, 0, null, List.of());
        }

        public Options onPort(int number) {
            return new Options(cluster, number, dir, conf);
        }

        /** A directory that is kept. */
        public Options in(Path kept) {
            return new Options(cluster, port, kept, conf);
        }

        public Options with(String... lines) {
            List<String> all = new ArrayList<>(conf);
            all.addAll(Arrays.asList(lines));
            return new Options(cluster, port, dir, all);
        }
    }

    /** The one for all tests: a cluster of one node, so that a script that leaves its slot is found out. */
    public static synchronized TestRedis shared() {
        if (shared == null) {
            shared = "testcontainers".equals(System.getenv("DELAYQ_TEST_REDIS"))
                    ? new TestRedis(inContainer())
                    : start(Options.clustered());
        }
        return shared;
    }

    /** One of the test's own, which the test closes. */
    public static TestRedis start(Options options) {
        for (int tries = 1; ; tries++) {
            TestRedis redis = new TestRedis(options);
            try {
                redis.launch();
                return redis;
            } catch (IllegalStateException e) {
                redis.close();
                if (tries == 5 || options.port() != 0) {
                    throw e;
                }
            }
        }
    }

    private TestRedis(Options options) {
        this.options = options;
        this.port = options.port() == 0 ? RedisConf.freePort() : options.port();
        this.busPort = RedisConf.freePort();
        this.container = null;
        this.client = new RespClient(url());
        try {
            dir = options.dir() == null ? Files.createTempDirectory("delayq-redis-") : options.dir();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        OPEN.add(this);
    }

    private TestRedis(GenericContainer<?> container) {
        this.options = Options.clustered();
        this.dir = null;
        this.busPort = 0;
        this.container = container;
        this.port = container.getMappedPort(6379);
        this.client = new RespClient(url());
        OPEN.add(this);
        command("CONFIG", "SET", "cluster-announce-ip", "127.0.0.1", "cluster-announce-port", Integer.toString(port));
        joinAllSlots();
    }

    // Closed by the hook, and by the container library's own guard if the JVM is killed.
    @SuppressWarnings("resource")
    private static GenericContainer<?> inContainer() {
        GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse("redis:7"))
                .withExposedPorts(6379)
                .withCommand(
                        "redis-server",
                        "--appendonly yes --appendfsync everysec --cluster-enabled yes"
                                + " --cluster-require-full-coverage no");
        container.start();
        return container;
    }

    public String url() {
        return "redis://127.0.0.1:" + port;
    }

    public int port() {
        return port;
    }

    public long pid() {
        return running().pid();
    }

    /** False after it was killed and before it is restarted. */
    public boolean isRunning() {
        return container != null || guard != null;
    }

    /** The reply as String, Long, List or null; an error is thrown as {@link RespClient.ErrorReply}. */
    public Object command(String... words) {
        return client.command(words);
    }

    /** How many clients are connected, this one counted. */
    public int connections() {
        return (int) command("CLIENT", "LIST").toString().lines().count();
    }

    /** How many there ever were. */
    public long connectionsMade() {
        Matcher made = Pattern.compile("total_connections_received:(\\d+)")
                .matcher(command("INFO", "stats").toString());
        if (!made.find()) {
            throw new AssertionError("Redis does not say how many connections were made");
        }
        return Long.parseLong(made.group(1));
    }

    /** The same with byte[] in place of String. */
    public Object commandBytes(byte[]... words) {
        return client.commandBytes(words);
    }

    /** Ends it as a crash would. */
    public void kill() {
        running().kill();
        await("Redis gone", () -> !process.alive());
        bury();
    }

    /** It keeps its connections and answers nothing. */
    public void freeze() {
        signal("-STOP");
    }

    public void thaw() {
        signal("-CONT");
    }

    /** Runs it again on the same port and data; ends it in an orderly way before, if it is not dead yet. */
    public void restart() {
        if (guard != null) {
            running().terminate();
            await("Redis gone", () -> !process.alive());
            bury();
        }
        launch();
    }

    @Override
    public void close() {
        OPEN.remove(this);
        client.close();
        if (container != null) {
            container.stop();
            return;
        }
        if (guard != null) {
            bury();
        }
        if (options.dir() == null) {
            delete(dir);
        }
    }

    private void launch() {
        try {
            Path program = Program.FILE;
            Files.writeString(dir.resolve("redis.conf"), conf());
            guard = new ProcessBuilder(
                            "sh", "-c", GUARD, "guard", program.toString(), options.dir() == null ? dir.toString() : "")
                    .directory(dir.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String pid = new BufferedReader(new InputStreamReader(guard.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            process = new RedisProcess(
                    ProcessHandle.of(Long.parseLong(pid))
                            .orElseThrow(() -> new IllegalStateException("Redis ended at once: " + log())),
                    true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await("Redis answering", this::answers);
        if (options.cluster()) {
            joinAllSlots();
        }
    }

    private String conf() {
        List<String> lines = new ArrayList<>(List.of(
                "bind 127.0.0.1",
                "port " + port,
                "daemonize no",
                "dir .",
                "logfile redis.log",
                "save \"\"",
                "appendonly yes",
                "appendfsync everysec"));
        if (options.cluster()) {
            lines.addAll(List.of(
                    "cluster-enabled yes",
                    "cluster-port " + busPort,
                    "cluster-announce-ip 127.0.0.1",
                    "cluster-require-full-coverage no"));
        }
        lines.addAll(options.conf());
        return String.join("\n", lines) + "\n";
    }

    private boolean answers() {
        if (!process.alive()) {
            throw new IllegalStateException("Redis ended: " + log());
        }
        try {
            return "PONG".equals(command("PING"));
        } catch (UncheckedIOException | RespClient.ErrorReply e) {
            return false;
        }
    }

    private void joinAllSlots() {
        if (command("CLUSTER", "INFO").toString().contains("cluster_slots_assigned:0")) {
            command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
        }
        await("cluster ok", () -> command("CLUSTER", "INFO").toString().contains("cluster_state:ok"));
    }

    private RedisProcess running() {
        if (container != null) {
            throw new UnsupportedOperationException("this Redis runs in a container and is not ours to signal");
        }
        if (guard == null) {
            throw new IllegalStateException("this Redis is not running");
        }
        return process;
    }

    private void signal(String name) {
        try {
            new ProcessBuilder("kill", name, Long.toString(pid())).start().waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends the guard, which ends Redis if it still lives; the guard collects it. */
    private void bury() {
        client.close();
        try (var input = guard.getOutputStream()) {
            // Without a line the guard takes the end of its input for the end of the JVM, and deletes the directory.
            input.write("keep\n".getBytes(StandardCharsets.UTF_8));
            input.flush();
            if (!guard.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the guard of Redis does not end");
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            guard = null;
        }
    }

    private String log() {
        try {
            return Files.readString(dir.resolve("redis.log"));
        } catch (IOException e) {
            return "no log";
        }
    }

    private static void delete(Path dir) {
        try (Stream<Path> files = Files.walk(dir)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
        } catch (IOException | UncheckedIOException e) {
            // Deleted by the guard meanwhile.
        }
    }

    /** Waits for a condition, for tests that have no event to wait for. */
    public static void await(String what, BooleanSupplier condition) {
        await(what, Duration.ofSeconds(30), condition);
    }

    public static void await(String what, Duration limit, BooleanSupplier condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("waited " + limit + " for: " + what);
            }
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
    }
}
