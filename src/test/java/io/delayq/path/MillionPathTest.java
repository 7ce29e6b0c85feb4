package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A topic may be huge: looking at it and clearing it neither holds Redis up nor makes another topic's jobs late. */
class MillionPathTest {
    private static final int SLOW_MICROS = 10_000;
    private static final int JOBS_A_PUSH = 10_000;
    private static final long DAY = 86_400_000;

    @Test
    void a_topic_of_fifty_thousand_jobs_is_listed_counted_forecast_and_purged() {
        check(50_000, false);
    }

    @Test
    @Tag("storm")
    void a_topic_of_a_million_jobs_holds_up_nobody() {
        check(1_000_000, true);
    }

    private static void check(int jobs, boolean strict) {
        TestRedis.Options options = TestRedis.Options.standalone()
                .with("slowlog-log-slower-than " + SLOW_MICROS, "slowlog-max-len 1000", "appendonly yes");
        try (TestRedis redis = TestRedis.start(options);
                TestServer server = TestServer.start(settings -> TestServer.settings(redis.url()));
                Other other = new Other(server)) {
            push(server, jobs);
            // the pushes are not what is measured here
            redis.command("SLOWLOG", "RESET");
            long before = other.p99(() -> pause(5_000));
            long listed = other.p99(() -> list(server, jobs));
            long counted = other.p99(() -> countAndForecast(server, jobs));
            long purged = other.p99(() -> purge(server, jobs));
            List<?> slow = (List<?>) redis.command("SLOWLOG", "GET", "20");
            System.out.printf(
                    "%,d jobs: another topic's p99 before %d ms, while listing %d ms, counting and forecasting %d ms,"
                            + " purging %d ms; commands over 10 ms: %d %s%n",
                    jobs, before, listed, counted, purged, slow.size(), took(slow));
            if (strict) {
                assertEquals(0, slow.size(), "commands over 10 ms");
                assertTrue(listed <= before + 5, "listing made another topic late");
                assertTrue(counted <= before + 5, "counting made another topic late");
                assertTrue(purged <= before + 5, "purging made another topic late");
            }
        }
    }

    private static List<Object> took(List<?> slow) {
        return slow.stream().<Object>map(MillionPathTest::took).toList();
    }

    /** How many µs, and the last words of the command, which tell the script. */
    private static String took(Object entry) {
        List<?> words = (List<?>) ((List<?>) entry).get(3);
        return ((List<?>) entry).get(2) + " " + words.subList(Math.min(7, words.size()), Math.min(15, words.size()));
    }

    private static void pause(long millis) {
        long end = System.currentTimeMillis() + millis;
        TestRedis.await("a while", java.time.Duration.ofMillis(2 * millis), () -> System.currentTimeMillis() >= end);
    }

    private static void push(TestServer server, int jobs) {
        StringBuilder body = new StringBuilder();
        for (int from = 0; from < jobs; from += JOBS_A_PUSH) {
            body.setLength(0);
            for (int i = from; i < from + JOBS_A_PUSH; i++) {
                body.append(i == from ? '[' : ',')
                        .append("{\"topic\":\"big\",\"id\":\"job-")
                        .append(i)
                        .append("\",\"delay\":")
                        // many share one millisecond
                        .append(DAY / 24 + i / 1_000 * 60_000L % (DAY / 2))
                        .append(",\"body\":{\"n\":")
                        .append(i)
                        .append("}}");
            }
            assertEquals(
                    JOBS_A_PUSH,
                    server.post("/v1/jobs", body.append(']').toString()).json().getInteger("accepted"));
        }
    }

    private static void list(TestServer server, int jobs) {
        Set<String> seen = new HashSet<>();
        String cursor = null;
        do {
            JsonObject page = server.get(
                            "/v1/topics/big/jobs?state=delayed&limit=500" + (cursor == null ? "" : "&cursor=" + cursor))
                    .json();
            JsonArray items = page.getJsonArray("jobs");
            for (int i = 0; i < items.size(); i++) {
                assertTrue(seen.add(items.getJsonObject(i).getString("id")), "listed twice");
            }
            cursor = page.getString("cursor");
        } while (cursor != null);
        assertEquals(jobs, seen.size(), "listed");
    }

    private static void countAndForecast(TestServer server, int jobs) {
        for (int i = 0; i < 50; i++) {
            assertEquals(jobs, server.get("/v1/topics/big").json().getInteger("delayed"));
            JsonArray due = server.get("/v1/topics/big/forecast?window=16h&step=1m")
                    .json()
                    .getJsonArray("due");
            assertEquals(
                    jobs,
                    due.stream().mapToInt(count -> ((Number) count).intValue()).sum());
        }
    }

    private static void purge(TestServer server, int jobs) {
        CompletableFuture<TestServer.Reply> purge = server.sendAsync("DELETE", "/v1/topics/big/jobs", null);
        assertEquals(
                jobs,
                purge.orTimeout(10, java.util.concurrent.TimeUnit.MINUTES)
                        .join()
                        .json()
                        .getInteger("deleted"));
        assertEquals(0, server.get("/v1/topics/big").json().getInteger("delayed"));
    }

    /** Another topic with a steady stream of jobs, and how late they come. */
    private static final class Other implements AutoCloseable {
        private final TestServer server;
        private final WsConsumer consumer;
        private final ConcurrentLinkedQueue<Long> lateness = new ConcurrentLinkedQueue<>();
        private final long timer;

        Other(TestServer server) {
            this.server = server;
            this.consumer = new WsConsumer(server.vertx, server.port(), "other", 100, jobs -> {
                long now = System.currentTimeMillis();
                jobs.forEach(job -> lateness.add(now - ((JsonObject) job).getLong("due")));
            });
            this.timer = server.vertx.setPeriodic(
                    10, tick -> server.sendAsync("POST", "/v1/topics/other/jobs", "{\"delay\":500}"));
        }

        long p99(Runnable work) {
            lateness.clear();
            work.run();
            List<Long> sorted = lateness.stream().sorted().toList();
            return sorted.isEmpty() ? 0 : sorted.get((int) (sorted.size() * 0.99));
        }

        @Override
        public void close() {
            server.vertx.cancelTimer(timer);
            consumer.close();
        }
    }
}
