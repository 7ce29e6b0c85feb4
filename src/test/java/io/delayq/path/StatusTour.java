package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.delayq.config.Settings;
import io.delayq.redis.TestRedis;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;

/**
 * Makes every operation answer with every status that openapi.yaml gives it, by asking for it rather than by chance. What
 * is sent is what the description has as its examples.
 */
final class StatusTour {
    private static final String RIGHTS_PART = "POST /v1/login";
    private static final String SECRET = "tour-secret";
    private static final String BCRYPT = "$2a$04$H1x2NCL15fiCPPDhL4KCj.LPck/K6e84faDWwWxh3VRpveeLw10cm";
    private static final int TRIES = 100;
    private static final int AT_ONCE = 16;

    private final OpenApi description;
    private final Set<String> served;
    /** Told together: a run takes seconds. */
    private final List<String> wrong = Collections.synchronizedList(new ArrayList<>());

    /**
     * @param description remembers what it has seen
     * @param served methods and paths; what is described but not served yet is left out
     */
    StatusTour(OpenApi description, Set<String> served) {
        this.description = description;
        this.served = served;
    }

    boolean isServed(OpenApi.Operation operation) {
        return served.contains(operation.method() + " " + operation.path());
    }

    /** Whether the part that limits requests is there. */
    boolean hasLimits() {
        return served.contains(RIGHTS_PART);
    }

    void run() {
        try (TestServer server = TestServer.start()) {
            fine(server);
            refused(server);
            unknown(server);
        }
        try (TestServer server = TestServer.start(set -> with(set, set.http(), set.instances(), token(0)))) {
            unasked(server);
        }
        slow();
        elsewhere();
        if (hasLimits()) {
            limited();
        }
        storeTrouble();
        stopping();
        assertEquals("", String.join("\n", wrong));
    }

    // ---- as it should be

    private void fine(TestServer server) {
        call(server, 200, "PUT /v1/topics/{topic}");
        call(server, 201, "POST /v1/topics/{topic}/jobs");
        call(server, 409, "POST /v1/topics/{topic}/jobs");
        call(server, 200, "PUT /v1/topics/{topic}/jobs/{id}");
        call(server, 204, "DELETE /v1/topics/{topic}/jobs/{id}");
        call(server, 201, "PUT /v1/topics/{topic}/jobs/{id}");
        call(server, 200, "GET /v1/topics/{topic}/jobs/{id}");
        call(server, 200, "PATCH /v1/topics/{topic}/jobs/{id}");
        consumed(server);
        many(server);
        aTopic(server);
        operations(server);
        pages(server);
        if (hasLimits()) {
            session();
        }
    }

    private void consumed(TestServer server) {
        callWith(server, 200, "PATCH /v1/topics/{topic}/jobs/{id}", "{\"delay\":0}");
        String lease = lease(server);
        call(server, 409, "PATCH /v1/topics/{topic}/jobs/{id}");
        callWith(server, 200, "POST /v1/topics/{topic}/jobs/{id}/extend", lease);
        callWith(server, 200, "POST /v1/topics/{topic}/jobs/{id}/nack", lease.replace("}", ",\"delay\":0}"));
        callWith(server, 204, "POST /v1/topics/{topic}/jobs/{id}/ack", lease(server));
        for (String how : List.of("ack", "nack", "extend")) {
            callWith(server, 409, "POST /v1/topics/{topic}/jobs/{id}/" + how, lease);
        }
        call(server, 200, "POST /v1/topics/{topic}/acks");
        send(
                server,
                101,
                request("GET /v1/ws", null, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
                        .replace("\r\n\r\n", "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"));
    }

    private String lease(TestServer server) {
        String text = call(server, 200, "POST /v1/topics/{topic}/reserve").text();
        return "{\"lease\":\"" + OpenApi.json(text).at("/jobs/0/lease").asText() + "\"}";
    }

    private void many(TestServer server) {
        call(server, 200, "POST /v1/jobs");
        JsonNode content = operation("POST /v1/jobs").node().at("/requestBody/content");
        String lines = content.get("application/x-ndjson").get("example").asText();
        send(server, 200, request("POST /v1/jobs", lines, "Content-Type: application/x-ndjson"));
        call(server, 200, "GET /v1/topics/{topic}/jobs");
        call(server, 200, "GET /v1/topics/{topic}/forecast");
        call(server, 200, "GET /v1/export");
        call(server, 200, "POST /v1/topics/{topic}/dead/requeue");
        call(server, 200, "DELETE /v1/topics/{topic}/groups/{group}");
        call(server, 200, "DELETE /v1/topics/{topic}/jobs");
    }

    private void aTopic(TestServer server) {
        call(server, 200, "GET /v1/topics");
        call(server, 200, "GET /v1/topics/{topic}");
        call(server, 204, "POST /v1/topics/{topic}/pause");
        call(server, 204, "POST /v1/topics/{topic}/resume");
        call(server, 200, "DELETE /v1/topics/{topic}");
    }

    private void operations(TestServer server) {
        for (String name : List.of(
                "GET /v1/servers",
                "GET /v1/connections",
                "GET /v1/log",
                "GET /metrics",
                "GET /health/live",
                "GET /health/ready")) {
            callIfServed(server, name);
        }
        if (served.contains("PUT /v1/log")) {
            callWith(server, 200, "PUT /v1/log", "{\"level\":\"info\"}");
        }
        if (served.contains("GET /v1/events")) {
            try (RawHttp http = new RawHttp(server.port())) {
                String request = request("GET /v1/events", null);
                seen(200, request, http.send(request).readUntil("event: sample"));
            }
        }
    }

    private void pages(TestServer server) {
        for (String name : List.of("GET /openapi.yaml", "GET /asyncapi.yaml", "GET /docs", "GET /problems/{name}")) {
            callIfServed(server, name);
        }
        if (served.contains("GET /")) {
            String tag = call(server, 200, "GET /").header("ETag");
            send(server, 304, request("GET /", null, "If-None-Match: " + tag));
        }
    }

    private void session() {
        try (TestServer server = TestServer.start(set -> with(set, set.http(), set.instances(), token(0)))) {
            call(server, 200, "GET /v1/session");
            call(server, 200, "POST /v1/login");
            call(server, 204, "POST /v1/logout");
            String wrong = "{\"user\":\"ada\",\"password\":\"guessed\"}";
            callWith(server, 401, "POST /v1/login", wrong);
            until(429, () -> once(server, request("POST /v1/login", wrong)));
        }
    }

    // ---- refused

    private void refused(TestServer server) {
        each(400, operation -> send(server, 400, request(name(operation), body(operation), "Host: localhost:x")));
        each(
                403,
                operation ->
                        send(server, 403, request(name(operation), body(operation), "Origin: http://evil.example")));
        each(413, operation -> send(server, 413, request(name(operation), null, "Content-Length: 100000000")));
        each(415, operation -> send(server, 415, request(name(operation), body(operation), "Content-Encoding: gzip")));
        String large = "X-Large: " + "x".repeat(9_000);
        each(431, operation -> send(server, 431, request(name(operation), body(operation), large)));
    }

    private void unasked(TestServer server) {
        each(401, operation -> {
            if (!operation.node().get("security").isEmpty()) {
                send(server, 401, request(name(operation), body(operation)));
            }
        });
    }

    /** The topic of the examples is gone by now. */
    private void unknown(TestServer server) {
        each(404, operation -> {
            String reference = operation.responses().get("404").get("$ref").asText();
            if (reference.endsWith("/TopicNotFound") || reference.endsWith("/JobNotFound")) {
                // only with a topic does an export ask for one
                send(
                        server,
                        404,
                        request(name(operation), body(operation)).replace("/export ", "/export?topic=order "));
            } else if (reference.endsWith("/NotFound")) {
                send(server, 404, request(name(operation), null).replace("job-exists", "no-such-thing"));
            }
        });
    }

    private void elsewhere() {
        Settings.Instances few = new Settings.Instances(1, 1, 0, 0, 0);
        try (TestServer server = TestServer.start(set -> with(set, set.http(), few, List.of()))) {
            each(404, operation -> {
                if (operation.responses().get("404").toString().contains("/NotThisServer")) {
                    send(server, 404, request(name(operation), body(operation)));
                }
            });
        }
    }

    private void slow() {
        Settings.Http usual = Settings.defaults().http();
        Settings.Http hasty = new Settings.Http(usual.host(), 0, usual.maxConnections(), usual.idleMillis(), 300);
        try (TestServer server = TestServer.start(set -> with(set, hasty, set.instances(), List.of()))) {
            atOnce(
                    408,
                    operation -> true,
                    operation -> send(server, 408, request(name(operation), null, "Content-Length: 5")));
        }
    }

    private void limited() {
        try (TestServer server = TestServer.start(set -> with(set, set.http(), set.instances(), token(1)))) {
            each(429, operation -> {
                if (!operation.node().get("security").isEmpty()) {
                    String request = request(name(operation), body(operation), "Authorization: Bearer " + SECRET);
                    until(429, () -> once(server, request));
                }
            });
        }
    }

    // ---- a store that is full, broken or away

    private void storeTrouble() {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
                TestServer server = Wire.server(http -> http, redis.url())) {
            call(server, 200, "PUT /v1/topics/{topic}");
            call(server, 201, "POST /v1/topics/{topic}/jobs");
            redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
            redis.command("CONFIG", "SET", "maxmemory", "1");
            each(
                    507,
                    operation -> send(
                            server,
                            507,
                            request(name(operation), body(operation)).replace("\"1001\"", "\"1002\"")));
            redis.command("CONFIG", "SET", "maxmemory", "0");
            // so that there is something of a lease to be spoilt
            callWith(server, 200, "PATCH /v1/topics/{topic}/jobs/{id}", "{\"delay\":0}");
            lease(server);
            spoil(redis, server.settings.namespace());
            atOnce(500, operation -> true, operation -> send(server, 500, request(name(operation), body(operation))));
            redis.command("FLUSHALL");
            redis.kill();
            TestRedis.await("not ready", () -> server.get("/health/ready").status() == 503);
            callAway(server);
            // without it the server would wait for it when it stops
            redis.restart();
            TestRedis.await("ready", () -> server.get("/health/ready").status() == 200);
        }
    }

    /** Nothing in the store is what it should be. */
    private static void spoil(TestRedis redis, String namespace) {
        List<?> page = (List<?>) redis.command("SCAN", "0", "MATCH", "{" + namespace + "*", "COUNT", "100000");
        for (Object key : (List<?>) page.get(1)) {
            redis.command("SET", key.toString(), "spoilt");
        }
    }

    private void callAway(TestServer server) {
        send(server, 503, request("GET /health/ready", null));
        atOnce(503, StatusTour::needsStore, operation -> {
            // a consumer that waits is told only when its wait is over
            String body = operation.id().equals("reserveJobs") ? null : body(operation);
            send(server, 503, request(name(operation), body));
        });
    }

    private static boolean needsStore(OpenApi.Operation operation) {
        String reference = operation.responses().get("503").path("$ref").asText();
        return reference.endsWith("/StoreAway") || reference.endsWith("/NotStored");
    }

    /** A request that does not come to its end keeps the server from stopping at once. */
    private void stopping() {
        Settings.Instances one = new Settings.Instances(1, 1, 1, 1, 0);
        TestServer server = TestServer.start(set -> with(set, set.http(), one, List.of()));
        CompletableFuture<Void> closed;
        try (RawHttp unfinished = new RawHttp(server.port())) {
            unfinished.send(request("POST /v1/jobs", null, "Content-Length: 5"));
            unfinished.send("[");
            // it is under way for sure once a later one is answered
            call(server, 200, "GET /v1/servers");
            closed = CompletableFuture.runAsync(server::close);
            TestRedis.await("stopping", () -> once(server, request("GET /health/ready", null)) == 503);
            each(503, operation -> {
                if (!operation.node().get("security").isEmpty() && !needsStore(operation)) {
                    send(server, 503, request(name(operation), body(operation)));
                }
            });
        }
        TestServer.await(closed);
    }

    // ---- how

    private interface Step {
        void take(OpenApi.Operation operation);
    }

    /** For every operation that is served and may answer so. */
    private void each(int status, Step step) {
        description.operations().values().stream()
                .filter(this::isServed)
                .filter(operation -> operation.responses().has(Integer.toString(status)))
                .forEach(step::take);
    }

    private void atOnce(int status, Predicate<OpenApi.Operation> which, Step step) {
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<CompletableFuture<Void>> steps = new ArrayList<>();
            each(status, operation -> {
                if (which.test(operation)) {
                    steps.add(CompletableFuture.runAsync(() -> step.take(operation), threads));
                }
            });
            steps.forEach(TestServer::await);
        } finally {
            threads.shutdownNow();
        }
    }

    private interface Call {
        int status();
    }

    private void until(int status, Call call) {
        for (int i = 0; i < TRIES; i++) {
            if (call.status() == status) {
                return;
            }
        }
        wrong.add("never answered " + status);
    }

    private void callIfServed(TestServer server, String name) {
        if (served.contains(name)) {
            call(server, 200, name);
        }
    }

    private RawHttp.Answer call(TestServer server, int status, String name) {
        return send(server, status, request(name, body(operation(name))));
    }

    private RawHttp.Answer callWith(TestServer server, int status, String name, String body) {
        return send(server, status, request(name, body));
    }

    private RawHttp.Answer send(TestServer server, int status, String request) {
        RawHttp.Answer answer = RawHttp.once(server.port(), request);
        seen(status, request, answer);
        return answer;
    }

    private int once(TestServer server, String request) {
        RawHttp.Answer answer = RawHttp.once(server.port(), request);
        seen(answer.status(), request, answer);
        return answer.status();
    }

    private void seen(int status, String request, RawHttp.Answer answer) {
        if (answer.status() != status) {
            wrong.add("expected " + status + ", got " + answer.status() + " " + answer.text() + " of " + request);
        }
        try {
            description.check(RawHttp.exchange(request, answer));
        } catch (AssertionError e) {
            wrong.add(e.getMessage());
        }
    }

    private OpenApi.Operation operation(String name) {
        return description.operations().get(name);
    }

    private static String name(OpenApi.Operation operation) {
        return operation.method() + " " + operation.path();
    }

    /** The first example; null if it takes none. */
    private String body(OpenApi.Operation operation) {
        JsonNode rule = description.resolved(operation.node().path("requestBody"));
        if (rule.isMissingNode()) {
            return null;
        }
        JsonNode content = rule.get("content").get("application/json");
        JsonNode example = content.has("example")
                ? content.get("example")
                : content.get("examples").elements().next().get("value");
        return example.toString();
    }

    /** With the examples of its parameters in the path. */
    private String request(String name, String body, String... headers) {
        OpenApi.Operation operation = operation(name);
        String path = operation.path();
        for (JsonNode parameter : operation.parameters()) {
            path = path.replace(
                    "{" + parameter.get("name").asText() + "}",
                    parameter.path("example").asText());
        }
        return RawHttp.request(operation.method(), path, body, headers);
    }

    private static Settings with(
            Settings set, Settings.Http http, Settings.Instances instances, List<Settings.Token> tokens) {
        return new Settings(
                http,
                set.dataDir(),
                set.redis(),
                set.namespace(),
                set.buckets(),
                instances,
                tokens,
                set.insecure(),
                set.frontEnds(),
                set.intakeList(),
                set.webhook(),
                tokens.isEmpty() ? List.of() : List.of(new Settings.User("ada", BCRYPT, true)),
                set.log());
    }

    private static List<Settings.Token> token(int requestsPerSecond) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(SECRET.getBytes(StandardCharsets.UTF_8));
            return List.of(new Settings.Token(
                    "tour",
                    HexFormat.of().formatHex(hash),
                    List.of("push", "consume", "admin"),
                    List.of("*"),
                    requestsPerSecond));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
