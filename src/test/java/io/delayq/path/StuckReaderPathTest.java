package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.TestRedis;
import io.netty.util.internal.PlatformDependent;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A consumer that subscribes and then never reads again holds back only itself. */
class StuckReaderPathTest {
    private static final int OP_TEXT = 0x81;
    private static final int MASKED = 0x80;

    private final Vertx clients = Vertx.vertx();

    @AfterEach
    void close() {
        TestServer.await(clients.close().toCompletionStage().toCompletableFuture());
    }

    @Test
    void costs_little_memory_and_does_not_hold_up_others() throws IOException {
        int count = 20_000;
        try (TestServer server = TestServer.start()) {
            AtomicInteger got = new AtomicInteger();
            WsConsumer other = new WsConsumer(clients, server.port(), "warm", 100, jobs -> got.addAndGet(jobs.size()));
            push(server, "warm", count, 100);
            TestRedis.await("warm", Duration.ofSeconds(30), () -> got.get() == count);
            other.close();
            long before = memory();
            try (Socket stuck = subscribe(server.port(), "stuck", 100)) {
                TestRedis.await("the subscriber", () -> subscribers(server, "stuck") == 1);
                push(server, "stuck", 200, 100);
                TestRedis.await(
                        "its prefetch",
                        () -> server.get("/v1/topics/stuck").json().getInteger("reserved") == 100);
                long grown = memory() - before;
                System.out.printf("a consumer that never reads: %.1f MB more%n", grown / 1e6);
                assertTrue(grown <= 8_000_000, "grew by " + grown);
                AtomicInteger rest = new AtomicInteger();
                WsConsumer third =
                        new WsConsumer(clients, server.port(), "stuck", 100, jobs -> rest.addAndGet(jobs.size()));
                push(server, "stuck", count, 100);
                TestRedis.await("all others", Duration.ofSeconds(30), () -> rest.get() >= count + 100);
                third.close();
                assertTrue(stuck.isConnected());
            }
        }
    }

    @Test
    @Tag("storm")
    void is_closed_after_half_a_minute_and_its_jobs_reach_another() throws IOException {
        try (TestServer server = TestServer.start();
                Socket stuck = subscribe(server.port(), "large", 1_000)) {
            TestRedis.await("the subscriber", () -> subscribers(server, "large") == 1);
            // far more than the sockets' buffers hold
            push(server, "large", 300, 200_000);
            TestRedis.await(
                    "some reserved", () -> server.get("/v1/topics/large").json().getInteger("reserved") > 0);
            AtomicInteger got = new AtomicInteger();
            WsConsumer other = new WsConsumer(clients, server.port(), "large", 10, jobs -> got.addAndGet(jobs.size()));
            TestRedis.await("all of them", Duration.ofSeconds(60), () -> got.get() >= 300);
            assertEquals(1, subscribers(server, "large"));
            other.close();
            assertTrue(stuck.isConnected());
        }
    }

    private static int subscribers(TestServer server, String topic) {
        server.post("/v1/topics/" + topic + "/jobs", "{\"delay\":\"1h\",\"id\":\"makes-the-topic\"}");
        return server.get("/v1/topics/" + topic).json().getInteger("subscribers");
    }

    private static void push(TestServer server, String topic, int count, int bytes) {
        String body = "x".repeat(bytes);
        int step = Math.max(1, Math.min(2_000, 8_000_000 / bytes));
        for (int from = 0; from < count; from += step) {
            JsonArray jobs = new JsonArray();
            for (int i = from; i < Math.min(count, from + step); i++) {
                jobs.add(new JsonObject().put("topic", topic).put("body", body));
            }
            assertEquals(
                    jobs.size(), server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
        }
    }

    /** Heap after a collection, and memory outside of it. */
    private static long memory() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
                + Math.max(direct, PlatformDependent.usedDirectMemory());
    }

    /** A WebSocket by hand, of which nothing is read after the handshake. */
    private static Socket subscribe(int port, String topic, int prefetch) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(8 * 1024);
        socket.connect(new java.net.InetSocketAddress("127.0.0.1", port));
        OutputStream out = socket.getOutputStream();
        out.write(("GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            head.append((char) in.read());
        }
        assertTrue(head.toString().startsWith("HTTP/1.1 101"), head.toString());
        byte[] text = ("{\"op\":\"subscribe\",\"topic\":\"" + topic + "\",\"prefetch\":" + prefetch + "}")
                .getBytes(StandardCharsets.UTF_8);
        out.write(OP_TEXT);
        out.write(MASKED | text.length);
        // a mask of zeros leaves the text as it is
        out.write(new byte[4]);
        out.write(text);
        out.flush();
        return socket;
    }
}
