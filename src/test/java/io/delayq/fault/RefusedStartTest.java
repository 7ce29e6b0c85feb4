package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.SideBySide;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server cannot start as it is told to: what it says of it. */
class RefusedStartTest {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    @TempDir
    Path dir;

    @Test
    @SideBySide
    void a_port_in_use_is_one_line_and_found_before_redis_is_started() throws Exception {
        Path data = dir.resolve("data");
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                ChildServer server = ChildServer.launch(data, "--http.port=" + other.getLocalPort())) {
            assertEquals(1, server.exitCode(STOP_LIMIT), server.log());
            assertEquals(
                    "delayq: 127.0.0.1:" + other.getLocalPort()
                            + " is in use by another program; stop it, or choose another with --http.port\n",
                    server.log());
            assertFalse(Files.exists(data.resolve("redis")), "Redis was started");
        }
    }

    @Test
    @SideBySide
    void an_address_that_is_not_ours_is_one_line() {
        List<ChildServer> servers = new ArrayList<>();
        for (String host : List.of("203.0.113.1", "nowhere.invalid")) {
            servers.add(ChildServer.launch(dir.resolve(host), "--http.host=" + host, "--http.port=9277", "--insecure"));
        }
        refused(
                servers,
                (server, log) -> assertTrue(
                        log.lines().reduce((first, last) -> last).orElse("").startsWith("delayq: http.host "), log));
    }

    @Test
    @SideBySide
    void a_data_directory_that_cannot_be_had_is_one_line_with_what_to_do() throws Exception {
        Path file = Files.writeString(dir.resolve("file"), "");
        List<Path> bad = List.of(Path.of("/proc/nope"), file, file.resolve("below"));
        List<ChildServer> servers = new ArrayList<>();
        for (Path one : bad) {
            servers.add(ChildServer.launch(dir.resolve("data"), "--data.dir=" + one));
        }
        refused(servers, (server, log) -> {
            assertEquals(1, log.lines().count(), log);
            Path one = bad.get(servers.indexOf(server));
            assertTrue(log.startsWith("delayq: the data directory " + one + " cannot be written: "), log);
            assertTrue(log.endsWith("; choose another with --data.dir\n"), log);
        });
    }

    /** They start side by side, which takes less time. */
    private static void refused(List<ChildServer> servers, BiConsumer<ChildServer, String> check) {
        try {
            for (ChildServer server : servers) {
                assertEquals(1, server.exitCode(STOP_LIMIT), server.log());
                check.accept(server, server.log());
            }
        } finally {
            servers.forEach(ChildServer::close);
        }
    }

    @Test
    @SideBySide
    void a_bad_configuration_is_told_whole() {
        try (ChildServer server =
                ChildServer.launch(dir.resolve("data"), "--http.prot=1", "--buckets=0", "--redis.queue=many")) {
            assertEquals(1, server.exitCode(STOP_LIMIT), server.log());
            for (String text : List.of("http.prot", "http.port", "buckets", "1 to 1024", "redis.queue", "many")) {
                assertTrue(server.log().contains(text), text + " is not in: " + server.log());
            }
            assertFalse(server.log().contains("\tat "), server.log());
        }
    }
}
