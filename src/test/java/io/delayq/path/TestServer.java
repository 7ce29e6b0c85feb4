package io.delayq.path;

import io.delayq.Server;
import io.delayq.config.Settings;
import io.delayq.http.Resolver;
import io.delayq.redis.TestRedis;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A whole server in this process on the shared Redis, in a namespace of its own, and a plain HTTP client for it. */
public final class TestServer implements AutoCloseable {
    private static final long LIMIT_SECONDS = 20;

    public final Vertx vertx;
    public final Settings settings;
    private final Server server;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** An answer: its status, its text, and that as JSON. */
    public record Reply(int status, String text, HttpResponse<String> response) {
        public JsonObject json() {
            return new JsonObject(text);
        }

        public JsonArray jobs() {
            return json().getJsonArray("jobs");
        }

        public JsonObject job(int i) {
            return jobs().getJsonObject(i);
        }

        public String type() {
            return json().getString("type");
        }
    }

    private TestServer(Settings settings, Function<Vertx, Resolver> resolver) {
        this.settings = settings;
        // a test fails loudly in the log when anything holds an event loop for 50 ms
        this.vertx = Vertx.vertx(new VertxOptions()
                .setPreferNativeTransport(true)
                .setMaxEventLoopExecuteTime(50)
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
                .setBlockedThreadCheckInterval(50)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.MILLISECONDS));
        this.server = await(Server.start(vertx, settings, resolver.apply(vertx))
                .toCompletionStage()
                .toCompletableFuture());
    }

    public static TestServer start() {
        return start(settings -> settings);
    }

    public static TestServer start(UnaryOperator<Settings> change) {
        return new TestServer(change.apply(settings(TestRedis.shared().url())), Resolver::of);
    }

    /** @param resolver in place of a name server */
    public static TestServer start(UnaryOperator<Settings> change, Resolver resolver) {
        return new TestServer(change.apply(settings(TestRedis.shared().url())), vertx -> resolver);
    }

    /** Any free port, a namespace nobody else has; two doors, for what they must do together. */
    public static Settings settings(String redisUrl) {
        Settings defaults = Settings.defaults();
        Settings.Http http = defaults.http();
        return new Settings(
                new Settings.Http(http.host(), 0, http.maxConnections(), http.idleMillis(), http.headerMillis()),
                defaults.dataDir(),
                defaults.redis().withUrl(redisUrl),
                "t" + UUID.randomUUID().toString().substring(0, 8),
                defaults.buckets(),
                new Settings.Instances(2, 1, 1, 1, 1),
                defaults.tokens(),
                defaults.insecure());
    }

    public int port() {
        return server.port();
    }

    public Reply get(String path) {
        return send("GET", path, null);
    }

    public Reply post(String path, String json) {
        return send("POST", path, json);
    }

    public Reply send(String method, String path, String json) {
        return await(sendAsync(method, path, json));
    }

    public CompletableFuture<Reply> sendAsync(String method, String path, String json) {
        HttpRequest.BodyPublisher body = json == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(json, StandardCharsets.UTF_8);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .method(method, body);
        if (json != null) {
            request.header("Content-Type", "application/json");
        }
        return http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
                .thenApply(response -> {
                    check(response, json == null ? "" : json);
                    return new Reply(response.statusCode(), response.body(), response);
                });
    }

    public HttpResponse<String> raw(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        check(response, null);
        return response;
    }

    /**
     * Every request and answer is to be as openapi.yaml says.
     *
     * @param body null if it is not known
     */
    private void check(HttpResponse<String> response, String body) {
        if (settings.instances().ingress() == 0) {
            // most of what is described is served elsewhere
            return;
        }
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        response.headers().map().forEach((name, values) -> headers.put(name, String.join(", ", values)));
        URI uri = response.request().uri();
        OpenApi.served()
                .check(new OpenApi.Exchange(
                        response.request().method(),
                        uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery()),
                        response.request().headers().firstValue("Content-Type").orElse(null),
                        body,
                        response.statusCode(),
                        headers,
                        response.body()));
    }

    /** Pushes a job with this JSON and expects it to be taken. */
    public Reply push(String topic, String json) {
        Reply reply = post("/v1/topics/" + topic + "/jobs", json);
        if (reply.status != 201) {
            throw new AssertionError("expected 201, got " + reply.status + " " + reply.text);
        }
        return reply;
    }

    public Reply reserve(String topic, int max, String wait) {
        return post("/v1/topics/" + topic + "/reserve", "{\"max\":" + max + ",\"wait\":\"" + wait + "\"}");
    }

    /** Settles a delivered job: what is ack, nack or extend, more is further members, beginning with a comma. */
    public Reply settle(String what, JsonObject job, String more) {
        return post(
                "/v1/topics/" + job.getString("topic") + "/jobs/" + encode(job.getString("id")) + "/" + what,
                "{\"lease\":\"" + job.getString("lease") + "\"" + more + "}");
    }

    public static String encode(String id) {
        return URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public void close() {
        await(server.stop().toCompletionStage().toCompletableFuture());
        await(vertx.close().toCompletionStage().toCompletableFuture());
    }

    public static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
