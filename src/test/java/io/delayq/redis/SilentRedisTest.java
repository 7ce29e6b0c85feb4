package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.fault.FaultProxy;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A connection that gives no answers is given up, however short the calls' own patience. */
class SilentRedisTest {
    private static final int PATIENCE_MILLIS = 40;

    @Test
    void a_connection_is_given_up_although_every_call_gave_up_before() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
                FaultProxy between = new FaultProxy(redis.port(), 1)) {
            RedisEndpoint endpoint =
                    new RedisEndpoint(Settings.defaults().redis().withUrl(between.url()));
            Keys keys = new Keys("ns", 1);
            Context context = vertx.getOrCreateContext();
            AtomicInteger unanswered = new AtomicInteger();
            context.runOnContext(v -> {
                RedisLink link = new RedisLink(vertx, endpoint, "test");
                link.ready().onSuccess(up -> {
                    between.blackhole(true);
                    vertx.setPeriodic(PATIENCE_MILLIS / 2, timer -> link.call(
                                    0, Script.LOOK, List.of(Bytes.of(1), Bytes.of(keys.hints())), PATIENCE_MILLIS)
                            .onFailure(error -> unanswered.incrementAndGet()));
                });
            });
            TestRedis.await("calls without an answer", () -> unanswered.get() > 0);
            long began = System.nanoTime();
            TestRedis.await("the connection left", () -> between.connections() == 0);
            long millis = (System.nanoTime() - began) / 1_000_000;
            assertTrue(millis <= 3 * endpoint.tryMillis(), millis + " ms");
            assertTrue(unanswered.get() >= 10, "calls gave up " + unanswered);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }
}
