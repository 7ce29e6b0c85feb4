package io.delayq.load.peer;

import io.delayq.load.Children;
import io.delayq.load.RedisTalk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** A Redis for a peer: the program that delayq brings, with the settings that delayq gives it. */
final class OwnRedis implements AutoCloseable {
    private static final String NAME = "redis-server-7.0.15";
    static final String SETTINGS = "7.0.15, appendonly yes, appendfsync everysec, save off";

    private final int port;
    private final Process process;

    private OwnRedis(int port, Process process) {
        this.port = port;
        this.process = process;
    }

    static OwnRedis start(Path jar, Path dir) throws IOException, InterruptedException {
        Path program = unpacked(jar, dir);
        int port = Children.freePort();
        Path log = dir.resolve("redis.log");
        Process process = Children.start(
                dir,
                log,
                Map.of(),
                List.of(
                        program.toString(),
                        "--bind",
                        "127.0.0.1",
                        "--port",
                        Integer.toString(port),
                        "--save",
                        "",
                        "--appendonly",
                        "yes",
                        "--appendfsync",
                        "everysec",
                        "--maxmemory-policy",
                        "noeviction"));
        Children.awaitPort(process, port, log, Duration.ofSeconds(10));
        return new OwnRedis(port, process);
    }

    private static Path unpacked(Path jar, Path dir) throws IOException {
        boolean mac = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac");
        boolean arm = List.of("aarch64", "arm64").contains(System.getProperty("os.arch"));
        String entry = NAME + (mac ? "-darwin-" : "-linux-") + (arm ? "arm64" : "amd64");
        Path program = dir.resolve(NAME);
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            ZipEntry found = zip.getEntry(entry);
            if (found == null) {
                throw new IOException("no " + entry + " in " + jar.getFileName());
            }
            try (InputStream in = zip.getInputStream(found)) {
                Files.copy(in, program);
            }
        }
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    int port() {
        return port;
    }

    long pid() {
        return process.pid();
    }

    void empty() throws IOException {
        try (RedisTalk talk = new RedisTalk(port, null)) {
            talk.ask("FLUSHALL");
        }
    }

    long dataBytes() throws IOException {
        try (RedisTalk talk = new RedisTalk(port, null)) {
            return talk.dataBytes();
        }
    }

    @Override
    public void close() {
        Children.end(process);
    }
}
