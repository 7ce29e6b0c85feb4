package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.TestRedis;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** As many topics as a server may well have, each with a subscriber, and a job now and then. */
class ManyTopicsPathTest {
    private static final int A_CONNECTION = 1_000;
    private static final int PREFETCH = 100;

    @Test
    void jobs_of_1_000_topics_come_in_time() throws Exception {
        check(1_000, 2_000, 1_000);
    }

    @Test
    @Tag("storm")
    void jobs_of_10_000_topics_come_in_time() throws Exception {
        check(10_000, 10_000, 3_000);
    }

    private static void check(int topics, int jobs, long p99Millis) throws Exception {
        try (TestServer server = TestServer.start(set -> set)) {
            WebSocketClient client = server.vertx.createWebSocketClient();
            AtomicInteger subscribed = new AtomicInteger();
            AtomicInteger came = new AtomicInteger();
            AtomicLongArray late = new AtomicLongArray(jobs);
            for (int from = 0; from < topics; from += A_CONNECTION) {
                WebSocket socket = TestServer.await(client.connect(new WebSocketConnectOptions()
                                .setHost("127.0.0.1")
                                .setPort(server.port())
                                .setURI("/v1/ws"))
                        .toCompletionStage()
                        .toCompletableFuture());
                socket.textMessageHandler(text -> {
                    JsonObject message = new JsonObject(text);
                    if (message.getString("op").equals("subscribed")) {
                        subscribed.incrementAndGet();
                    } else if (message.getString("op").equals("jobs")) {
                        JsonArray acks = new JsonArray();
                        for (Object one : message.getJsonArray("jobs")) {
                            JsonObject job = (JsonObject) one;
                            late.set(came.getAndIncrement(), System.currentTimeMillis() - job.getLong("due"));
                            acks.add(new JsonObject()
                                    .put("id", job.getString("id"))
                                    .put("lease", job.getString("lease")));
                        }
                        socket.writeTextMessage(new JsonObject()
                                .put("op", "ack")
                                .put("topic", message.getString("topic"))
                                .put("jobs", acks)
                                .encode());
                    }
                });
                for (int i = from; i < Math.min(topics, from + A_CONNECTION); i++) {
                    socket.writeTextMessage(
                            "{\"op\":\"subscribe\",\"topic\":\"t" + i + "\",\"prefetch\":" + PREFETCH + "}");
                }
            }
            long began = System.nanoTime();
            TestRedis.await("subscribed", Duration.ofSeconds(30), () -> subscribed.get() == topics);
            System.out.printf("%,d subscriptions took %d ms%n", topics, (System.nanoTime() - began) / 1_000_000);
            long first = System.currentTimeMillis() + 2_000;
            for (int from = 0; from < jobs; from += 1_000) {
                JsonArray batch = new JsonArray();
                for (int i = from; i < from + 1_000; i++) {
                    batch.add(new JsonObject().put("topic", "t" + i % topics).put("at", first + i));
                }
                assertEquals(
                        1_000, server.post("/v1/jobs", batch.encode()).json().getInteger("accepted"));
            }
            TestRedis.await("all jobs", Duration.ofSeconds(60), () -> came.get() >= jobs);
            long[] sorted = new long[jobs];
            for (int i = 0; i < jobs; i++) {
                sorted[i] = late.get(i);
            }
            Arrays.sort(sorted);
            System.out.printf(
                    "%,d jobs of %,d topics: lateness p50 %d ms, p99 %d ms, max %d ms%n",
                    jobs, topics, sorted[jobs / 2], sorted[jobs * 99 / 100], sorted[jobs - 1]);
            assertTrue(sorted[jobs * 99 / 100] < p99Millis, sorted[jobs * 99 / 100] + " ms");
        }
    }
}
