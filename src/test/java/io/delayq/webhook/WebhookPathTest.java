package io.delayq.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Allowed;
import io.delayq.config.Settings;
import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import io.delayq.webhook.Receiver.Call;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.function.BooleanSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The whole path of a callback: pushed over REST, called when it is due. */
class WebhookPathTest {
    private static final String KEY = Base64.getEncoder().encodeToString("a key of some bytes, 24 or".getBytes());
    private static final String PLAIN = "the other secret, plain";
    private static TestServer server;
    private static int topics;
    private final String topic = "hook" + ++topics;

    @BeforeAll
    static void start() {
        server = TestServer.start(WebhookPathTest::local);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    static Settings local(Settings settings) {
        return settings.withWebhook(new Settings.Webhook(Allowed.of("127.0.0.0/8"), 100));
    }

    @Test
    void a_job_is_called_with_its_body_when_it_is_due_and_is_gone() throws Exception {
        try (Receiver shop = Receiver.answering(200, "fine")) {
            settings("{\"webhook\":{\"secrets\":[\"whsec_" + KEY + "\",\"" + PLAIN + "\"]}}");
            long due = push("1001", shop.url("/close?x=1"), "\"delay\":\"300ms\",\"body\":{\"order\":1.50}");
            await("the call", () -> shop.count() == 1);
            Call call = shop.calls().get(0);
            assertTrue(call.millis() >= due && call.millis() < due + 500, call.millis() - due + " ms late");
            assertEquals("POST", call.method());
            assertEquals("/close?x=1", call.target());
            assertEquals("{\"order\":1.50}", call.body().toString());
            assertEquals("application/json", call.header("content-type"));
            assertEquals("127.0.0.1:" + shop.port(), call.header("host"));
            assertEquals(topic, call.header("delayq-topic"));
            assertEquals("1001", call.header("delayq-id"));
            assertEquals("1", call.header("delayq-attempt"));
            String signed = call.header("webhook-id") + "." + call.header("webhook-timestamp") + "." + call.body();
            assertEquals(
                    "v1," + hmac(Base64.getDecoder().decode(KEY), signed) + " v1,"
                            + hmac(PLAIN.getBytes(StandardCharsets.UTF_8), signed),
                    call.header("webhook-signature"));
            long said = 1_000 * Long.parseLong(call.header("webhook-timestamp"));
            assertTrue(Math.abs(call.millis() - said) < 3_000, said + " for " + call.millis());
            await("its end", () -> job("1001").status() == 404);
        }
    }

    @Test
    void a_topic_with_a_callback_has_its_jobs_called_and_none_reserved() {
        try (Receiver shop = Receiver.answering(204, "")) {
            settings("{\"callback\":{\"url\":\"" + shop.url("/all")
                    + "\",\"method\":\"PUT\",\"headers\":{\"X-App\":\"shop\"}},\"keepDone\":\"1h\"}");
            for (String priority : List.of("high", "normal", "low")) {
                server.push(topic, "{\"id\":\"" + priority + "\",\"priority\":\"" + priority + "\",\"delay\":100}");
            }
            push("own", shop.url("/own"), "\"body\":1");
            await("the calls", () -> shop.count() == 4);
            assertEquals("[]", server.reserve(topic, 10, "0s").jobs().encode());
            assertEquals(
                    List.of("POST/own", "PUT/all", "PUT/all", "PUT/all"),
                    shop.calls().stream()
                            .map(call -> call.method() + call.target())
                            .sorted()
                            .toList());
            await(
                    "their end",
                    () -> state("high").equals("done") && state("own").equals("done"));
            JsonObject entry = entries("high").getJsonObject(0);
            assertEquals("acked", entry.getString("outcome"));
            assertEquals(204, entry.getJsonObject("answer").getInteger("status"));
            assertEquals("127.0.0.1:" + shop.port(), entry.getString("by"));
            assertTrue(entry.getString("curl").contains("-H 'x-app: shop'"), entry.encode());
        }
    }

    @Test
    void jobs_that_were_ready_before_the_topic_had_a_callback_are_called_and_after_it_are_not() {
        try (Receiver shop = Receiver.answering(200, "")) {
            server.push(topic, "{\"id\":\"a\"}");
            settings("{\"callback\":{\"url\":\"" + shop.url("/") + "\"}}");
            await("the call", () -> shop.count() == 1);
            settings("{}");
            server.push(topic, "{\"id\":\"b\"}");
            assertEquals("b", server.reserve(topic, 1, "5s").job(0).getString("id"));
            assertEquals(1, shop.count());
        }
    }

    @Test
    void a_get_has_no_body_and_a_form_is_sent_as_it_is() {
        try (Receiver shop = Receiver.answering(200, "")) {
            push("get", shop.url("/"), "\"body\":{\"n\":1}", "\"method\":\"GET\"");
            push(
                    "form",
                    shop.url("/"),
                    "\"body\":\"a=1&b=%20\"",
                    "\"headers\":{\"Content-Type\":\"application/x-www-form-urlencoded\"}");
            await("the calls", () -> shop.count() == 2);
            Call get = call(shop, "get");
            assertEquals("GET", get.method());
            assertEquals("", get.body().toString());
            assertEquals("a=1&b=%20", call(shop, "form").body().toString());
        }
    }

    @Test
    void a_failed_call_is_made_again_by_the_jobs_backoff_until_it_is_dead() {
        try (Receiver shop = Receiver.answering(500, "it \"broke\"\n" + "x".repeat(5_000))) {
            push("1", shop.url("/"), "\"retry\":{\"maxAttempts\":3,\"backoff\":[\"200ms\",\"400ms\"]}");
            await("its death", () -> state("1").equals("dead"));
            List<Call> calls = shop.calls();
            assertEquals(
                    List.of("1", "2", "3"),
                    calls.stream().map(call -> call.header("delayq-attempt")).toList());
            assertEquals(
                    1,
                    calls.stream()
                            .map(call -> call.header("webhook-id"))
                            .distinct()
                            .count());
            assertBetween(200, 700, calls.get(1).millis() - calls.get(0).millis());
            assertBetween(400, 900, calls.get(2).millis() - calls.get(1).millis());
            JsonObject job = job("1").json();
            assertEquals("answered 500", job.getString("lastError"));
            assertEquals(3, job.getJsonArray("log").size());
            JsonObject entry = entries("1").getJsonObject(2);
            assertEquals("nacked", entry.getString("outcome"));
            assertEquals("answered 500", entry.getString("error"));
            JsonObject answer = entry.getJsonObject("answer");
            assertEquals(500, answer.getInteger("status"));
            assertEquals(2_048, answer.getString("body").length());
            assertTrue(answer.getString("body").startsWith("it \"broke\"\nxxx"));
            assertTrue(entry.getString("curl").startsWith("curl -g -X POST '" + shop.url("/") + "' -H "));
        }
    }

    @Test
    void the_command_in_the_log_makes_the_same_call_again() throws Exception {
        try (Receiver shop = Receiver.answering(500, "")) {
            push("it's", shop.url("/a?b='c'"), "\"body\":{\"it's\":\"é\"},\"retry\":{\"maxAttempts\":1}");
            await("its death", () -> state("it's").equals("dead"));
            String curl = entries("it's").getJsonObject(0).getString("curl");
            Process process = new ProcessBuilder("sh", "-c", curl + " -s -m 10").start();
            assertEquals(0, process.waitFor(), curl);
            assertEquals(2, shop.count());
            Call first = shop.calls().get(0);
            Call second = shop.calls().get(1);
            assertEquals(first.body(), second.body());
            assertEquals(first.target(), second.target());
            first.headers().forEach((name, value) -> assertEquals(value, second.header(name), name));
        }
    }

    @Test
    void gone_is_dead_at_once() {
        try (Receiver shop = Receiver.answering(410, "")) {
            push("1", shop.url("/"), "\"body\":1");
            await("its death", () -> state("1").equals("dead"));
            assertEquals(1, shop.count());
            assertEquals(1, entries("1").size());
        }
    }

    @Test
    void who_asks_for_time_gets_it() {
        try (Receiver shop = Receiver.http((request, call) -> request.response()
                .setStatusCode(503)
                .putHeader("Retry-After", "7")
                .end())) {
            push("1", shop.url("/"), "\"retry\":{\"backoff\":[0]}");
            await("the wait", () -> state("1").equals("delayed"));
            JsonObject job = job("1").json();
            long end = entries("1").getJsonObject(0).getLong("end");
            assertEquals(7_000, job.getLong("due") - end);
            assertEquals(1, shop.count());
        }
    }

    @Test
    void redirects_are_not_followed() {
        try (Receiver other = Receiver.answering(200, "");
                Receiver shop = Receiver.http((request, call) -> request.response()
                        .setStatusCode(302)
                        .putHeader("Location", other.url("/"))
                        .end())) {
            push("1", shop.url("/"), "\"retry\":{\"maxAttempts\":1}");
            await("its death", () -> state("1").equals("dead"));
            assertEquals(0, other.count());
            assertEquals(
                    "answered 302; redirects are not followed", job("1").json().getString("lastError"));
        }
    }

    @Test
    void success_is_what_the_topic_says() {
        try (Receiver shop =
                Receiver.http((request, call) -> request.response().end("{\"success\":" + call.body() + "}"))) {
            settings("{\"webhook\":{\"success\":\"success-true\"}}");
            push("good", shop.url("/"), "\"body\":true");
            push("bad", shop.url("/"), "\"body\":false,\"retry\":{\"maxAttempts\":1}");
            await("the end of one", () -> job("good").status() == 404);
            await("the death of the other", () -> state("bad").equals("dead"));
        }
    }

    @Test
    void a_call_takes_no_longer_than_the_lease_and_its_trace_goes_along() {
        try (Receiver shop = Receiver.http((request, call) -> {})) {
            String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
            push("1", shop.url("/"), "\"ttr\":\"1s\",\"retry\":{\"maxAttempts\":2,\"backoff\":[\"100ms\"]}");
            await("its death", () -> state("1").equals("dead"));
            JsonArray log = entries("1");
            assertEquals("nacked", log.getJsonObject(0).getString("outcome"), "and not lease-ended");
            assertTrue(log.getJsonObject(0).getString("error").matches("no answer within \\d{3} ms"), log.encode());
            assertNull(log.getJsonObject(0).getJsonObject("answer"));
            assertEquals(2, shop.count());
            assertFalse(trace.isEmpty());
        }
    }

    @Test
    void a_paused_topic_is_not_called_until_it_goes_on() {
        try (Receiver shop = Receiver.answering(200, "")) {
            settings("{}");
            server.send("POST", "/v1/topics/" + topic + "/pause", null);
            push("1", shop.url("/"), "\"body\":1");
            push("2", shop.url("/"), "\"delay\":\"200ms\"");
            await("both to be ready", () -> counts().getInteger("ready") == 2);
            assertEquals(0, shop.count());
            server.send("POST", "/v1/topics/" + topic + "/resume", null);
            await("the calls", () -> shop.count() == 2);
        }
    }

    @Test
    void a_limit_counts_for_calls_too() {
        try (Receiver shop = Receiver.http((request, call) -> request.response().end())) {
            settings("{\"ratePerSecond\":20,\"callback\":{\"url\":\"" + shop.url("/") + "\"}}");
            JsonArray jobs = new JsonArray();
            for (int i = 0; i < 60; i++) {
                jobs.add(new JsonObject().put("topic", topic).put("id", "j" + i));
            }
            assertEquals(60, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
            await("the calls", () -> shop.count() == 60);
            long[] times =
                    shop.calls().stream().mapToLong(Call::millis).sorted().toArray();
            assertBetween(1_800, 6_000, times[59] - times[0]);
        }
    }

    @Test
    void a_job_cancelled_during_its_call_stays_cancelled() {
        try (Receiver shop = Receiver.http((request, call) -> {
            server.send("DELETE", "/v1/topics/" + topic + "/jobs/1", null);
            request.response().setStatusCode(500).end();
        })) {
            push("1", shop.url("/"), "\"body\":1");
            await("the call", () -> shop.count() == 1);
            await("its end", () -> job("1").status() == 404);
        }
    }

    private static void assertBetween(long least, long most, long found) {
        assertTrue(found >= least && found <= most, found + " is not between " + least + " and " + most);
    }

    private void settings(String json) {
        assertEquals(200, server.send("PUT", "/v1/topics/" + topic, json).status());
    }

    private long push(String id, String url, String more) {
        return push(id, url, more, "\"method\":\"POST\"");
    }

    private long push(String id, String url, String more, String callback) {
        return server.push(
                        topic,
                        "{\"id\":\"" + id + "\",\"callback\":{\"url\":\"" + url + "\"," + callback + "}," + more + "}")
                .json()
                .getLong("due");
    }

    private TestServer.Reply job(String id) {
        return server.get("/v1/topics/" + topic + "/jobs/" + TestServer.encode(id));
    }

    private String state(String id) {
        return String.valueOf(job(id).json().getString("state"));
    }

    private JsonArray entries(String id) {
        return job(id).json().getJsonArray("log");
    }

    private JsonObject counts() {
        return server.get("/v1/topics/" + topic).json();
    }

    private static Call call(Receiver receiver, String id) {
        return receiver.calls().stream()
                .filter(call -> call.header("delayq-id").equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static void await(String what, BooleanSupplier condition) {
        TestRedis.await(what, Duration.ofSeconds(15), condition::getAsBoolean);
    }

    static String hmac(byte[] key, String text) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    }
}
