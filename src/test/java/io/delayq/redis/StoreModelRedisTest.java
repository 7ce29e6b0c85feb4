package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.SideBySide;
import io.delayq.job.Delivery;
import io.delayq.job.When;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random operations, every answer and all that can be asked for compared with a plain model after each. */
public class StoreModelRedisTest {
    private static final int STEPS = 400;

    @ParameterizedTest
    @SideBySide
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9})
    void answers_as_the_model_does_in_every_order_of_operations(long seed) {
        check(seed, 1 + (int) seed % 3, STEPS);
    }

    @Test
    @SideBySide
    void answers_as_the_model_does_with_a_new_seed() {
        check(System.nanoTime(), 2, STEPS);
    }

    @Test
    @SideBySide
    void a_list_of_which_the_last_live_job_was_reserved_before_its_ghosts_is_deleted() {
        try (StoreHarness harness = new StoreHarness(TestRedis.shared(), 1)) {
            for (String id : List.of("first", "ghost")) {
                harness.call(s -> s.push(StoreHarness.job("t", id, When.NOW)));
            }
            assertEquals(true, harness.call(s -> s.cancel("t", "ghost")));
            Delivery job = harness.reserve("t", 1).get(0);
            assertEquals("first", job.id());
            assertEquals(true, harness.call(s -> s.ack("t", job.id(), job.lease(), "")));
            new Recount(harness).nothingLeft();
        }
    }

    /** Also run with a fault planted, to see that it turns red. */
    public static void check(long seed, int buckets, int steps) {
        try (StoreHarness harness = StoreHarness.patient(TestRedis.shared(), buckets);
                SetClock clock = new SetClock(harness)) {
            new ModelRun(harness, clock, new Random(seed)).run(steps);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("with seed " + seed + ", " + buckets + " buckets: " + e.getMessage(), e);
        }
    }
}
