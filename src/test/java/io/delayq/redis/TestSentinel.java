package io.delayq.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real sentinel for tests: the same program as Redis. Ends with the JVM, even with one that is killed. */
public final class TestSentinel implements AutoCloseable {
    private static final String GUARD =
            """
            trap '' HUP INT TERM
            "$1" sentinel.conf --sentinel </dev/null >/dev/null 2>&1 &
            sentinel=$!
            echo $sentinel
            read -r word
            kill -9 $sentinel 2>/dev/null
            wait $sentinel 2>/dev/null
            cd /
            rm -rf "$2"
            """;

    private final int port = RedisConf.freePort();
    private final RespClient client;
    private final Process guard;
    private final RedisProcess process;

    /** @param password its own, and that of the other sentinels */
    public TestSentinel(int masterPort, int quorum, String password) {
        try {
            Path dir = Files.createTempDirectory("delayq-sentinel-");
            Files.writeString(
                    dir.resolve("sentinel.conf"),
                    """
                    bind 127.0.0.1
                    port %d
                    requirepass %s
                    logfile sentinel.log
                    sentinel sentinel-pass %s
                    sentinel monitor mymaster 127.0.0.1 %d %d
                    sentinel down-after-milliseconds mymaster 500
                    sentinel failover-timeout mymaster 3000
                    sentinel parallel-syncs mymaster 2
                    """
                            .formatted(port, password, password, masterPort, quorum));
            guard = new ProcessBuilder("sh", "-c", GUARD, "guard", TestRedis.Program.FILE.toString(), dir.toString())
                    .directory(dir.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String pid = new BufferedReader(new InputStreamReader(guard.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            process = new RedisProcess(ProcessHandle.of(Long.parseLong(pid)).orElseThrow(), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        client = new RespClient("redis://:" + password + "@127.0.0.1:" + port);
        TestRedis.await("the sentinel answering", () -> masterPort() == masterPort);
    }

    public int port() {
        return port;
    }

    /** The port of the master as this sentinel names it now; -1 if it does not answer. */
    public int masterPort() {
        try {
            List<?> address = (List<?>) client.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster");
            return Integer.parseInt(address.get(1).toString());
        } catch (UncheckedIOException e) {
            return -1;
        }
    }

    /** Whether it has found so many replicas and other sentinels, and can take part in a failover. */
    public boolean knows(int replicas, int others) {
        List<?> facts = (List<?>) client.command("SENTINEL", "MASTER", "mymaster");
        return facts.get(facts.indexOf("num-slaves") + 1).equals(Integer.toString(replicas))
                && facts.get(facts.indexOf("num-other-sentinels") + 1).equals(Integer.toString(others));
    }

    /** How often it tells the others of itself: every 2 s if this is not set. */
    void tellEvery(int millis) {
        client.command("SENTINEL", "DEBUG", "PUBLISH-PERIOD", Integer.toString(millis));
    }

    /** Ends it as a crash would. */
    public void kill() {
        process.kill();
        TestRedis.await("the sentinel gone", () -> !process.alive());
    }

    @Override
    public void close() {
        client.close();
        try {
            guard.getOutputStream().close();
            if (!guard.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the guard of the sentinel does not end");
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
