package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import at.favre.lib.crypto.bcrypt.BCrypt;
import io.delayq.config.Settings.LogTo;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three servers, one for each form of the log, see secrets all day at every level, and Redis fail, and write down none. */
class SecretsTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final String TOKEN = "hush-token-4711";
    private static final String REDIS = "hush-redis-4711";
    private static final String WEBHOOK = "hush-webhook-4711-4711";
    private static final String PASSWORD = "hush-login-4711";
    private static final String BODY = "hush-body-4711";
    private static final String HEADER = "hush-header-4711";
    private static final String QUERY = "hush-query-4711";
    private static final String ERROR = "hush-error-4711";
    private static final String HUSH = "hush";
    private static final String HASH = BCrypt.withDefaults().hashToString(4, PASSWORD.toCharArray());

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Queue<String> sessions = new ConcurrentLinkedQueue<>();

    @TempDir
    private Path dir;

    @Test
    void no_secret_and_no_payload_is_in_any_log() throws Exception {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone())) {
            redis.command("ACL", "SETUSER", "app", "on", ">" + REDIS, "~*", "&*", "+@all");
            Map<LogTo, ChildServer> servers = new EnumMap<>(LogTo.class);
            try {
                Map<LogTo, CompletableFuture<ChildServer>> starting = new EnumMap<>(LogTo.class);
                for (LogTo to : LogTo.values()) {
                    starting.put(to, CompletableFuture.supplyAsync(() -> start(to, redis)));
                }
                starting.forEach((to, server) -> servers.put(to, server.join()));
                together(servers.values(), server -> {
                    oneDay(server);
                    call(server, "PUT", "/v1/log", "{\"level\":\"debug\"}");
                    oneDay(server);
                });
                broken(redis, servers.values());
                for (ChildServer server : servers.values()) {
                    server.terminate();
                }
                for (LogTo to : LogTo.values()) {
                    servers.get(to).exitCode(LIMIT);
                    check(to, servers.get(to));
                }
            } finally {
                servers.values().forEach(ChildServer::close);
            }
        }
    }

    private interface Work {
        void on(ChildServer server) throws Exception;
    }

    /** Most of it is waiting for answers that say no. */
    private static void together(Collection<ChildServer> servers, Work work) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (ChildServer server : servers) {
            all.add(CompletableFuture.runAsync(
                    () -> {
                        try {
                            work.on(server);
                        } catch (Exception e) {
                            throw new CompletionException(e);
                        }
                    },
                    task -> new Thread(task, "work").start()));
        }
        all.forEach(CompletableFuture::join);
    }

    private ChildServer start(LogTo to, TestRedis redis) {
        String name = name(to);
        String config =
                """
                redis:
                  url: redis://app:%s@127.0.0.1:%d
                namespace: %s
                tokens:
                  - name: ops
                    token: %s
                    rights: [push, consume, admin]
                users:
                  - name: ops
                    bcrypt: %s
                    role: admin
                webhook:
                  allow: 127.0.0.0/8
                log:
                  to: %s
                  dir: %s
                """
                        .formatted(REDIS, redis.port(), name, TOKEN, HASH, name, logs(to));
        try {
            Path file = Files.writeString(dir.resolve(name + ".yaml"), config);
            return ChildServer.start(dir.resolve("data-" + name), "-c", file.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All that a client may hand over that is nobody else's business, well and badly formed. */
    private void oneDay(ChildServer server) throws Exception {
        String jobs = "/v1/topics/seen/jobs";
        assertEquals(
                201, call(server, "POST", jobs, "{\"body\":\"" + BODY + "\"}").statusCode());
        JsonObject held = new JsonObject(call(server, "POST", "/v1/topics/seen/reserve", "{\"wait\":\"5s\"}")
                        .body())
                .getJsonArray("jobs")
                .getJsonObject(0);
        String nack = new JsonObject()
                .put("lease", held.getString("lease"))
                .put("error", ERROR)
                .put("delay", "1h")
                .encode();
        assertEquals(
                200,
                call(server, "POST", jobs + "/" + held.getString("id") + "/nack", nack)
                        .statusCode());
        for (String bad : List.of("{\"body\":\"" + BODY, "{\"delay\":\"" + BODY + "\"}", "\"" + BODY + "\"", BODY)) {
            assertEquals(400, call(server, "POST", jobs, bad).statusCode());
        }
        call(server, "POST", "/v1/jobs", "[{\"topic\":\"seen\",\"body\":\"" + BODY + "\"},{\"" + BODY + "\":1}]");
        assertEquals(400, call(server, "GET", "/v1/topics?token=" + QUERY, null).statusCode());
        call(server, "GET", "/v1/topics/seen/jobs?body=" + QUERY, null);
        String callback = "{\"body\":\"" + BODY + "\",\"retry\":{\"maxAttempts\":1},\"callback\":{\"url\":"
                + "\"http://127.0.0.1:9/x?key=" + QUERY + "\",\"headers\":{\"Authorization\":\"" + HEADER + "\"}}}";
        String settings = "{\"webhook\":{\"secrets\":[\"" + WEBHOOK + "\"]}}";
        assertEquals(200, call(server, "PUT", "/v1/topics/called", settings).statusCode());
        assertEquals(
                201, call(server, "POST", "/v1/topics/called/jobs", callback).statusCode());
        call(server, "POST", "/v1/topics/called/jobs", callback.replace("http:", "ftp:"));
        call(server, "PUT", "/v1/topics/called", "{\"webhook\":{\"secret\":\"" + WEBHOOK + "\"}}");
        logIn(server);
        call(server, "POST", "/v1/login", "{\"user\":\"ops\",\"password\":\"" + PASSWORD + "x\"}");
        call(server, "POST", "/v1/login", "{\"user\":\"" + PASSWORD + "\",\"password\":\"x\"}");
        call(server, "POST", "/v1/login", "{\"password\":\"" + PASSWORD + "\"}");
        for (String odd : List.of("Bearer " + TOKEN + "x", "Basic " + TOKEN, TOKEN)) {
            HttpRequest request = request(server, "GET", "/v1/topics", null)
                    .setHeader("Authorization", odd)
                    .setHeader("X-Request-Id", HUSH + "<" + TOKEN + ">")
                    .build();
            assertEquals(
                    401,
                    http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
        }
        overWebSocket(server);
        TestRedis.await("called in vain", () -> {
            try {
                return call(server, "GET", "/v1/topics/called", null).body().contains("\"dead\":");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    private void logIn(ChildServer server) throws Exception {
        HttpResponse<String> answer =
                call(server, "POST", "/v1/login", "{\"user\":\"ops\",\"password\":\"" + PASSWORD + "\"}");
        assertEquals(200, answer.statusCode(), answer.body());
        String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow().split("[=;]")[1];
        assertTrue(cookie.length() > 20, cookie);
        sessions.add(cookie);
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/topics"))
                .timeout(LIMIT)
                .header("Cookie", "delayq-session=" + cookie)
                .build();
        assertEquals(
                200, http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
    }

    private void overWebSocket(ChildServer server) throws Exception {
        WebSocket socket = http.newWebSocketBuilder()
                .header("Authorization", "Bearer " + TOKEN)
                .buildAsync(URI.create("ws://127.0.0.1:" + server.port() + "/v1/ws?token=" + QUERY), new Ended())
                .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        for (String frame : List.of(
                "{\"op\":\"push\",\"ref\":1,\"jobs\":[{\"topic\":\"seen\",\"body\":\"" + BODY + "\"}]}",
                "{\"op\":\"push\",\"job\":\"" + BODY + "\"}",
                "{\"op\":\"" + BODY + "\"}",
                BODY)) {
            socket.sendText(frame, true).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        socket.abort();
    }

    private static final class Ended implements WebSocket.Listener {}

    /** Redis refuses scripts, then the password, then is gone: its error texts quote what it was asked. */
    private void broken(TestRedis redis, Collection<ChildServer> servers) throws Exception {
        String push = "{\"id\":\"1\",\"delay\":\"1h\",\"body\":\"" + BODY + "\"}";
        together(servers, server -> {
            assertEquals(
                    201, call(server, "POST", "/v1/topics/broken/jobs", push).statusCode());
        });
        for (Object key : (List<?>) redis.command("KEYS", "*clock:broken")) {
            redis.command("DEL", key.toString());
            redis.command("SET", key.toString(), "no zset");
        }
        together(servers, server -> {
            assertEquals(
                    500, call(server, "PUT", "/v1/topics/broken/jobs/1", push).statusCode());
        });
        redis.command("ACL", "SETUSER", "app", "resetpass", ">another");
        redis.command("CLIENT", "KILL", "USER", "app");
        together(servers, server -> {
            assertEquals(503, call(server, "POST", "/v1/topics/seen/jobs", push).statusCode());
        });
        redis.kill();
        together(servers, server -> {
            assertEquals(503, call(server, "POST", "/v1/topics/seen/jobs", push).statusCode());
        });
    }

    private void check(LogTo to, ChildServer server) throws IOException {
        List<String> texts = new ArrayList<>(List.of(server.log()));
        if (to == LogTo.FILES) {
            try (Stream<Path> files = Files.list(logs(to))) {
                for (Path file : files.toList()) {
                    texts.add(Files.readString(file));
                }
            }
            assertEquals(3, texts.size());
        }
        String all = String.join("\n", texts);
        // it was there, and at every level
        assertTrue(all.contains("listening on"), all);
        assertTrue(all.toLowerCase(Locale.ROOT).contains("debug"), all);
        assertTrue(all.contains("script failed"), all);
        assertTrue(all.contains("before=info level=debug"), all);
        assertEquals(to != LogTo.CONSOLE, all.contains("/v1/topics/seen/jobs"), all);
        assertEquals(to != LogTo.CONSOLE, all.contains("/v1/login"), all);
        for (String secret :
                Stream.concat(Stream.of(HUSH, HASH), sessions.stream()).toList()) {
            all.lines()
                    .filter(line -> line.contains(secret))
                    .forEach(line -> fail(to + " tells " + secret + ": " + line));
        }
        if (to == LogTo.JSON) {
            all.lines().filter(line -> !line.isEmpty()).forEach(JsonObject::new);
        }
    }

    private Path logs(LogTo to) {
        return dir.resolve("logs-" + name(to));
    }

    private static String name(LogTo to) {
        return to.name().toLowerCase(Locale.ROOT);
    }

    private HttpResponse<String> call(ChildServer server, String method, String path, String json) throws Exception {
        return http.send(request(server, method, path, json).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(ChildServer server, String method, String path, String json) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .timeout(LIMIT)
                .setHeader("Authorization", "Bearer " + TOKEN)
                .method(
                        method,
                        json == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(json));
        return json == null ? request : request.setHeader("Content-Type", "application/json");
    }
}
