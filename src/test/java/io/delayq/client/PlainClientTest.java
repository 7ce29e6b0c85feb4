package io.delayq.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** The client as an application uses it that has never heard of the framework inside. */
class PlainClientTest {
    record Order(long orderId) {}

    @Test
    void pushes_looks_changes_pulls_and_settles() {
        try (TestServer server = TestServer.start()) {
            PlainClient client = PlainClient.create(new DelayqOptions().url("http://127.0.0.1:" + server.port()));
            Pushed pushed = await(client.push("order", new Order(1001), PushOptions.in(Duration.ofHours(1))));
            assertEquals(
                    1001,
                    await(client.get("order", pushed.id()))
                            .orElseThrow()
                            .body()
                            .as(Order.class)
                            .orderId());
            await(client.reschedule("order", pushed.id(), Duration.ZERO));
            Job job = await(client.reserve("order", 1, Duration.ofSeconds(5))).get(0);
            await(client.extend(job, Duration.ofMinutes(5)));
            await(client.nack(job, "not yet", Duration.ZERO));
            await(client.ack(
                    await(client.reserve("order", 1, Duration.ofSeconds(5))).get(0)));
            await(client.put("order", "x", "{}", PushOptions.in(Duration.ofHours(1))));
            assertTrue(await(client.cancel("order", "x")));
            assertEquals(1, await(client.pushAll(List.of(new Push("order", 1)))).size());
            await(client.close());
        }
    }

    @Test
    void handles_jobs_on_a_pool_of_the_application() {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try (TestServer server = TestServer.start()) {
            PlainClient client = PlainClient.create(new DelayqOptions().url("http://127.0.0.1:" + server.port()));
            PlainClient.Running running = client.handle(
                    "order", new HandlerOptions(), job -> CompletableFuture.runAsync(() -> work(job), pool));
            await(running.ready());
            await(client.push("order", new Order(1)));
            String id = await(client.push(
                            "order", new Order(13), PushOptions.now().maxAttempts(1)))
                    .id();
            TestRedis.await(
                    "both",
                    () -> running.counts().acked() == 1 && running.counts().nacked() == 1);
            assertEquals("unlucky", await(client.get("order", id)).orElseThrow().lastError());
            await(running.close());
            await(client.close());
        } finally {
            pool.shutdown();
        }
    }

    private static void work(Job job) {
        if (job.body(Order.class).orderId() == 13) {
            throw new IllegalStateException("unlucky");
        }
    }

    @Test
    void this_class_imports_nothing_of_the_framework() throws Exception {
        String source = Files.readString(Path.of("src/test/java/io/delayq/client/PlainClientTest.java"));
        assertFalse(source.contains("import io." + "vertx"));
    }

    private static <T> T await(CompletionStage<T> stage) {
        return TestServer.await(stage.toCompletableFuture());
    }
}
