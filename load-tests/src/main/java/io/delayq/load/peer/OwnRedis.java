package io.delayq.load.peer;

import io.delayq.load.Children;
import io.delayq.load.RedisTalk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A Redis for a peer: the program that delayq uses, with the settings that delayq gives it. */
final class OwnRedis implements AutoCloseable {
    private final int port;
    private final Process process;

    private OwnRedis(int port, Process process) {
        this.port = port;
        this.process = process;
    }

    static OwnRedis start(RedisProgram program, Path dir) throws IOException, InterruptedException {
        int port = Children.freePort();
        Path log = dir.resolve("redis.log");
        Process process = Children.start(
                dir,
                log,
                Map.of(),
                List.of(
                        program.ready(dir).toString(),
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

    int port() {
        return port;
    }

    long pid() {
        return process.pid();
    }

    String settings() throws IOException {
        try (RedisTalk talk = new RedisTalk(port, null)) {
            return talk.about() + ", appendonly yes, appendfsync everysec, save off";
        }
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
