package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import at.favre.lib.crypto.bcrypt.BCrypt;
import io.delayq.config.Settings;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** What the tests of the wire contract have in common. */
final class Wire {
    private static final AtomicInteger topics = new AtomicInteger();

    private Wire() {}

    /** A topic that nobody has used. */
    static String topic() {
        return "topic-" + topics.incrementAndGet();
    }

    static String jobs(String topic) {
        return "/v1/topics/" + topic + "/jobs";
    }

    static String job(String topic, String id) {
        return jobs(topic) + "/" + TestServer.encode(id);
    }

    /** A server with other HTTP settings. */
    static TestServer server(UnaryOperator<Settings.Http> change, String redisUrl) {
        Settings set = TestServer.settings(redisUrl);
        return TestServer.start(ignored -> new Settings(
                change.apply(set.http()),
                set.dataDir(),
                set.redis(),
                set.namespace(),
                set.buckets(),
                set.instances(),
                set.tokens(),
                set.insecure()));
    }

    /** The same with these callers. */
    static Settings with(Settings set, Settings.Http http, List<Settings.Token> tokens, List<Settings.User> users) {
        return new Settings(
                http,
                set.dataDir(),
                set.redis(),
                set.namespace(),
                set.buckets(),
                set.instances(),
                tokens,
                set.insecure(),
                set.frontEnds(),
                set.intakeList(),
                set.webhook(),
                users,
                set.log());
    }

    static Settings.Token token(String secret, int requestsPerSecond, String... rights) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return new Settings.Token(
                    secret + "-token",
                    HexFormat.of().formatHex(hash),
                    List.of(rights),
                    List.of("*"),
                    requestsPerSecond);
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    static Settings.User user(String name, String password, boolean admin) {
        return new Settings.User(name, BCrypt.withDefaults().hashToString(4, password.toCharArray()), admin);
    }

    /** The cookie of a session, as a header line. */
    static String logIn(TestServer server, String user, String password) {
        TestServer.Reply reply =
                server.post("/v1/login", "{\"user\":\"" + user + "\",\"password\":\"" + password + "\"}");
        assertEquals(200, reply.status(), reply.text());
        String cookie = reply.response().headers().firstValue("Set-Cookie").orElseThrow();
        return "Cookie: " + cookie.split(";")[0];
    }

    /** Checks that an answer is this problem, whole and in its media type. */
    static JsonObject problem(int status, String type, TestServer.Reply reply) {
        String mediaType = reply.response().headers().firstValue("Content-Type").orElse("none");
        return problem(status, type, reply.status(), mediaType, reply.text());
    }

    static JsonObject problem(int status, String type, RawHttp.Answer answer) {
        return problem(status, type, answer.status(), answer.header("Content-Type"), answer.text());
    }

    private static JsonObject problem(int status, String type, int found, String mediaType, String text) {
        assertEquals(status, found, text);
        assertEquals("application/problem+json", mediaType, text);
        JsonObject problem = new JsonObject(text);
        assertEquals("/problems/" + type, problem.getString("type"), text);
        assertEquals(status, problem.getInteger("status"), text);
        assertFalse(problem.getString("title").isBlank(), text);
        assertFalse(problem.getString("detail").isBlank(), text);
        return problem;
    }

    static List<String> pointers(JsonObject problem) {
        return problem.getJsonArray("errors", new JsonArray()).stream()
                .map(fault -> {
                    assertFalse(((JsonObject) fault).getString("detail").isBlank(), problem.encode());
                    return ((JsonObject) fault).getString("pointer");
                })
                .toList();
    }

    /** All that the namespace of a server has in Redis but heartbeats, history and the answers kept for repeated calls. */
    static Map<String, String> stored(TestServer server) {
        TestRedis redis = TestRedis.shared();
        Map<String, String> found = new TreeMap<>();
        String cursor = "0";
        do {
            List<?> page = (List<?>)
                    redis.command("SCAN", cursor, "MATCH", "{" + server.settings.namespace() + "*", "COUNT", "10000");
            cursor = page.get(0).toString();
            for (Object key : (List<?>) page.get(1)) {
                if (!key.toString().matches(".*}:(call:.*|servers|history)")) {
                    Object value = redis.commandBytes(bytes("DUMP"), bytes(key.toString()));
                    found.put(key.toString(), Base64.getEncoder().encodeToString((byte[]) value));
                }
            }
        } while (!cursor.equals("0"));
        return found;
    }

    /** Reserves so many jobs; one answer may hold fewer than are ready. */
    static List<JsonObject> take(TestServer server, String topic, int count) {
        List<JsonObject> taken = new ArrayList<>();
        while (taken.size() < count) {
            JsonArray jobs = server.reserve(topic, count - taken.size(), "5s").jobs();
            assertFalse(jobs.isEmpty(), "only " + taken.size() + " of " + count + " came");
            jobs.forEach(job -> taken.add((JsonObject) job));
        }
        assertEquals(count, taken.size());
        return taken;
    }

    /** The sum of a metric's samples whose line holds all these texts. */
    static double metric(TestServer server, String name, String... labels) {
        return server.get("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .filter(line -> Arrays.stream(labels).allMatch(line::contains))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Waits until so many consumers are waiting in reserve. */
    static void awaitPolls(TestServer server, int count) {
        TestRedis.await(
                "waiting consumers: " + count,
                Duration.ofSeconds(10),
                () -> metric(server, "delayq_queue", "queue=\"polls\"") == count);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
