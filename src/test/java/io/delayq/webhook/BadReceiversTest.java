package io.delayq.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.Alone;
import io.delayq.SideBySide;
import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import io.netty.util.internal.PlatformDependent;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetSocket;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Receivers that do all that a receiver should not: each has its own trouble, and nobody else's. */
class BadReceiversTest {
    private static final int CHUNK = 64 << 10;
    private static final long HUGE = 100L << 20;
    private static final int JOBS = 40;
    private static final int GOOD_JOBS = 200;
    private static final long MORE_P99_MILLIS = 250;
    private static final long MOST_MEMORY = 48L << 20;

    private final AtomicLong sent = new AtomicLong();
    private final Map<String, Receiver> bad = new LinkedHashMap<>();
    private TestServer server;

    @BeforeEach
    void start() {
        server = TestServer.start(WebhookPathTest::local);
        bad.put("slow", Receiver.raw(socket -> socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nx")));
        bad.put("hangs", Receiver.raw(socket -> {}));
        bad.put("500", Receiver.answering(500, "broken"));
        bad.put(
                "half",
                Receiver.raw(socket -> socket.end(Buffer.buffer("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nx"))));
        bad.put("closes", Receiver.raw(NetSocket::close));
        bad.put("garbage", Receiver.raw(socket -> socket.end(Buffer.buffer("\0\1\2 what is this\r\n\r\n\r\n"))));
        bad.put("huge", Receiver.raw(this::sendHuge));
        bad.put("headers", Receiver.raw(socket -> socket.write("HTTP/1.1 200 OK\r\nx: " + "y".repeat(1 << 20))));
    }

    @AfterEach
    void stop() {
        server.close();
        bad.values().forEach(Receiver::close);
    }

    /** 100 MB that nobody asked for, as an error so that it is tried again. */
    private void sendHuge(NetSocket socket) {
        socket.write("HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n");
        sendOn(socket, HUGE);
    }

    private void sendOn(NetSocket socket, long left) {
        if (left > 0) {
            Buffer chunk = Buffer.buffer(Integer.toHexString(CHUNK) + "\r\n")
                    .appendBytes(new byte[CHUNK])
                    .appendString("\r\n");
            socket.write(chunk).onSuccess(written -> {
                sent.addAndGet(CHUNK);
                sendOn(socket, left - CHUNK);
            });
        }
    }

    @Test
    @SideBySide
    void each_fails_as_often_as_is_set_and_says_why() {
        for (String kind : bad.keySet()) {
            push(kind, 1, "\"ttr\":\"1s\",\"retry\":{\"maxAttempts\":3,\"backoff\":[\"100ms\",\"300ms\"]}");
        }
        for (String kind : bad.keySet()) {
            String path = "/v1/topics/" + kind + "/jobs/j0";
            TestRedis.await(kind + " to be dead", Duration.ofSeconds(15), () -> "dead"
                    .equals(server.get(path).json().getString("state")));
            JsonObject job = server.get(path).json();
            assertEquals(3, job.getJsonArray("log").size(), job.encode());
            assertEquals(3, bad.get(kind).count(), kind);
            for (int i = 0; i < 3; i++) {
                JsonObject entry = job.getJsonArray("log").getJsonObject(i);
                assertEquals("nacked", entry.getString("outcome"), job.encode());
                assertTrue(entry.getLong("end") - entry.getLong("start") < 1_000, entry.encode());
                long gap = i == 0
                        ? Long.MAX_VALUE
                        : entry.getLong("start")
                                - job.getJsonArray("log").getJsonObject(i - 1).getLong("end");
                assertTrue(gap >= (i == 1 ? 100 : 300), kind + " came again after " + gap + " ms");
            }
            System.out.println(kind + ": " + job.getString("lastError"));
        }
        assertTrue(sent.get() < 3 * (8 << 20), sent + " bytes were taken of an answer that nobody reads");
    }

    @Test
    @SideBySide
    void early_hints_are_no_answer() {
        try (Receiver hints = Receiver.raw(socket -> socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 103 Early Hints\r\nLink: </b>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))) {
            server.push("early", "{\"id\":\"1\",\"callback\":{\"url\":\"" + hints.url("/") + "\"}}");
            TestRedis.await(
                    "its end",
                    Duration.ofSeconds(10),
                    () -> server.get("/v1/topics/early/jobs/1").status() == 404);
            assertEquals(1, hints.count());
        }
    }

    @Test
    @Alone
    void others_keep_their_lateness_meanwhile_and_memory_stays_bounded() {
        try (Receiver good = Receiver.answering(200, "")) {
            p99(good, "w");
            long alone = p99(good, "a");
            long memory = memory();
            for (String kind : bad.keySet()) {
                push(kind, JOBS, "\"ttr\":\"20s\",\"retry\":{\"backoff\":[\"500ms\"]}");
            }
            TestRedis.await("calls to each", Duration.ofSeconds(10), () -> bad.values().stream()
                    .allMatch(receiver -> receiver.count() > 0));
            long beside = p99(good, "b");
            long more = memory() - memory;
            System.out.printf(
                    "%d callbacks alone: lateness p99 %d ms; beside %d bad receivers: %d ms, memory %+d KiB%n",
                    GOOD_JOBS, alone, bad.size(), beside, more >> 10);
            assertTrue(beside <= 2 * alone + MORE_P99_MILLIS, beside + " ms, alone " + alone);
            assertTrue(more < MOST_MEMORY, more + " bytes more, receivers included");
        }
    }

    /** How late calls to a good receiver are, in the topic of a bad one, so that they stand in one line. */
    private long p99(Receiver good, String prefix) {
        long from = System.currentTimeMillis() + 300;
        int before = good.count();
        JsonArray jobs = new JsonArray();
        for (int i = 0; i < GOOD_JOBS; i++) {
            jobs.add(job(good, "hangs", i).put("id", prefix + i).put("at", from + 10L * i));
        }
        assertEquals(GOOD_JOBS, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
        TestRedis.await("the good ones", Duration.ofSeconds(20), () -> good.count() == before + GOOD_JOBS);
        long[] late = good.calls().stream()
                .skip(before)
                .mapToLong(call -> call.millis()
                        - from
                        - 10L * Integer.parseInt(call.header("delayq-id").substring(1)))
                .sorted()
                .toArray();
        return late[late.length * 99 / 100];
    }

    @Test
    @SideBySide
    void a_host_that_keeps_failing_is_called_less_and_again_when_it_is_well() {
        AtomicInteger status = new AtomicInteger(500);
        try (Receiver shop = Receiver.http((request, call) ->
                request.response().setStatusCode(status.get()).end())) {
            push(shop, "ill", 100, "\"retry\":{\"maxAttempts\":0,\"backoff\":[\"10ms\"]}");
            TestRedis.await("failures", Duration.ofSeconds(10), () -> shop.count() >= 20);
            int before = shop.count();
            long until = System.nanoTime() + 3_000_000_000L;
            TestRedis.await("time", Duration.ofSeconds(10), () -> System.nanoTime() > until);
            int during = shop.count() - before;
            assertTrue(during < 200, during + " calls to a host that is to rest, 100 jobs every 10 ms");
            status.set(200);
            TestRedis.await("all jobs done", Duration.ofSeconds(30), () -> {
                JsonObject counts = server.get("/v1/topics/ill").json();
                return counts.getInteger("ready") + counts.getInteger("delayed") + counts.getInteger("reserved") == 0;
            });
        }
    }

    /** What is used of the heap and beside it, after what nobody needs is gone. */
    private static long memory() {
        System.gc();
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        return memory.getHeapMemoryUsage().getUsed() + PlatformDependent.usedDirectMemory();
    }

    private void push(String kind, int count, String more) {
        push(bad.get(kind), kind, count, more);
    }

    private void push(Receiver receiver, String topic, int count, String more) {
        JsonArray jobs = new JsonArray();
        for (int i = 0; i < count; i++) {
            jobs.add(job(receiver, topic, i).mergeIn(new JsonObject("{" + more + "}")));
        }
        assertEquals(count, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
    }

    private static JsonObject job(Receiver receiver, String topic, int i) {
        return new JsonObject()
                .put("topic", topic)
                .put("id", "j" + i)
                .put("callback", new JsonObject().put("url", receiver.url("/")));
    }
}
