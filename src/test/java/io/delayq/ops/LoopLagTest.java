package io.delayq.ops;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Test;

class LoopLagTest {
    private static final long HELD_UP_NANOS = 400_000_000L;

    @Test
    void tells_that_a_loop_was_held_up() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Vertx vertx = Vertx.vertx();
        try {
            Context context = vertx.getOrCreateContext();
            context.runOnContext(v -> LoopLag.watch(vertx, "one", new Meters(registry)));
            TestRedis.await(
                    "the gauge",
                    () -> registry.find("delayq.eventloop.lag.seconds").gauge() != null);
            context.runOnContext(v -> {
                long end = System.nanoTime() + HELD_UP_NANOS;
                while (System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
            });
            // the timer was due in the first 250 ms of these 400
            TestRedis.await(
                    "it is seen",
                    () -> registry.get("delayq.eventloop.lag.seconds")
                                    .tag("verticle", "one")
                                    .gauge()
                                    .value()
                            > 0.1);
            assertTrue(registry.get("delayq.eventloop.lag.seconds").gauge().value() < 60, "in seconds");
        } finally {
            TestServer.await(vertx.close().toCompletionStage().toCompletableFuture());
        }
    }
}
