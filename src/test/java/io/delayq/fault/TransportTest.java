package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayq.SideBySide;
import io.delayq.fault.RecordingClients.Load;
import io.delayq.fault.RecordingClients.Target;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server serves all its clients by whichever way to the sockets it is told to take. */
class TransportTest {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
    /** Larger than what a socket takes at once. */
    private static final int LARGE = 200_000;

    @TempDir
    Path dir;

    private static Map<String, String> told(String transport) {
        return Map.of("JDK_JAVA_OPTIONS", "-Ddelayq.transport=" + transport);
    }

    @Test
    @SideBySide
    void a_transport_that_there_is_not_is_refused_with_those_there_are() {
        try (ChildServer server = ChildServer.launchIn(told("carrier-pigeon"), dir.resolve("data"))) {
            assertEquals(1, server.exitCode(STOP_LIMIT), server.log());
            List<String> said = server.log().lines().toList();
            assertEquals(
                    "delayq: delayq.transport: expected io_uring, epoll or nio, found carrier-pigeon",
                    said.get(said.size() - 1));
        }
    }

    @Test
    @SideBySide
    void io_uring_serves_rest_and_websockets() throws Exception {
        assumeTrue(Transport.IO_URING != null && Transport.IO_URING.available(), "no io_uring on this machine");
        try (ChildServer server =
                ChildServer.launchIn(told("io_uring"), dir.resolve("data")).listening()) {
            assertTrue(hasOpen(server, "[io_uring]"), "it is not in use");
            String body = "x".repeat(LARGE);
            server.push(
                    "t", new JsonObject().put("id", "large").put("body", body).encode());
            JsonObject job = server.reserve("t", 1, "5s").job(0);
            assertEquals(body, job.getString("body"));
            Reply acked = server.settle("ack", job);
            assertEquals(204, acked.status());
            Target target = new Target("uring", server.port());
            try (RecordingClients clients =
                    new RecordingClients(new Load(200, 10, 100, 2_000, 50), List.of(() -> target)).begin()) {
                TestRedis.await("jobs delivered", () -> clients.delivered() >= 300);
            }
            server.terminate();
            assertEquals(0, server.exitCode(STOP_LIMIT), server.log());
        }
    }

    /** Whether the server has such a thing open; that its library is loaded says only that it was asked for. */
    private static boolean hasOpen(ChildServer server, String name) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/" + server.pid() + "/fd"))) {
            return files.anyMatch(file -> isOf(file, name));
        }
    }

    private static boolean isOf(Path file, String name) {
        try {
            return Files.readSymbolicLink(file).toString().contains(name);
        } catch (IOException e) {
            // closed meanwhile
            return false;
        }
    }
}
