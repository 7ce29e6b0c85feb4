package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole path, as a user sees it: pushed over REST, back by long-poll when due. */
public class DeliveryPathTest {
    private static final int JOBS = 10_000;
    private static final int POLLERS = 4;
    /** The figure to reach. Machines that build stall for longer than that by themselves. */
    private static final long IDLE_P99 = 20;

    public static final long BUSY_P99 = 150;
    private static final int STOLEN_PERCENT = 5;

    /** Warm, for Java is slow at first. */
    private static TestServer server;

    /** What the pollers of one run saw. */
    static final class Seen {
        final Map<String, JsonObject> jobs = new ConcurrentHashMap<>();
        final List<Long> lateness = java.util.Collections.synchronizedList(new ArrayList<>());
        final Set<String> twice = ConcurrentHashMap.newKeySet();
        final AtomicInteger early = new AtomicInteger();

        /** Returns what is to be acked. */
        JsonArray add(JsonArray delivered, long now) {
            JsonArray acks = new JsonArray();
            for (int i = 0; i < delivered.size(); i++) {
                JsonObject job = delivered.getJsonObject(i);
                lateness.add(now - job.getLong("due"));
                if (now < job.getLong("due")) {
                    early.incrementAndGet();
                }
                if (jobs.put(job.getString("id"), job) != null) {
                    twice.add(job.getString("id"));
                }
                acks.add(new JsonObject().put("id", job.getString("id")).put("lease", job.getString("lease")));
            }
            return acks;
        }

        long percentile(double share) {
            long[] sorted =
                    lateness.stream().mapToLong(Long::longValue).sorted().toArray();
            return sorted[(int) Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
        }
    }

    @BeforeAll
    static void start() {
        server = TestServer.start();
        for (int round = 0; round < 3; round++) {
            pushAndDrain(server, "warm" + round, 3_000, 500);
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void a_job_comes_back_when_it_is_due_and_not_before() {
        CompletableFuture<TestServer.Reply> poll =
                server.sendAsync("POST", "/v1/topics/order/reserve", "{\"wait\":\"10s\"}");
        long due = server.push("order", "{\"id\":\"1\",\"delay\":\"1s\",\"body\":{\"n\":1.0}}")
                .json()
                .getLong("due");
        JsonObject job = TestServer.await(poll).job(0);
        long late = System.currentTimeMillis() - due;
        assertTrue(late >= 0 && late < 200, "came " + late + " ms after it was due");
        assertEquals(due, job.getLong("due"));
        assertEquals(204, server.settle("ack", job, "").status());
        assertEquals(404, server.get("/v1/topics/order/jobs/1").status());
    }

    @Test
    void ten_thousand_jobs_come_once_each_none_early_and_on_time() {
        // how late they are says nothing of the server while the host gives the cores to others: taken again then
        for (int tries = 0; tries < 3; tries++) {
            HostTime host = new HostTime();
            long p99 = delivered(server, JOBS, 10_000).percentile(0.99);
            if (p99 <= BUSY_P99) {
                return;
            }
            long stolen = host.stolenPercent();
            assertTrue(stolen > STOLEN_PERCENT, "p99 " + p99 + " ms, the host took " + stolen + " % of a core");
        }
        fail("p99 above " + BUSY_P99 + " ms three times, each time while the host took over " + STOLEN_PERCENT + " %");
    }

    @Test
    @Tag("storm")
    void on_an_idle_machine_99_of_100_jobs_come_within_20_ms() {
        pushAndDrain(server, "warmer", JOBS, 10_000);
        checkDelivery(server, JOBS, 10_000, IDLE_P99);
    }

    /** This check and those below are also run with a fault planted, to see that they turn red. */
    public static void checkDelivery(TestServer server, int jobs, int maxDelay, long p99) {
        long late = delivered(server, jobs, maxDelay).percentile(0.99);
        assertTrue(late <= p99, "p99 " + late + " ms");
    }

    /** Each once and none early. */
    private static Seen delivered(TestServer server, int jobs, int maxDelay) {
        Seen seen = pushAndDrain(server, "many", jobs, maxDelay);
        assertEquals(jobs, seen.jobs.size());
        assertEquals(Set.of(), seen.twice);
        assertEquals(0, seen.early.get(), "early");
        System.out.printf(
                "%,d jobs, 0-%d s: lateness p50 %d ms, p99 %d ms, max %d ms%n",
                jobs, maxDelay / 1_000, seen.percentile(0.5), seen.percentile(0.99), seen.percentile(1));
        return seen;
    }

    @Test
    void two_thousand_jobs_due_at_one_instant_are_reservable_within_200_ms() {
        checkBurst(server);
    }

    public static void checkBurst(TestServer server) {
        long due = System.currentTimeMillis() + 1_500;
        JsonArray jobs = new JsonArray();
        for (int i = 0; i < 2_000; i++) {
            jobs.add(new JsonObject().put("topic", "burst").put("id", "b" + i).put("at", due));
        }
        assertEquals(2_000, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
        TestRedis.await("the instant", () -> System.currentTimeMillis() >= due);
        TestRedis.await(
                "all ready",
                Duration.ofSeconds(10),
                () -> server.get("/v1/topics/burst").json().getInteger("ready") == 2_000);
        long took = System.currentTimeMillis() - due;
        System.out.println("2,000 jobs due at one instant were all ready after " + took + " ms");
        assertTrue(took <= 200, "took " + took + " ms");
    }

    @Test
    void an_idle_server_with_ten_waiting_polls_hardly_calls_redis() {
        checkIdle(server, 1_000, 2_000);
    }

    public static void checkIdle(TestServer server, long settleMillis, long measureMillis) {
        long wait = settleMillis + measureMillis + 1_500;
        List<CompletableFuture<TestServer.Reply>> polls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            polls.add(server.sendAsync("POST", "/v1/topics/idle" + i + "/reserve", "{\"wait\":" + wait + "}"));
        }
        // what the polls' arrival caused is over when a whole second brings the same as the one before
        pause(settleMillis);
        long before = scripts();
        pause(measureMillis);
        double each = (scripts() - before) * 1_000.0 / measureMillis;
        System.out.printf("an idle server with ten polls: %.1f calls a second%n", each);
        assertTrue(each < 20, each + " calls a second");
        polls.forEach(
                poll -> assertEquals("{\"jobs\":[]}", TestServer.await(poll).text()));
    }

    /** Script calls that Redis has served; commands inside scripts count under their own names. */
    private static long scripts() {
        String stats = TestRedis.shared().command("INFO", "commandstats").toString();
        return Arrays.stream(stats.split("\r\n"))
                .filter(line -> line.startsWith("cmdstat_eval"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("cmdstat_\\w+:calls=(\\d+),.*", "$1")))
                .sum();
    }

    /** Measuring a rate takes time: the one place where passing it is the point. */
    private static void pause(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        TestRedis.await("time", Duration.ofMillis(millis + 5_000), () -> System.nanoTime() >= end);
    }

    /** Pushes jobs with random delays and has pollers take and ack them all. */
    static Seen pushAndDrain(TestServer server, String topic, int count, int maxDelay) {
        Seen seen = new Seen();
        try (LightClient client = new LightClient(server.port())) {
            List<CompletableFuture<Void>> pollers = new ArrayList<>();
            for (int i = 0; i < POLLERS; i++) {
                pollers.add(poll(client, topic, count, seen));
            }
            pushAll(server, topic, count, maxDelay);
            TestServer.await(CompletableFuture.allOf(pollers.toArray(CompletableFuture[]::new)));
        }
        return seen;
    }

    private static void pushAll(TestServer server, String topic, int count, int maxDelay) {
        Random random = new Random(42);
        for (int from = 0; from < count; from += 1_000) {
            JsonArray jobs = new JsonArray();
            for (int i = from; i < Math.min(count, from + 1_000); i++) {
                jobs.add(new JsonObject()
                        .put("topic", topic)
                        .put("id", "j" + i)
                        .put("delay", random.nextInt(maxDelay))
                        .put("body", new JsonObject().put("n", i)));
            }
            JsonObject reply = server.post("/v1/jobs", jobs.encode()).json();
            assertEquals(jobs.size(), reply.getInteger("accepted"), reply.encode());
        }
    }

    private static CompletableFuture<Void> poll(LightClient client, String topic, int count, Seen seen) {
        JsonObject wish = new JsonObject().put("max", 100).put("wait", "1s");
        return client.post("/v1/topics/" + topic + "/reserve", wish).thenCompose(reply -> {
            JsonArray acks = seen.add(reply.getJsonArray("jobs"), System.currentTimeMillis());
            CompletableFuture<?> acked = acks.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : client.post("/v1/topics/" + topic + "/acks", new JsonObject().put("jobs", acks))
                            .thenAccept(done -> assertEquals(acks.size(), done.getInteger("acked"), done.encode()));
            return acked.thenCompose(done -> seen.jobs.size() >= count
                    ? CompletableFuture.completedFuture(null)
                    : poll(client, topic, count, seen));
        });
    }
}
