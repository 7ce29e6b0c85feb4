package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.path.HostTime;
import io.delayq.path.TestServer;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;

/** A Redis of the test's own, and what a server on it answers and says of it. */
abstract class RedisAwayTestBase {
    static final long ANSWER_MILLIS = 2_000;
    /** Those that are there in any case. */
    static final Set<String> CONNECTIONS =
            Set.of("wake", "hints", "heartbeat", "scanner-0", "dispatcher-0", "ingress-0", "ingress-1");

    final TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
    final AtomicLong slowest = new AtomicLong();
    final LogLines lines = new LogLines("io.delayq.redis.HeldConnection");

    @AfterEach
    void close() {
        lines.close();
        redis.close();
    }

    TestServer start() {
        return TestServer.start(settings -> settings.withRedisUrl(redis.url()));
    }

    CompletableFuture<String> pushRefusedInTime(TestServer server) {
        return pushRefusedInTime(server, "{}");
    }

    /** With what kind of problem. */
    CompletableFuture<String> pushRefusedInTime(TestServer server, String job) {
        HostTime host = new HostTime();
        long began = System.nanoTime();
        return server.sendAsync("POST", "/v1/topics/t/jobs", job).thenApply(reply -> {
            long took = millisSince(began);
            slowest.accumulateAndGet(took, Math::max);
            assertEquals(503, reply.status(), reply.text());
            assertTrue(
                    Set.of("/problems/store-unavailable", "/problems/outcome-unknown")
                            .contains(reply.type()),
                    reply.text());
            assertInTime(took, host, "");
            return reply.type();
        });
    }

    static boolean isPushed(TestServer server) {
        Reply reply = server.post("/v1/topics/other/jobs", "{}");
        assertTrue(reply.status() == 201 || reply.status() == 503, reply.text());
        return reply.status() == 201;
    }

    /** Our connections for which the log said so; saying it twice fails. */
    Set<String> said(String word) {
        Pattern pattern = Pattern.compile("redis " + word + " connection=(\\S+) address=\\S+:" + redis.port() + "\\b");
        Map<String, Integer> times = new TreeMap<>();
        for (String line : lines.all()) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.find()) {
                times.merge(matcher.group(1), 1, Integer::sum);
            }
        }
        times.forEach((name, count) -> assertEquals(1, count, name + " was said to be " + word + " too often"));
        return times.keySet();
    }

    static long worstLateness(TestServer server, long endNanos) {
        long worst = 0;
        while (System.nanoTime() < endNanos) {
            server.push("t", "{\"delay\":\"130ms\"}");
            worst = Math.max(worst, -job(server, "t").getLong("due") + System.currentTimeMillis());
        }
        return worst;
    }

    static JsonObject job(TestServer server, String topic) {
        Reply reply = server.reserve(topic, 1, "5s");
        assertEquals(200, reply.status(), reply.text());
        assertEquals(1, reply.jobs().size(), "no job came within 5 s");
        return reply.job(0);
    }

    /** What the host of a virtual machine took away meanwhile is not the server's. */
    static void assertInTime(long took, HostTime host, String answer) {
        long stolen = host.stolenMillis();
        assertTrue(took - stolen <= ANSWER_MILLIS, took + " ms, of which the host took " + stolen + " " + answer);
    }

    static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }
}
