package io.delayq.redis;

import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.types.ErrorType;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether Redis is set up to keep jobs: refuses what makes them vanish, warns of what keeps them worse than asked. */
final class SettingsCheck {
    private static final Logger log = LoggerFactory.getLogger(SettingsCheck.class);
    private static final long NOTICED_MILLIS = 1_000;

    private SettingsCheck() {}

    /** Fails with {@link IllegalStateException} if Redis is not to be used. */
    static Future<Void> run(RedisConnection connection, RedisEndpoint endpoint) {
        return connection
                .send(Request.cmd(Command.INFO))
                .map(text -> RedisCheckup.read(text.toString()))
                .compose(info -> {
                    eviction(info, endpoint.mayEvict());
                    persistence(info);
                    replicas(info, endpoint.durability().replicas());
                    return appendFsync(connection, endpoint.durability());
                })
                .compose(done -> RedisClock.aheadMillis(connection))
                .onSuccess(SettingsCheck::clock)
                .mapEmpty();
    }

    /** Told only where it may be noticed: "never early" is by Redis' clock. */
    private static void clock(long aheadMillis) {
        if (Math.abs(aheadMillis) >= NOTICED_MILLIS) {
            log.info("redis clock aheadMillis={}", aheadMillis);
        } else {
            log.debug("redis clock aheadMillis={}", aheadMillis);
        }
    }

    private static void eviction(Map<String, String> info, boolean allowed) {
        String policy = info.getOrDefault("maxmemory_policy", "not told");
        if (policy.equals("noeviction")) {
            return;
        }
        if (!allowed) {
            throw new IllegalStateException("Redis may evict keys when it is full (its maxmemory-policy is " + policy
                    + "), and jobs would vanish; expected CONFIG SET maxmemory-policy noeviction, the same in redis.conf,"
                    + " or redis.allowEviction: true to start all the same");
        }
        log.warn("redis may evict jobs when it is full maxmemory-policy={}", policy);
    }

    private static void persistence(Map<String, String> info) {
        if (!info.getOrDefault("aof_enabled", "0").equals("1")) {
            log.warn("redis has no append-only file, and loses jobs when it stops; expected appendonly yes");
        }
    }

    private static void replicas(Map<String, String> info, int asked) {
        String there = info.getOrDefault("connected_slaves", "0");
        // in a cluster it may be a replica itself
        boolean master = info.getOrDefault("role", "").equals("master");
        if (master && Integer.parseInt(there) < asked) {
            log.warn("redis has too few replicas for durability: replicas:{}, pushes get 503 there={}", asked, there);
        }
    }

    private static Future<Void> appendFsync(RedisConnection connection, Settings.Durability durability) {
        return connection
                .send(Request.cmd(Command.CONFIG).arg("GET").arg("appendfsync"))
                .map(answer -> {
                    appendFsync(answer, durability);
                    return (Void) null;
                })
                .recover(error -> {
                    if (!(error instanceof ErrorType reply) || reply.is("CONNECTION_CLOSED")) {
                        return Future.failedFuture(error);
                    }
                    log.warn(
                            "redis does not tell its settings, appendfsync was not checked code={}",
                            HeldConnection.code(error));
                    return Future.succeededFuture();
                });
    }

    private static void appendFsync(Response answer, Settings.Durability durability) {
        String set = answer.size() < 2 ? "not told" : answer.get(1).toString();
        boolean enough = set.equals("always") || set.equals("everysec") && !durability.always();
        if (!enough) {
            log.warn(
                    "redis writes to disk later than durability: {} asks appendfsync={} expected={}",
                    durability,
                    set,
                    durability.always() ? "always" : "everysec");
        }
    }
}
