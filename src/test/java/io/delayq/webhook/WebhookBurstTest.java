package io.delayq.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import io.delayq.webhook.Receiver.Call;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many callbacks due at one instant, to one receiver on this machine. */
class WebhookBurstTest {
    private static final String SECRET = "a secret of the burst";

    @Test
    void two_thousand_at_once_are_all_called_and_signed() throws Exception {
        check(2_000, 200, 0);
    }

    @Test
    @Tag("storm")
    void ten_thousand_at_once_are_called_at_3000_a_second() throws Exception {
        check(10_000, 3_000, 15_000);
    }

    private static void check(int count, int leastRate, int warmUp) throws Exception {
        try (TestServer server = TestServer.start(WebhookPathTest::local);
                Receiver shop = Receiver.answering(200, "ok")) {
            server.send("PUT", "/v1/topics/burst", "{\"webhook\":{\"secrets\":[\"" + SECRET + "\"]}}");
            if (warmUp > 0) {
                push(server, shop, "warm", warmUp, 0);
                TestRedis.await("the warm-up", Duration.ofSeconds(60), () -> shop.count() == warmUp);
            }
            long due = System.currentTimeMillis() + 2_000 + count / 5;
            push(server, shop, "j", count, due);
            assertTrue(System.currentTimeMillis() < due, "pushing took too long for a burst");
            TestRedis.await("the instant", () -> System.currentTimeMillis() >= due);
            long cpu = cpuNanos();
            TestRedis.await("the calls", Duration.ofSeconds(60), () -> shop.count() >= warmUp + count);
            cpu = cpuNanos() - cpu;
            List<Call> calls = shop.calls().subList(warmUp, warmUp + count);
            long last = calls.stream().mapToLong(Call::millis).max().orElseThrow();
            long rate = count * 1_000L / Math.max(1, last - due);
            System.out.printf(
                    "%,d callbacks due at once: %,d ms, %,d a second, %d µs of this process each, receiver included%n",
                    count, last - due, rate, cpu / 1_000 / count);
            for (Call call : calls) {
                String signed = call.header("webhook-id") + "." + call.header("webhook-timestamp") + "." + call.body();
                assertEquals(
                        "v1," + WebhookPathTest.hmac(SECRET.getBytes(StandardCharsets.UTF_8), signed),
                        call.header("webhook-signature"));
            }
            assertEquals(
                    count,
                    calls.stream()
                            .map(call -> call.header("delayq-id"))
                            .distinct()
                            .count());
            TestRedis.await("their end", Duration.ofSeconds(20), () -> {
                JsonObject counts = server.get("/v1/topics/burst").json();
                return counts.getInteger("ready") + counts.getInteger("delayed") + counts.getInteger("reserved") == 0;
            });
            assertEquals(warmUp + count, shop.count(), "called once each");
            assertTrue(rate >= leastRate, rate + " a second");
        }
    }

    /** What this process has used of all processors; tells what a busy machine can do when it is not. */
    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static void push(TestServer server, Receiver shop, String prefix, int count, long at) {
        for (int from = 0; from < count; from += 1_000) {
            JsonArray jobs = new JsonArray();
            for (int i = from; i < Math.min(count, from + 1_000); i++) {
                jobs.add(new JsonObject()
                        .put("topic", "burst")
                        .put("id", prefix + i)
                        .put("at", at)
                        .put("body", new JsonObject().put("n", i))
                        .put("callback", new JsonObject().put("url", shop.url("/"))));
            }
            assertEquals(
                    jobs.size(), server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
        }
    }
}
