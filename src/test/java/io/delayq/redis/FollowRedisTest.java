package io.delayq.redis;

import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** After a failover one connection hears of the new master first. */
class FollowRedisTest {
    @Test
    void a_connection_that_is_down_goes_where_another_found_the_master_whatever_the_sentinels_say() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (TestRedis master = TestRedis.start(TestRedis.Options.standalone())) {
            // nobody is there who could be asked
            RedisEndpoint endpoint = new RedisEndpoint(Settings.defaults()
                    .redis()
                    .withUrl("redis://127.0.0.1:" + RedisConf.freePort())
                    .withTopology(new Settings.Topology(Settings.Mode.SENTINEL, "mymaster", null)));
            CompletableFuture<Future<Void>> up = new CompletableFuture<>();
            vertx.getOrCreateContext().runOnContext(v -> up.complete(new RedisLink(vertx, endpoint, "test").ready()));
            Future<Void> ready = up.get(10, TimeUnit.SECONDS);
            // again and again, since a try has little time and a Java that has just begun may need more
            vertx.setPeriodic(1, 1_000, timer -> {
                endpoint.known().found("redis://127.0.0.1:1");
                endpoint.known().found(master.url());
            });
            ready.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }
}
