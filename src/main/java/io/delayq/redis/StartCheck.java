package io.delayq.redis;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.impl.types.ErrorType;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether this server and what is in Redis go together. Waits for Redis if it is away; a "no" is final. */
public final class StartCheck {
    /** The layout of keys and records that this server writes. */
    static final int SCHEMA = 1;

    private static final int OLDEST_REDIS = 7;
    private static final Pattern VERSION = Pattern.compile("redis_version:(\\d+)\\.");

    private final Vertx vertx;
    private final Context context;
    private final RedisEndpoint endpoint;
    private final HeldConnection held;
    private final Promise<Void> outcome = Promise.promise();
    private final Future<Void> passed;

    /** Begins at once. */
    public StartCheck(Vertx vertx, RedisEndpoint endpoint, Keys keys) {
        this.vertx = vertx;
        this.endpoint = endpoint;
        this.context = vertx.getOrCreateContext();
        this.held = new HeldConnection(vertx, endpoint, "start", connection -> check(connection, keys), () -> {});
        this.passed = outcome.future().eventually(held::close);
    }

    public Future<Void> passed() {
        return passed;
    }

    /** Done when it holds no connection any more. May be called from any thread, also when the check is over. */
    public Future<Void> abandon() {
        context.runOnContext(v -> outcome.tryFail(new IllegalStateException("stopped while it was starting")));
        return passed.otherwiseEmpty();
    }

    private void check(RedisConnection connection, Keys keys) {
        version(connection)
                .compose(ok -> cluster(connection))
                .compose(ok -> SettingsCheck.run(connection, endpoint))
                .compose(ok -> meta(connection, keys).recover(error -> metaElsewhere(error, keys)))
                .onSuccess(ok -> outcome.tryComplete())
                .onFailure(error -> {
                    if (error instanceof IllegalStateException) {
                        outcome.tryFail(error);
                    } else if (!(error instanceof ErrorType reply) || !reply.is("CONNECTION_CLOSED")) {
                        held.drop(connection, HeldConnection.code(error));
                    }
                });
    }

    private static Future<Void> version(RedisConnection connection) {
        return connection.send(Request.cmd(Command.INFO).arg("server")).map(info -> {
            Matcher version = VERSION.matcher(info.toString());
            if (!version.find() || Integer.parseInt(version.group(1)) < OLDEST_REDIS) {
                throw new IllegalStateException(
                        "redis.url names a Redis older than 7.0, or none; expected Redis 7.0 or" + " newer, or Valkey");
            }
            return null;
        });
    }

    private Future<Void> cluster(RedisConnection connection) {
        if (!endpoint.isCluster()) {
            return Future.succeededFuture();
        }
        return connection.send(Request.cmd(Command.INFO).arg("cluster")).map(info -> {
            if (!info.toString().contains("cluster_enabled:1")) {
                throw new IllegalStateException(
                        "redis.mode is cluster, but redis.url names a Redis that is no node of one");
            }
            return null;
        });
    }

    /** In a cluster another node may have the key. */
    private Future<Void> metaElsewhere(Throwable error, Keys keys) {
        if (!HeldConnection.code(error).equals("MOVED")) {
            return Future.failedFuture(error);
        }
        if (!endpoint.isCluster()) {
            throw new IllegalStateException("redis.url names a node of a cluster; set redis.mode: cluster");
        }
        String owner =
                SlotTable.moved(error.getMessage(), endpoint.nodes().all().get(0));
        Redis client = Redis.createClient(vertx, endpoint.at(owner).options());
        return client.connect()
                .compose(connection -> meta(connection, keys))
                .timeout(endpoint.tryMillis(), TimeUnit.MILLISECONDS)
                .eventually(client::close);
    }

    private static Future<Void> meta(RedisConnection connection, Keys keys) {
        return set(connection, keys, "schema", SCHEMA)
                .compose(schema -> {
                    if (schema > SCHEMA) {
                        throw new IllegalStateException("the data in Redis were written by a newer delayq (schema "
                                + schema + ", this one knows " + SCHEMA + "); run that one");
                    }
                    return RebucketState.refuseIfUnderWay(connection, keys);
                })
                .compose(none -> set(connection, keys, "buckets", keys.buckets()))
                .map(buckets -> {
                    if (buckets != keys.buckets()) {
                        throw new IllegalStateException("buckets is " + keys.buckets() + ", but the data in Redis have "
                                + buckets + "; set buckets: " + buckets + ", or move them with delayq rebucket --to "
                                + keys.buckets() + ", or use another namespace");
                    }
                    return null;
                });
    }

    /** Sets a field unless it is set, and tells what it is then. */
    private static Future<Integer> set(RedisConnection connection, Keys keys, String field, int value) {
        return connection
                .send(Request.cmd(Command.HSETNX).arg(keys.meta()).arg(field).arg(value))
                .compose(done -> connection.send(
                        Request.cmd(Command.HGET).arg(keys.meta()).arg(field)))
                .map(found -> found.toInteger());
    }
}
