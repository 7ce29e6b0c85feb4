package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two servers on one Redis obey a topic's settings as one. */
class TwoServersPathTest {
    private static final String TOPIC = "shared";
    private static final int JOBS = 1_000;

    private final List<WsConsumer> consumers = new ArrayList<>();
    private TestServer first;
    private TestServer second;

    @BeforeEach
    void start() {
        first = TestServer.start();
        second = TestServer.start(settings -> first.settings);
    }

    @AfterEach
    void stop() {
        consumers.forEach(WsConsumer::close);
        second.close();
        first.close();
    }

    /** The same topic on both servers. */
    private void consume(int prefetch, java.util.function.Consumer<JsonArray> onJobs) {
        for (TestServer server : List.of(first, second)) {
            consumers.add(new WsConsumer(server.vertx, server.port(), TOPIC, prefetch, onJobs));
        }
    }

    private void configure(String json) {
        TestServer.Reply reply = first.send("PUT", "/v1/topics/" + TOPIC, json);
        assertEquals(200, reply.status(), reply.text());
    }

    private void push(int count, long delayMillis) {
        JsonArray jobs = new JsonArray();
        for (int i = 0; i < count; i++) {
            jobs.add(new JsonObject().put("topic", TOPIC).put("id", "j" + i).put("delay", delayMillis));
        }
        assertEquals(count, second.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
    }

    private JsonObject counts() {
        return second.get("/v1/topics/" + TOPIC).json();
    }

    @Test
    void nothing_is_delivered_after_pause_was_answered_and_everything_after_resume() {
        Set<String> delivered = ConcurrentHashMap.newKeySet();
        consume(100, jobs -> jobs.forEach(job -> delivered.add(((JsonObject) job).getString("id"))));
        push(1, 0);
        TestRedis.await("the consumers are there", () -> delivered.size() == 1);
        assertEquals(204, first.post("/v1/topics/" + TOPIC + "/pause", "").status());
        delivered.clear();
        push(JOBS, 300);
        TestRedis.await("all due", () -> counts().getInteger("ready") == JOBS);
        assertEquals(
                List.of(),
                first.post("/v1/topics/" + TOPIC + "/reserve", "{\"max\":10}")
                        .jobs()
                        .getList());
        assertEquals(
                List.of(),
                second.post("/v1/topics/" + TOPIC + "/reserve", "{\"max\":10,\"wait\":\"1s\"}")
                        .jobs()
                        .getList());
        assertEquals(Set.of(), delivered, "delivered while paused");
        assertEquals(true, counts().getBoolean("paused"));
        assertEquals(204, second.post("/v1/topics/" + TOPIC + "/resume", "").status());
        TestRedis.await("all delivered", Duration.ofSeconds(10), () -> delivered.size() == JOBS);
        TestRedis.await("all done", () -> counts().getInteger("reserved") == 0);
        assertEquals(false, counts().getBoolean("paused"));
    }

    @Test
    void no_more_are_in_flight_than_the_topic_allows_on_both_together() {
        int most = 7;
        configure("{\"maxInFlight\":" + most + "}");
        AtomicInteger highest = new AtomicInteger();
        Set<String> delivered = ConcurrentHashMap.newKeySet();
        consume(100, jobs -> {
            jobs.forEach(job -> delivered.add(((JsonObject) job).getString("id")));
            highest.accumulateAndGet(jobs.size(), Math::max);
        });
        push(JOBS, 0);
        while (delivered.size() < JOBS) {
            int reserved = counts().getInteger("reserved");
            highest.accumulateAndGet(reserved, Math::max);
        }
        assertTrue(highest.get() <= most, highest.get() + " were in flight at a time");
        TestRedis.await("all done", () -> counts().getInteger("reserved") == 0);
        // the limit is lifted under way
        configure("{}");
        delivered.clear();
        push(JOBS, 0);
        TestRedis.await("without a limit", Duration.ofSeconds(5), () -> delivered.size() == JOBS);
    }

    @Test
    void jobs_leave_no_faster_than_the_topic_allows_on_both_together() {
        int rate = 200;
        configure("{\"ratePerSecond\":" + rate + "}");
        ConcurrentLinkedQueue<Long> times = new ConcurrentLinkedQueue<>();
        consume(100, jobs -> jobs.forEach(job -> times.add(System.nanoTime())));
        push(2 * rate, 0);
        TestRedis.await("all delivered", Duration.ofSeconds(10), () -> times.size() == 2 * rate);
        List<Long> sorted = times.stream().sorted().toList();
        double seconds = (sorted.get(sorted.size() - 1) - sorted.get(0)) / 1e9;
        System.out.printf("%d jobs at %d a second took %.2f s%n", 2 * rate, rate, seconds);
        // a tenth of a second's worth may go at once, and the last one need not wait
        assertTrue(seconds >= 1.85, "took only " + seconds + " s");
        assertTrue(seconds < 4, "took " + seconds + " s");
        for (int i = 0; i + rate + rate / 4 < sorted.size(); i++) {
            long span = sorted.get(i + rate + rate / 4) - sorted.get(i);
            assertTrue(span > 1_000_000_000L, rate + rate / 4 + " jobs within " + span / 1_000_000 + " ms");
        }
    }

    @Test
    void low_jobs_still_move_under_a_steady_stream_of_high_ones() {
        JsonArray jobs = new JsonArray();
        for (int i = 0; i < JOBS; i++) {
            jobs.add(new JsonObject().put("topic", TOPIC).put("id", "h" + i).put("priority", "high"));
            if (i < 100) {
                jobs.add(new JsonObject().put("topic", TOPIC).put("id", "l" + i).put("priority", "low"));
                jobs.add(new JsonObject().put("topic", TOPIC).put("id", "n" + i));
            }
        }
        first.post("/v1/jobs", jobs.encode());
        int[] byPriority = new int[128];
        JsonArray taken = new JsonArray();
        while (taken.size() < 200) {
            taken.addAll(first.reserve(TOPIC, 40, "1s").jobs());
        }
        taken.forEach(job -> byPriority[((JsonObject) job).getString("id").charAt(0)]++);
        System.out.printf(
                "of %d: %d high, %d normal, %d low%n", taken.size(), byPriority['h'], byPriority['n'], byPriority['l']);
        // of ten places seven, two, one
        assertTrue(byPriority['h'] >= taken.size() * 0.65, byPriority['h'] + " high");
        assertTrue(byPriority['n'] >= taken.size() * 0.1, byPriority['n'] + " normal");
        assertTrue(byPriority['l'] >= taken.size() * 0.05, byPriority['l'] + " low");
    }

    @Test
    void low_jobs_move_and_pages_stay_short_also_with_large_bodies() {
        String body = "x".repeat(150_000);
        for (String priority : List.of("high", "normal", "low")) {
            for (int i = 0; i < 40; i++) {
                first.push(
                        TOPIC,
                        new JsonObject()
                                .put("id", priority + i)
                                .put("priority", priority)
                                .put("body", body)
                                .encode());
            }
        }
        TestServer.Reply page = first.get("/v1/topics/" + TOPIC + "/jobs?state=ready&limit=500&body=true");
        assertTrue(page.text().length() < 3 << 20, "a page of " + page.text().length() + " bytes");
        assertTrue(page.json().getString("cursor") != null, "there is more");
        // no four places in a row are all for high jobs, and a bucket gives at most that many of these at once
        JsonArray jobs = first.reserve(TOPIC, 100, "1s").jobs();
        long others = jobs.stream()
                .filter(job -> !((JsonObject) job).getString("id").startsWith("high"))
                .count();
        assertTrue(others > 0, "of " + jobs.size() + " jobs all were high");
    }
}
