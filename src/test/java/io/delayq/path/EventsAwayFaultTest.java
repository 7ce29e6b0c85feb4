package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.SideBySide;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What listeners are told while Redis is dead or frozen. */
@Tag("fault")
class EventsAwayFaultTest {
    private static final long LIMIT_MILLIS = 3_000;

    private TestRedis redis;
    private TestServer server;
    private EventStream stream;

    @BeforeEach
    void start() {
        redis = TestRedis.start(TestRedis.Options.standalone());
        server = Wire.server(http -> http, redis.url());
        stream = new EventStream(server.port());
        server.push("t", "{\"delay\":\"1h\"}");
        stream.await("sample", one -> one.getJsonObject("depth").getInteger("delayed") == 1);
    }

    @AfterEach
    void stop() {
        stream.close();
        server.close();
        redis.close();
    }

    private long millisUntil(boolean up, long sinceNanos) {
        stream.await("redis", sinceNanos, event -> event.getBoolean("up") == up);
        return (System.nanoTime() - sinceNanos) / 1_000_000;
    }

    @Test
    @SideBySide
    void they_hear_at_once_that_it_is_gone_and_that_it_is_back_and_stay() {
        long killed = System.nanoTime();
        redis.kill();
        long gone = millisUntil(false, killed);
        JsonObject sample = stream.await("sample", killed, one -> !one.getBoolean("redis"));
        assertEquals(1, sample.getJsonObject("depth").getInteger("delayed"), "the last that was known");
        assertEquals(1, sample.getInteger("servers"));
        EventStream late = new EventStream(server.port());
        late.await("history");
        assertFalse(late.await("sample").getBoolean("redis"));
        String metrics = server.get("/metrics").text();
        assertTrue(metrics.contains("delayq_depth{state=\"delayed\",topic=\"t\"} 1.0"), metrics);
        TestRedis.await("the metric", () -> server.get("/metrics").text().contains("delayq_redis_up 0.0"));
        long restarted = System.nanoTime();
        redis.restart();
        long back = millisUntil(true, restarted);
        System.out.printf(
                "listeners heard after %d ms that Redis was gone, after %d ms that it was back%n", gone, back);
        late.await("redis", event -> event.getBoolean("up"));
        late.close();
        assertTrue(gone < LIMIT_MILLIS, gone + " ms");
        assertTrue(back < LIMIT_MILLIS, back + " ms");
        stream.await("sample", restarted, one -> one.getBoolean("redis"));
        assertFalse(stream.ended().isDone());
    }

    @Test
    @SideBySide
    void a_redis_that_does_not_answer_is_away() throws Exception {
        long frozen = System.nanoTime();
        redis.freeze();
        try {
            long gone = millisUntil(false, frozen);
            assertTrue(gone < LIMIT_MILLIS, gone + " ms");
            assertFalse(stream.ended().isDone());
        } finally {
            redis.thaw();
        }
        long thawed = System.nanoTime();
        long back = millisUntil(true, thawed);
        assertTrue(back < LIMIT_MILLIS, back + " ms");
        server.close();
        stream.ended().get(5, TimeUnit.SECONDS);
        server = Wire.server(http -> http, redis.url());
    }
}
