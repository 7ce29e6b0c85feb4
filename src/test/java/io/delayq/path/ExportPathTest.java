package io.delayq.path;

import static io.delayq.path.Wire.job;
import static io.delayq.path.Wire.problem;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** All jobs as lines that can be pushed again. */
class ExportPathTest {
    private static TestServer server;
    private static TestServer other;

    private final String topic = Wire.topic();

    @BeforeAll
    static void start() {
        server = TestServer.start();
        other = TestServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
        other.close();
    }

    @Test
    void a_topic_that_is_not_there_and_parameters_that_are_not_known_are_refused() {
        problem(404, "topic-not-found", server.get("/v1/export?topic=" + topic));
        problem(400, "invalid-request", server.get("/v1/export?state=dead"));
        problem(400, "invalid-request", server.get("/v1/export?topic=a%20b"));
        problem(400, "invalid-request", server.get("/v1/export?topic=a&topic=a"));
    }

    @Test
    void delayed_ready_and_reserved_jobs_come_and_no_others() {
        server.push(topic, "{\"id\":\"reserved\"}");
        server.reserve(topic, 1, "5s");
        server.push(topic, "{\"id\":\"dead\",\"retry\":{\"maxAttempts\":1}}");
        JsonObject dead = server.reserve(topic, 1, "5s").job(0);
        assertEquals(200, server.settle("nack", dead, "").status());
        server.push(topic, "{\"id\":\"delayed\",\"delay\":\"1h\"}");
        server.push(topic, "{\"id\":\"ready\"}");
        assertEquals(Set.of("delayed", "ready", "reserved"), ids(lines(server, "?topic=" + topic)));
    }

    @Test
    void a_job_comes_with_its_own_rules_only() {
        server.push(topic, "{\"id\":\"plain\",\"at\":2051222400000}");
        server.push(
                topic,
                "{\"id\":\"rich\",\"at\":2051222400000,\"body\":{\n\"a\":\n1.50},\"ttr\":\"5s\",\"priority\":\"high\","
                        + "\"retry\":{\"maxAttempts\":3},\"ttl\":\"1h\",\"group\":\"g\","
                        + "\"callback\":{\"url\":\"http://shop.example/\",\"headers\":{\"X-App\":\"shop\"}}}");
        List<String> lines = lines(server, "?topic=" + topic);
        lines.sort(Comparator.comparing(line -> new JsonObject(line).getString("id")));
        assertEquals("{\"topic\":\"" + topic + "\",\"id\":\"plain\",\"at\":2051222400000,\"body\":null}", lines.get(0));
        assertEquals(
                "{\"topic\":\"" + topic
                        + "\",\"id\":\"rich\",\"at\":2051222400000,\"ttr\":5000,\"retry\":{\"maxAttempts\":3},"
                        + "\"priority\":\"high\",\"ttl\":3600000,\"group\":\"g\",\"callback\":{\"url\":\"http://shop.example/\","
                        + "\"method\":\"POST\",\"headers\":{\"X-App\":\"shop\"}},\"body\":{ \"a\": 1.50}}",
                lines.get(1));
    }

    @Test
    void what_was_exported_is_the_same_after_an_import() throws Exception {
        StringBuilder jobs = new StringBuilder();
        for (int i = 0; i < 3_000; i++) {
            jobs.append("{\"topic\":\"")
                    .append(topic)
                    .append(i % 3)
                    .append("\",\"id\":\"")
                    .append(i)
                    .append("\",\"delay\":\"")
                    .append(1 + i % 50)
                    .append("h\",\"body\":")
                    .append(i)
                    .append("}\n");
        }
        assertTrue(push(server, jobs.toString()).endsWith("{\"accepted\":3000,\"rejected\":0}\n"));
        List<String> exported = lines(server, "");
        exported.removeIf(line -> !new JsonObject(line).getString("topic").startsWith(topic));
        assertEquals(3_000, exported.size());
        assertEquals(3_000, new TreeSet<>(exported).size());
        String lines = String.join("\n", exported);
        assertTrue(push(other, lines).endsWith("{\"accepted\":3000,\"rejected\":0}\n"));
        assertEquals(new TreeSet<>(exported), new TreeSet<>(lines(other, "")));
        assertEquals(
                server.get(job(topic + "0", "42")).json().getLong("due"),
                other.get(job(topic + "0", "42")).json().getLong("due"));
        // a second time changes nothing
        assertTrue(push(other, lines).endsWith("{\"accepted\":0,\"rejected\":3000}\n"));
    }

    @Test
    void a_token_gets_only_its_topics() throws Exception {
        Settings.Token token = new Settings.Token("mine", sha256("secret"), List.of("push", "admin"), List.of("mine*"));
        Settings.Token all = new Settings.Token("all", sha256("other"), List.of("push", "admin"), List.of("*"));
        try (TestServer own = TestServer.start(set -> new Settings(
                set.http(),
                set.dataDir(),
                set.redis(),
                set.namespace(),
                set.buckets(),
                set.instances(),
                List.of(token, all),
                set.insecure()))) {
            for (String name : List.of("mine", "mine2", "yours")) {
                own.raw(request(own, "/v1/topics/" + name + "/jobs", "other")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"delay\":\"1h\"}"))
                        .build());
            }
            HttpResponse<String> pushed = own.raw(request(own, "/v1/jobs", "secret")
                    .header("Content-Type", "application/x-ndjson")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"topic\":\"yours\"}\n{\"topic\":\"mine\"}"))
                    .build());
            assertEquals(
                    List.of(403, 201),
                    pushed.body()
                            .lines()
                            .limit(2)
                            .map(line -> new JsonObject(line).getInteger("status"))
                            .toList());
            HttpResponse<String> answer =
                    own.raw(request(own, "/v1/export", "secret").build());
            assertEquals(
                    Set.of("mine", "mine2"),
                    answer.body()
                            .lines()
                            .map(line -> new JsonObject(line).getString("topic"))
                            .collect(java.util.stream.Collectors.toSet()));
            assertEquals(
                    403,
                    own.raw(request(own, "/v1/export?topic=yours", "secret").build())
                            .statusCode());
        }
    }

    @Test
    void an_export_without_any_job_is_empty_and_complete() {
        try (TestServer own = TestServer.start()) {
            TestServer.Reply reply = own.get("/v1/export");
            assertEquals(200, reply.status());
            assertEquals("", reply.text());
            assertEquals(
                    "application/x-ndjson",
                    reply.response().headers().firstValue("Content-Type").orElse(""));
        }
    }

    @Test
    void an_export_that_cannot_go_on_is_cut_off() throws Exception {
        TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
        try (TestServer own = Wire.server(http -> http, redis.url())) {
            String body = "x".repeat(200_000);
            StringBuilder jobs = new StringBuilder();
            for (int i = 0; i < 200; i++) {
                jobs.append("{\"topic\":\"t\",\"delay\":\"1h\",\"body\":\"")
                        .append(body)
                        .append("\"}\n");
            }
            assertTrue(push(own, jobs.toString()).endsWith("{\"accepted\":200,\"rejected\":0}\n"));
            HttpResponse<java.io.InputStream> answer = java.net.http.HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + own.port() + "/v1/export"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofInputStream());
            assertEquals(200, answer.statusCode());
            // 40 MB do not fit between the two; the rest cannot come any more
            answer.body().readNBytes(100_000);
            redis.kill();
            assertThrows(IOException.class, () -> answer.body().readAllBytes());
            problem(503, "store-unavailable", own.get("/v1/export"));
        } finally {
            redis.close();
        }
    }

    private static List<String> lines(TestServer from, String query) {
        TestServer.Reply reply = from.get("/v1/export" + query);
        assertEquals(200, reply.status(), reply.text());
        assertFalse(reply.text().contains("\n\n"));
        return new ArrayList<>(reply.text().lines().toList());
    }

    private static Set<String> ids(List<String> lines) {
        return lines.stream()
                .map(line -> new JsonObject(line).getString("id"))
                .collect(java.util.stream.Collectors.toSet());
    }

    private static String push(TestServer to, String lines) throws Exception {
        return to.raw(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + to.port() + "/v1/jobs"))
                        .header("Content-Type", "application/x-ndjson")
                        .POST(HttpRequest.BodyPublishers.ofString(lines))
                        .build())
                .body();
    }

    private static HttpRequest.Builder request(TestServer to, String path, String secret) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + to.port() + path))
                .header("Authorization", "Bearer " + secret);
    }

    private static String sha256(String secret) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8)));
    }
}
