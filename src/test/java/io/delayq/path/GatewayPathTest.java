package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.TestRedis;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs over WebSocket, many at a time, with consumers that die, freeze and do not read. */
class GatewayPathTest {
    /** A figure that is missed while the host gave this machine's cores to others says nothing: it is taken again. */
    private static final String DISTURBED = "by the host: ";

    private static final int STOLEN_PERCENT = 5;
    private static final int TRIES = 4;

    private final Vertx clients = Vertx.vertx();

    @AfterEach
    void close() {
        TestServer.await(clients.close().toCompletionStage().toCompletableFuture());
    }

    @Test
    void every_job_is_acked_once_when_one_consumer_is_killed_and_one_freezes() {
        int count = 50_000;
        try (TestServer server = TestServer.start()) {
            pushNow(server, "work", count);
            Map<String, AtomicInteger> seen = new ConcurrentHashMap<>();
            AtomicInteger[] each = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
            List<WsConsumer> consumers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                AtomicInteger mine = each[i];
                consumers.add(new WsConsumer(clients, server.port(), "work", 100, jobs -> {
                    mine.addAndGet(jobs.size());
                    jobs.forEach(
                            job -> seen.computeIfAbsent(((JsonObject) job).getString("id"), id -> new AtomicInteger())
                                    .incrementAndGet());
                }));
            }
            TestRedis.await("half of the work", Duration.ofSeconds(60), () -> seen.size() > count / 2);
            consumers.get(0).kill();
            consumers.get(1).freeze();
            long from = System.nanoTime();
            int before = each[2].get();
            TestRedis.await(
                    "all but what the frozen one holds", Duration.ofSeconds(60), () -> seen.size() >= count - 300);
            double rate = (each[2].get() - before) / ((System.nanoTime() - from) / 1e9);
            // the frozen one's jobs come back when its connection ends
            consumers.get(1).kill();
            TestRedis.await("every job acked", Duration.ofSeconds(20), () -> {
                JsonObject counts = server.get("/v1/topics/work").json();
                return counts.getInteger("ready") == 0
                        && counts.getInteger("reserved") == 0
                        && counts.getInteger("delayed") == 0;
            });
            assertEquals(count, seen.size(), "none lost");
            assertEquals(0, server.get("/v1/topics/work").json().getInteger("dead"));
            long twice = seen.values().stream().filter(times -> times.get() > 1).count();
            // what the two held at their end, at most a prefetch each, and acks under way when the first was cut
            assertTrue(twice <= 400, twice + " delivered again");
            System.out.printf(
                    "50,000 jobs over 3 consumers: %d, %d, %d; the last one went on at %.0f jobs/s; %d delivered again%n",
                    each[0].get(), each[1].get(), each[2].get(), rate, twice);
            consumers.forEach(WsConsumer::close);
        }
    }

    @Test
    void jobs_are_shared_fairly() {
        int count = 6_000;
        try (TestServer server = TestServer.start()) {
            List<AtomicInteger> each = new ArrayList<>();
            List<WsConsumer> consumers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                AtomicInteger mine = new AtomicInteger();
                each.add(mine);
                consumers.add(new WsConsumer(clients, server.port(), "fair", 100, jobs -> mine.addAndGet(jobs.size())));
            }
            TestRedis.await(
                    "three subscribers",
                    () -> server.get("/v1/topics").text() != null && subscribers(server, "fair") == 3);
            pushNow(server, "fair", count);
            TestRedis.await(
                    "all",
                    Duration.ofSeconds(20),
                    () -> each.stream().mapToInt(AtomicInteger::get).sum() == count);
            int most = each.stream().mapToInt(AtomicInteger::get).max().orElseThrow();
            int least = each.stream().mapToInt(AtomicInteger::get).min().orElseThrow();
            assertTrue(least * 2 >= most, "shares " + each);
            consumers.forEach(WsConsumer::close);
        }
    }

    private static int subscribers(TestServer server, String topic) {
        server.post("/v1/topics/" + topic + "/jobs", "{\"delay\":\"1h\",\"id\":\"makes-the-topic\"}");
        return server.get("/v1/topics/" + topic).json().getInteger("subscribers");
    }

    @Test
    void at_a_thousand_jobs_a_second_none_is_early_and_few_are_late() {
        checkLateness(3, 6, 10, 100);
    }

    @Test
    @Tag("storm")
    void on_an_idle_machine_half_come_within_2_ms_and_99_of_100_within_10() {
        checkLateness(15, 20, 2, 10);
    }

    private void checkLateness(int warmUpSeconds, int seconds, long most50, long most99) {
        try (TestServer server = TestServer.start()) {
            lateness(server, "warm", warmUpSeconds);
            String missed = missed(server, "measured", seconds, most50, most99);
            for (int i = 1; missed != null && missed.startsWith(DISTURBED) && i < TRIES; i++) {
                missed = missed(server, "measured" + i, seconds, most50, most99);
            }
            assertNull(missed);
        }
    }

    /** Null: no limit was. */
    private String missed(TestServer server, String topic, int seconds, long most50, long most99) {
        HostTime host = new HostTime();
        List<Long> late = lateness(server, topic, seconds);
        long stolen = host.stolenPercent();
        long p50 = late.get(late.size() / 2);
        long p99 = late.get((int) (late.size() * 0.99));
        String told = "lateness p50 %d ms, p99 %d ms, max %d ms, the host took %d %% of a core"
                .formatted(p50, p99, late.get(late.size() - 1), stolen);
        System.out.println("1,000 jobs/s over WebSocket: " + told);
        assertTrue(late.get(0) >= 0, "early by " + -late.get(0) + " ms");
        return p50 <= most50 && p99 <= most99 ? null : (stolen > STOLEN_PERCENT ? DISTURBED : "") + told;
    }

    /** Pushes 1,000 jobs a second with delays of 0.5-1.5 s; how late each message came, sorted. */
    private List<Long> lateness(TestServer server, String topic, int seconds) {
        ConcurrentLinkedQueue<Long> late = new ConcurrentLinkedQueue<>();
        Random random = new Random(1);
        WsConsumer consumer = new WsConsumer(clients, server.port(), topic, 1_000, jobs -> {
            long now = System.currentTimeMillis();
            jobs.forEach(job -> late.add(now - ((JsonObject) job).getLong("due")));
        });
        int ticks = seconds * 50;
        AtomicInteger pushed = new AtomicInteger();
        clients.setPeriodic(20, timer -> {
            if (pushed.get() >= ticks * 20) {
                clients.cancelTimer(timer);
                return;
            }
            JsonArray jobs = new JsonArray();
            for (int i = 0; i < 20; i++) {
                jobs.add(new JsonObject()
                        .put("topic", topic)
                        .put("id", "l" + pushed.getAndIncrement())
                        .put("delay", 500 + random.nextInt(1_000))
                        .put("body", "x".repeat(100)));
            }
            consumer.send(new JsonObject().put("op", "push").put("ref", 1).put("jobs", jobs));
        });
        TestRedis.await("all delivered", Duration.ofSeconds(seconds + 15), () -> late.size() == ticks * 20);
        consumer.close();
        List<Long> sorted = new ArrayList<>(late);
        Collections.sort(sorted);
        return sorted;
    }

    @Test
    void with_a_tenth_of_the_bus_messages_lost_no_job_is_lost_or_delivered_twice() {
        int count = 3_000;
        try (TestServer server = TestServer.start()) {
            Random random = new Random(7);
            io.vertx.core.Handler<DeliveryContext<Object>> drop = delivery -> {
                if (random.nextInt(10) > 0) {
                    delivery.next();
                }
            };
            server.vertx.eventBus().addOutboundInterceptor(drop);
            ConcurrentHashMap<String, Long> seen = new ConcurrentHashMap<>();
            AtomicInteger twice = new AtomicInteger();
            ConcurrentLinkedQueue<Long> late = new ConcurrentLinkedQueue<>();
            WsConsumer consumer = new WsConsumer(clients, server.port(), "lossy", 200, jobs -> {
                long now = System.currentTimeMillis();
                for (int i = 0; i < jobs.size(); i++) {
                    JsonObject job = jobs.getJsonObject(i);
                    late.add(now - job.getLong("due"));
                    if (seen.put(job.getString("id"), now) != null) {
                        twice.incrementAndGet();
                    }
                }
            });
            for (int from = 0; from < count; from += 500) {
                JsonArray jobs = new JsonArray();
                for (int i = from; i < from + 500; i++) {
                    jobs.add(new JsonObject()
                            .put("topic", "lossy")
                            .put("id", "d" + i)
                            .put("delay", 500 + random.nextInt(2_000)));
                }
                assertEquals(500, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
            }
            TestRedis.await("all delivered", Duration.ofSeconds(20), () -> seen.size() == count);
            long latest = late.stream().mapToLong(Long::longValue).max().orElseThrow();
            System.out.println("a tenth of the bus messages lost: at most " + latest + " ms late");
            assertEquals(0, twice.get(), "delivered twice");
            assertTrue(latest <= 1_200, "late by " + latest + " ms");
            consumer.close();
        }
    }

    private static void pushNow(TestServer server, String topic, int count) {
        for (int from = 0; from < count; from += 5_000) {
            JsonArray jobs = new JsonArray();
            for (int i = from; i < Math.min(count, from + 5_000); i++) {
                jobs.add(new JsonObject().put("topic", topic).put("id", "n" + i).put("body", "x".repeat(100)));
            }
            assertEquals(
                    jobs.size(), server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
        }
    }
}
