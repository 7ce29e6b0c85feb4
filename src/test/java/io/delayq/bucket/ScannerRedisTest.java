package io.delayq.bucket;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.bus.Addresses;
import io.delayq.bus.AlarmHint;
import io.delayq.bus.LocalCodec;
import io.delayq.bus.Post;
import io.delayq.config.Settings;
import io.delayq.job.When;
import io.delayq.ops.Meters;
import io.delayq.redis.RedisEndpoint;
import io.delayq.redis.StoreHarness;
import io.delayq.redis.Stores;
import io.delayq.redis.TestRedis;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A scanner that no bucket was given to: its server's heartbeats tell of another one, which is dead. */
class ScannerRedisTest {
    private static final long PATIENCE_MILLIS = 200;
    private static final long MOST_MILLIS = 900;

    private final TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
    private final StoreHarness store = new StoreHarness(redis, 1);
    private final Addresses addresses = new Addresses("here", 1, 1, 0, 1, 0);
    private final Vertx vertx = Vertx.vertx();

    @BeforeEach
    void deploy() throws Exception {
        LocalCodec.register(vertx.eventBus());
        Stores stores = new Stores(
                new RedisEndpoint(Settings.defaults().redis().withUrl(redis.url())),
                store.keys,
                new Meters(new SimpleMeterRegistry()));
        done(vertx.deployVerticle(new ScannerVerticle(stores, addresses, 0)));
    }

    @AfterEach
    void close() throws Exception {
        done(vertx.close());
        store.close();
        redis.close();
    }

    private static <T> void done(Future<T> future) throws Exception {
        future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private long push(String id, long delayMillis) {
        return store.call(s -> s.push(StoreHarness.job("t", id, When.in(delayMillis))))
                .due();
    }

    private void comes(String id, long due) {
        TestRedis.await(id, Duration.ofSeconds(5), () -> !store.reserve("t", 1).isEmpty());
        long late = System.currentTimeMillis() - due;
        assertTrue(late >= PATIENCE_MILLIS && late <= MOST_MILLIS, id + " came " + late + " ms late");
    }

    /** One hint is all it gets: no look finds the bucket overdue. */
    @Test
    void a_bucket_whose_server_died_is_served_soon_after_its_alarm_and_after_the_next() throws Exception {
        long first = push("first", 300);
        long second = push("second", 1_000);
        AlarmHint hint = new AlarmHint(0, first, System.currentTimeMillis());
        done(vertx.eventBus().request(addresses.scanner(0), new Post(List.of(hint)), Addresses.options()));
        comes("first", first);
        comes("second", second);
    }
}
