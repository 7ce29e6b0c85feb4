package io.delayq.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.client.Pushed;
import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The documents' examples do what they say, and are what is compiled. */
class ExamplesTest {
    private static final Path SOURCES = Path.of("src/test/java/io/delayq/examples");

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void close() {
        await(vertx.close());
    }

    @Test
    void a_shop_with_the_queue_inside_closes_an_order_in_time(@TempDir Path data) {
        EmbeddedExample.Shop shop = new EmbeddedExample.Shop(data);
        CompletableFuture<String> closed = new CompletableFuture<>();
        vertx.eventBus().<String>consumer("closed", message -> closed.complete(message.body()));
        String id = await(vertx.deployVerticle(shop));
        await(shop.ordered(new EmbeddedExample.Order("1001"), Duration.ofMillis(300)));
        assertEquals("1001", TestServer.await(closed));
        await(vertx.undeploy(id));
    }

    @Test
    void the_clients_examples_work() {
        try (TestServer server = TestServer.start()) {
            ClientExample example = new ClientExample(vertx, "http://127.0.0.1:" + server.port(), null);
            ClientExample.Order order = new ClientExample.Order("1001", 7);
            assertTrue(await(example.remind(order)).isStored());
            await(example.later(order));
            assertTrue(await(example.paid(order)));
            await(example.later(order));
            assertTrue(await(example.remindAll(List.of(order))).stream().allMatch(Pushed::isStored));
            server.push("remind", "{\"id\":\"x\",\"body\":{\"id\":\"x\",\"total\":1}}");
            await(example.workOff());
            assertEquals(404, server.get("/v1/topics/remind/jobs/x").status());
            var handling = example.handleReminders();
            server.push("remind", "{\"id\":\"y\",\"body\":{\"id\":\"y\",\"total\":1}}");
            TestRedis.await("handled", () -> handling.counts().acked() == 1);
            await(example.close());
        }
    }

    @Test
    void the_plain_example_works() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        List<String> worked = new CopyOnWriteArrayList<>();
        try (TestServer server = TestServer.start()) {
            PlainExample.run("http://127.0.0.1:" + server.port(), pool, worked::add);
            assertEquals(List.of("hello"), worked);
        } finally {
            pool.shutdown();
        }
        assertEquals(-1, Files.readString(SOURCES.resolve("PlainExample.java")).indexOf("import io.vertx"));
    }

    @Test
    void the_documents_show_the_code_that_is_compiled() throws IOException {
        assertEquals(regions("ReadmeExample.java"), blocks("README.md"));
        assertEquals(regions("EmbeddedExample.java"), blocks("docs/embedding.md"));
        List<String> client = new ArrayList<>(regions("ClientExample.java"));
        client.addAll(regions("PlainExample.java"));
        assertEquals(client, blocks("docs/client.md"));
    }

    /** What stands between {@code // begin x} and {@code // end x}, as far to the left as it goes. */
    private static List<String> regions(String file) throws IOException {
        Matcher matcher = Pattern.compile(
                        "^ *// begin (\\w+)\\n(.*?)^ *// end \\1$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(SOURCES.resolve(file)));
        return matcher.results()
                .map(region -> region.group(2).stripTrailing().stripIndent() + "\n")
                .toList();
    }

    private static List<String> blocks(String file) throws IOException {
        Matcher matcher = Pattern.compile("^```java\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(Path.of(file)));
        return matcher.results().map(block -> block.group(1)).toList();
    }

    private static <T> T await(Future<T> future) {
        return TestServer.await(future.toCompletionStage().toCompletableFuture());
    }
}
