package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayq.config.Settings;
import io.delayq.redis.LeftBehind;
import io.delayq.redis.RespClient;
import io.delayq.redis.TestRedis;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server reaches the Redis that it brings over a socket in the file system, and over its port where there is none. */
class SocketsPathTest {
    @TempDir
    private Path dir;

    @AfterEach
    void nothingIsLeft() {
        LeftBehind.assertNoRedisOf(dir);
    }

    private static TestServer serve(Path data) {
        assumeTrue(Epoll.isAvailable());
        Settings set = TestServer.settings(null);
        return TestServer.start(shared -> new Settings(
                set.http(),
                data,
                set.redis(),
                "sockets",
                set.buckets(),
                set.instances(),
                set.tokens(),
                set.insecure()));
    }

    private static RespClient redis(Path data) throws IOException {
        Map<String, String> conf = Files.readAllLines(data.resolve("redis/redis.conf")).stream()
                .map(line -> line.split(" ", 2))
                .filter(words -> words.length == 2)
                .collect(Collectors.toMap(words -> words[0], words -> words[1], (first, second) -> second));
        return new RespClient("redis://:" + conf.get("requirepass") + "@127.0.0.1:" + conf.get("port"));
    }

    /** Of the server's connections, not of this test's. */
    private static long connections(RespClient redis, Predicate<String> which) {
        return redis.command("CLIENT", "LIST")
                .toString()
                .lines()
                .filter(line -> !line.contains("cmd=client|list"))
                .filter(which)
                .count();
    }

    private static boolean isOverSocket(String line) {
        return line.contains("redis.sock:0");
    }

    private static void pushed(TestServer server, String id) {
        assertEquals(
                201,
                server.post("/v1/topics/t/jobs", "{\"id\":\"" + id + "\",\"delay\":\"1h\"}")
                        .status());
    }

    @Test
    void all_its_connections_are_over_the_socket() throws Exception {
        try (TestServer server = serve(dir);
                RespClient redis = redis(dir)) {
            pushed(server, "a");
            assertEquals(0, connections(redis, line -> !isOverSocket(line)));
            assertTrue(connections(redis, SocketsPathTest::isOverSocket) > 0);
        }
    }

    @Test
    void nobody_else_may_use_the_socket() throws Exception {
        try (TestServer server = serve(dir)) {
            pushed(server, "a");
            String rights = Files.getPosixFilePermissions(dir.resolve("redis/redis.sock")).stream()
                    .map(Enum::name)
                    .collect(Collectors.joining());
            assertTrue(!rights.contains("GROUP") && !rights.contains("OTHERS"), rights);
        }
    }

    @Test
    void its_port_serves_when_the_file_is_gone() throws Exception {
        try (TestServer server = serve(dir);
                RespClient redis = redis(dir)) {
            pushed(server, "a");
            Files.delete(dir.resolve("redis/redis.sock"));
            redis.command("CLIENT", "KILL", "TYPE", "pubsub");
            redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            TestRedis.await("a connection over the port", () -> connections(redis, line -> !isOverSocket(line)) > 0);
            TestRedis.await(
                    "the server to be ready", () -> server.get("/health/ready").status() == 200);
            pushed(server, "b");
            assertEquals(0, connections(redis, SocketsPathTest::isOverSocket));
        }
    }

    @Test
    void a_path_that_is_too_long_for_a_socket_does_no_harm() throws Exception {
        Path deep = dir.resolve("d".repeat(60)).resolve("e".repeat(60));
        try (TestServer server = serve(deep);
                RespClient redis = redis(deep)) {
            pushed(server, "a");
            assertEquals(0, connections(redis, SocketsPathTest::isOverSocket));
        }
    }

    @Test
    void a_path_may_have_letters_that_addresses_may_not() throws Exception {
        Path odd = dir.resolve("a b%c?d=ü&#");
        try (TestServer server = serve(odd);
                RespClient redis = redis(odd)) {
            pushed(server, "a");
            assertTrue(connections(redis, SocketsPathTest::isOverSocket) > 0);
        }
    }
}
