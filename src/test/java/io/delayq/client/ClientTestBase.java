package io.delayq.client;

import io.delayq.config.Settings;
import io.delayq.path.TestServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** A server for the tests of a class, each with a topic and clients of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ClientTestBase {
    private static final long LIMIT_SECONDS = 20;

    final Vertx vertx = Vertx.vertx(new VertxOptions()
            .setMaxEventLoopExecuteTime(50)
            .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
            .setBlockedThreadCheckInterval(50)
            .setBlockedThreadCheckIntervalUnit(TimeUnit.MILLISECONDS));
    TestServer server = TestServer.start();
    String topic;
    private final List<DelayqClient> clients = new CopyOnWriteArrayList<>();
    private int topics;

    @BeforeEach
    void newTopic() {
        topic = "order-" + ++topics;
    }

    @AfterEach
    void closeClients() {
        clients.forEach(client -> await(client.close()));
        clients.clear();
    }

    @AfterAll
    void closeServer() {
        server.close();
        await(vertx.close());
    }

    DelayqClient client() {
        return client(server.port());
    }

    DelayqClient client(int port) {
        return client(options(port));
    }

    DelayqClient client(DelayqOptions options) {
        DelayqClient client = DelayqClient.create(vertx, options);
        clients.add(client);
        return client;
    }

    static DelayqOptions options(int port) {
        return new DelayqOptions()
                .url("http://127.0.0.1:" + port)
                .reconnect(Duration.ofMillis(20), Duration.ofMillis(200));
    }

    /** Another server where the first one was: same port, same jobs. */
    void restart() {
        Settings before = server.settings;
        Settings.Http http = before.http();
        int port = server.port();
        server.close();
        server = TestServer.start(any -> new Settings(
                new Settings.Http(http.host(), port, http.maxConnections(), http.idleMillis(), http.headerMillis()),
                before.dataDir(),
                before.redis(),
                before.namespace(),
                before.buckets(),
                before.instances(),
                before.tokens(),
                before.insecure()));
    }

    /** How many jobs of the topic are in this state. */
    int count(String state) {
        return server.get("/v1/topics/" + topic).json().getInteger(state);
    }

    static <T> T await(Future<T> future) {
        return TestServer.await(future.toCompletionStage().toCompletableFuture());
    }

    static Throwable failure(Future<?> future) {
        try {
            future.toCompletionStage().toCompletableFuture().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("expected a failure");
    }
}
