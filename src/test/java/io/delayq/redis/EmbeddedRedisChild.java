package io.delayq.redis;

import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A server of its own process for {@link EmbeddedRedisTest}; ends in an orderly way when its input ends. */
public final class EmbeddedRedisChild {
    private EmbeddedRedisChild() {}

    public static void main(String[] args) throws Exception {
        Vertx vertx = Vertx.vertx();
        EmbeddedRedis redis;
        try {
            redis = EmbeddedRedis.start(vertx, Path.of(args[0]), null, false)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            System.out.println("FAILED " + e.getMessage());
            System.exit(1);
            return;
        }
        System.out.println("READY " + ProcessHandle.current().pid() + " " + redis.pid() + " " + redis.url());
        while (System.in.read() >= 0) {
            continue;
        }
        redis.stop().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
        System.exit(0);
    }
}
