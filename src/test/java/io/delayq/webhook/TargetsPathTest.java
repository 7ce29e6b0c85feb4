package io.delayq.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.AllowList;
import io.delayq.config.Allowed;
import io.delayq.config.Settings;
import io.delayq.http.TargetsTest;
import io.delayq.path.TestServer;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where callbacks may go, from the push to the call, with a name server that lies. */
class TargetsPathTest {
    private static final String PUBLIC = "93.184.215.14";
    private static final Map<String, String> NAMES = new ConcurrentHashMap<>();
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = start(AllowList.NONE);
    }

    private static TestServer start(AllowList allow) {
        return TestServer.start(
                settings -> settings.withWebhook(new Settings.Webhook(allow, 10)), TargetsPathTest::resolve);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Future<List<InetAddress>> resolve(String name) {
        String address = NAMES.get(name);
        try {
            return address == null
                    ? Future.failedFuture("no such name")
                    : Future.succeededFuture(List.of(InetAddress.getByName(address)));
        } catch (UnknownHostException e) {
            return Future.failedFuture(e);
        }
    }

    static List<String> forbidden() {
        return TargetsTest.forbidden();
    }

    @ParameterizedTest
    @MethodSource("forbidden")
    void a_forbidden_host_is_refused_at_push(String host) {
        assertRefused(server.post("/v1/topics/t/jobs", job("http://" + host + "/")));
    }

    @Test
    void a_name_that_leads_inside_is_refused_wherever_it_comes_in() {
        NAMES.put("inside.example", "169.254.169.254");
        String callback = job("http://inside.example/");
        assertRefused(server.post("/v1/topics/t/jobs", callback));
        assertRefused(server.send("PUT", "/v1/topics/t/jobs/1", callback));
        assertRefused(server.send("PUT", "/v1/topics/t", callback));
        JsonArray many = new JsonArray().add(new JsonObject(callback).put("topic", "t"));
        JsonObject row = server.post("/v1/jobs", many.encode())
                .json()
                .getJsonArray("results")
                .getJsonObject(0);
        assertEquals(400, row.getInteger("status"));
        assertEquals(
                "/callback/url expected a host on the public internet, but inside.example has a link-local address; the"
                        + " setting webhook.allow opens others",
                row.getString("detail"));
    }

    @Test
    void a_name_that_is_not_found_is_taken_and_fails_at_the_call() {
        server.push(
                "unknown",
                "{\"id\":\"1\",\"retry\":{\"maxAttempts\":1},"
                        + job("http://nowhere.example/").substring(1));
        assertEquals(
                "no address was found for nowhere.example",
                dead(server, "unknown").getString("lastError"));
    }

    @Test
    void a_name_that_was_public_at_push_and_is_loopback_at_the_call_is_refused_at_the_call() {
        try (Receiver inside = Receiver.answering(200, "")) {
            NAMES.put("rebound.example", PUBLIC);
            String url = "http://rebound.example:" + inside.port() + "/";
            server.push(
                    "rebound",
                    "{\"id\":\"1\",\"delay\":\"500ms\",\"retry\":{\"maxAttempts\":2,\"backoff\":[\"50ms\"]},"
                            + job(url).substring(1));
            NAMES.put("rebound.example", "127.0.0.1");
            JsonObject job = dead(server, "rebound");
            assertEquals(
                    "expected a host on the public internet, but rebound.example has a loopback address; the setting"
                            + " webhook.allow opens others",
                    job.getString("lastError"));
            assertEquals(2, job.getJsonArray("log").size());
            assertEquals(0, inside.count());
        }
    }

    @Test
    void the_address_that_was_checked_is_called_under_its_name() {
        NAMES.put("shop.example", "127.0.0.1");
        for (AllowList allow : List.of(Allowed.of("127.0.0.0/8"), Allowed.of("shop.example"))) {
            try (Receiver shop = Receiver.answering(200, "");
                    TestServer open = start(allow)) {
                open.push("named", job("http://Shop.Example.:" + shop.port() + "/"));
                TestRedis.await("the call", Duration.ofSeconds(10), () -> shop.count() == 1);
                assertEquals(
                        "shop.example:" + shop.port(),
                        shop.calls().get(0).header("host").toLowerCase());
            }
        }
    }

    private static String job(String url) {
        return "{\"callback\":{\"url\":\"" + url + "\"}}";
    }

    private static void assertRefused(Reply reply) {
        assertEquals(400, reply.status(), reply.text());
        assertEquals("/problems/invalid-request", reply.type());
        JsonObject error = reply.json().getJsonArray("errors").getJsonObject(0);
        assertEquals("/callback/url", error.getString("pointer"));
        assertTrue(error.getString("detail").startsWith("expected "), reply.text());
    }

    private static JsonObject dead(TestServer server, String topic) {
        String path = "/v1/topics/" + topic + "/jobs/1";
        TestRedis.await("its death", Duration.ofSeconds(10), () -> "dead"
                .equals(server.get(path).json().getString("state")));
        return server.get(path).json();
    }
}
