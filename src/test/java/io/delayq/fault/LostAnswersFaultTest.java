package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Answers from Redis are lost after the command ran: whatever was asked is done once, and its outcome is known. */
@Tag("fault")
class LostAnswersFaultTest {
    private static final int AT_ONCE = 24;
    private static final double LOSS = 0.15;
    /** Well below a lease: what is leased to nobody must not come again meanwhile. */
    private static final Duration MOST = Duration.ofSeconds(10);

    @Test
    void no_job_twice_none_leased_to_nobody_no_ack_called_stale_that_was_done() {
        check(1_200);
    }

    /** Also run with a fault planted, to see that it turns red. */
    static void check(int jobs) {
        long seed = System.nanoTime();
        try (FaultProxy proxy = new FaultProxy(TestRedis.shared().port(), seed);
                TestServer server = TestServer.start(settings -> settings.withRedisUrl(proxy.url()))) {
            proxy.loseAnswers(LOSS);
            pushAll(server, jobs);
            Map<String, JsonObject> delivered = reserveAll(server, jobs);
            assertEquals(jobs, delivered.size(), "each job delivered once");
            // leased to nobody would be: reserved by count, but with no consumer
            JsonObject counts = settled(proxy, server);
            assertEquals(jobs, counts.getInteger("reserved"));
            proxy.loseAnswers(LOSS);
            ackAll(server, delivered);
            counts = settled(proxy, server);
            assertEquals(0, counts.getInteger("reserved"));
            assertTrue(proxy.lost() > 50, "only " + proxy.lost() + " answers were lost: that proves nothing");
        } catch (AssertionError e) {
            throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
        }
    }

    private static void pushAll(TestServer server, int jobs) {
        each(jobs, i -> server.sendAsync("POST", "/v1/topics/lost/jobs", "{\"id\":\"j" + i + "\"}")
                .thenAccept(reply -> assertEquals(201, reply.status(), reply.text())));
    }

    /**
     * Until all are there and no more come. One that waits does not wait for a bucket whose connection is being made anew,
     * so nothing twice in a row says little before that.
     */
    private static Map<String, JsonObject> reserveAll(TestServer server, int jobs) {
        Map<String, JsonObject> delivered = new HashMap<>();
        long end = System.nanoTime() + MOST.toNanos();
        for (int empty = 0; empty < 2 || delivered.size() < jobs && System.nanoTime() < end; ) {
            TestServer.Reply reply = server.reserve("lost", 50, "500ms");
            if (reply.status() == 503) {
                continue;
            }
            empty = reply.jobs().isEmpty() ? empty + 1 : 0;
            for (int i = 0; i < reply.jobs().size(); i++) {
                JsonObject job = reply.job(i);
                JsonObject before = delivered.put(job.getString("id"), job);
                assertEquals(null, before, "delivered twice");
                assertEquals(1, job.getInteger("attempt"));
            }
        }
        return delivered;
    }

    private static void ackAll(TestServer server, Map<String, JsonObject> delivered) {
        List<JsonObject> jobs = new ArrayList<>(delivered.values());
        each(jobs.size(), i -> server.sendAsync(
                        "POST",
                        "/v1/topics/lost/jobs/" + jobs.get(i).getString("id") + "/ack",
                        "{\"lease\":\"" + jobs.get(i).getString("lease") + "\"}")
                .thenAccept(reply -> assertEquals(204, reply.status(), reply.text())));
    }

    private static JsonObject settled(FaultProxy proxy, TestServer server) {
        proxy.loseAnswers(0);
        TestServer.Reply[] reply = {null};
        TestRedis.await("counts", () -> {
            reply[0] = server.get("/v1/topics/lost");
            return reply[0].status() == 200;
        });
        return reply[0].json();
    }

    private interface Request {
        CompletableFuture<Void> send(int i);
    }

    /** Sends that many requests, some at a time, and waits for all. */
    private static void each(int count, Request request) {
        Semaphore free = new Semaphore(AT_ONCE);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            free.acquireUninterruptibly();
            all.add(request.send(i).whenComplete((done, error) -> free.release()));
        }
        TestServer.await(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)));
    }
}
