package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How all servers did, a text for each step of time. */
class HistoryRedisTest {
    private static final long STEP = 10_000;
    private static final int STEPS = 5;

    private final StoreHarness store = new StoreHarness(TestRedis.shared(), 3);
    private final String key = store.keys.history();

    @AfterEach
    void close() {
        store.close();
    }

    private void remember(String text) {
        store.call(s -> s.servers().remember(Buffer.buffer(text), STEP, STEPS));
    }

    private List<String> history() {
        return store.call(s -> s.servers().history(STEP, STEPS)).stream()
                .map(Buffer::toString)
                .toList();
    }

    /** As if the entry had been written so long ago. */
    private void entry(long ageMillis, String text) {
        List<?> time = (List<?>) store.redis.command("TIME");
        long now = Long.parseLong(time.get(0).toString()) * 1_000;
        store.redis.command("RPUSH", key, (now - ageMillis) + " " + text);
    }

    @Test
    void each_step_has_one_text_whoever_brings_it() {
        assertEquals(List.of(), history());
        entry(STEP, "{\"a\":1}");
        remember("{\"b\": 2}");
        remember("too late");
        assertEquals(List.of("{\"a\":1}", "{\"b\": 2}"), history());
    }

    @Test
    void no_more_is_kept_than_wanted_and_nothing_for_ever() {
        for (int i = STEPS + 2; i > 0; i--) {
            entry(i * STEP, "s" + i);
        }
        remember("now");
        assertEquals((long) STEPS, store.redis.command("LLEN", key));
        assertEquals(List.of("s4", "s3", "s2", "s1", "now"), history());
        long left = (Long) store.redis.command("PTTL", key);
        assertTrue(left > 0 && left <= STEP * STEPS, left + " ms");
    }

    @Test
    void what_is_older_than_all_steps_together_is_not_told() {
        entry(STEP * STEPS + 2_000, "yesterday");
        entry(2 * STEP, "lately");
        assertEquals(List.of("lately"), history());
    }

    @Test
    void a_clock_that_was_set_back_does_not_end_the_history() {
        entry(-60_000, "ahead");
        remember("now");
        assertEquals(List.of("ahead", "now"), history());
    }
}
