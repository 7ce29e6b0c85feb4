package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.path.TestServer.Reply;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One of two servers dies without a word while jobs are due. */
@Tag("fault")
class ServersFaultTest {
    private static final int BUCKETS = 16;
    private static final int JOBS = 600;
    private static final int STEP_MILLIS = 10;
    private static final long TAKEOVER_MILLIS = 3_000;
    /** Others scan a bucket every quarter of a second, and what a busy machine adds. */
    private static final long SERVED_MILLIS = 1_000;

    private static final long PUNCTUAL_MILLIS = 300;

    @TempDir
    Path dir;

    private final TestRedis redis = TestRedis.start(TestRedis.Options.standalone());

    /** @param due by Redis' clock, which is this machine's; {@code late} in ms */
    private record Delivered(long due, long late) {}

    private final Map<String, Delivered> delivered = new ConcurrentHashMap<>();
    private volatile boolean over;

    @AfterEach
    void close() {
        over = true;
        redis.close();
    }

    private ChildServer launch(String name) {
        return ChildServer.launch(dir.resolve(name), "--redis.url=" + redis.url(), "--buckets=" + BUCKETS);
    }

    private static int scanned(ChildServer server) {
        try {
            return server.send("GET", "/metrics", null)
                    .text()
                    .lines()
                    .filter(line -> line.startsWith("delayq_buckets_scanned{"))
                    .mapToInt(line -> (int) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void consume(ChildServer server) {
        while (!over) {
            try {
                Reply reply = server.reserve("t", 100, "500ms");
                long now = System.currentTimeMillis();
                for (int i = 0; i < reply.jobs().size(); i++) {
                    JsonObject job = reply.job(i);
                    Delivered before = delivered.put(
                            job.getString("id"), new Delivered(job.getLong("due"), now - job.getLong("due")));
                    assertEquals(null, before, "twice: " + job);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Test
    void its_buckets_are_taken_over_within_3_s_and_meanwhile_served_by_looking() throws Exception {
        try (ChildServer dying = launch("a");
                ChildServer other = launch("b")) {
            dying.listening();
            other.listening();
            TestRedis.await(
                    "both scan",
                    Duration.ofSeconds(5),
                    () -> scanned(dying) > 0 && scanned(dying) + scanned(other) == BUCKETS);
            int taken = scanned(dying);
            Thread consumer = new Thread(() -> consume(other), "consumer");
            consumer.start();
            JsonArray jobs = new JsonArray();
            for (int i = 0; i < JOBS; i++) {
                jobs.add(new JsonObject().put("topic", "t").put("id", "j" + i).put("delay", 1 + i * STEP_MILLIS));
            }
            assertEquals(200, other.send("POST", "/v1/jobs", jobs.encode()).status());
            TestRedis.await("some delivered", () -> delivered.size() >= 150);
            long killed = System.currentTimeMillis();
            dying.kill9();
            TestRedis.await("taken over", Duration.ofSeconds(10), () -> scanned(other) == BUCKETS);
            long took = System.currentTimeMillis() - killed;
            TestRedis.await("all delivered", Duration.ofSeconds(20), () -> delivered.size() == JOBS);
            over = true;
            consumer.join(5_000);
            long before = latest(0, killed - 500);
            long meanwhile = latest(killed - 500, killed + took);
            long after = latest(killed + took, Long.MAX_VALUE);
            System.out.printf(
                    "kill -9 of one of two servers: its %d of %d buckets taken over after %d ms; %d jobs, none lost or"
                            + " twice; latest by %d ms before, %d ms meanwhile, %d ms after%n",
                    taken, BUCKETS, took, delivered.size(), before, meanwhile, after);
            assertTrue(took <= TAKEOVER_MILLIS, "taken over after " + took + " ms");
            assertTrue(meanwhile <= SERVED_MILLIS, "meanwhile " + meanwhile + " ms late");
            assertTrue(after <= PUNCTUAL_MILLIS, "afterwards " + after + " ms late");
        }
    }

    private long latest(long from, long to) {
        List<Long> late = delivered.values().stream()
                .filter(one -> one.due >= from && one.due < to)
                .map(Delivered::late)
                .sorted()
                .toList();
        assertTrue(!late.isEmpty(), "no jobs between " + from + " and " + to);
        return late.get(late.size() - 1);
    }
}
