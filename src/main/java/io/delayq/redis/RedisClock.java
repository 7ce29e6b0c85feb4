package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;

/** Redis' clock decides when a job is due; how far it is from ours is worth a line in the log. */
final class RedisClock {
    private RedisClock() {}

    /** How many milliseconds Redis' clock is ahead of ours, to about half a round trip. */
    static Future<Long> aheadMillis(RedisConnection connection) {
        long before = System.currentTimeMillis();
        return connection.send(Request.cmd(Command.TIME)).map(time -> {
            long redis = time.get(0).toLong() * 1_000 + time.get(1).toLong() / 1_000;
            return redis - (before + System.currentTimeMillis()) / 2;
        });
    }
}
