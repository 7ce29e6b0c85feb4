package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.fault.FaultProxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Redis does all that a connection has sent before it turns to the next one. */
class CallsUnderWayRedisTest {
    private static final int BUCKETS = 64;

    @Test
    void a_call_for_each_of_many_buckets_is_sent_a_few_at_a_time_and_none_is_forgotten() {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
                FaultProxy between = new FaultProxy(redis.port(), 1);
                StoreHarness store = new StoreHarness(redis, between.url(), "s", BUCKETS)) {
            store.call(s -> s.due(0, 1));
            between.blackhole(true);
            List<CompletableFuture<Store.Reserved>> calls = new ArrayList<>();
            for (int bucket = 0; bucket < BUCKETS; bucket++) {
                int at = bucket;
                calls.add(store.async(s -> s.reserve(at, List.of(new Store.Want("t", 1)))));
            }
            // it is given up when nothing is answered
            TestRedis.await("the connection left", () -> between.connections() == 0);
            assertEquals(4, between.swallowed().split("(?i)evalsha", -1).length - 1);
            between.blackhole(false);
            calls.forEach(StoreHarness::await);
        }
    }
}
