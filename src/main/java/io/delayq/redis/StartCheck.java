package io.delayq.redis;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.types.ErrorType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether this server and what is in Redis go together. Waits for Redis if it is away; a "no" is final.
 *
 * <p>Before it looks, and as long as the server runs, it listens on a channel of its own. A rebucket puts its mark into
 * {@code meta} and then counts who listens, so that of a server and a rebucket that begin at the same time one sees the
 * other. After each time that it was cut off it looks again. Owned by one event loop.
 */
public final class StartCheck {
    /** The layout of keys and records that this server writes. */
    static final int SCHEMA = 1;

    private static final int OLDEST_REDIS = 7;
    private static final Pattern VERSION = Pattern.compile("redis_version:(\\d+)\\.");

    /** The data are not, or will not be, in the buckets that this server knows. */
    static final class OtherBuckets extends IllegalStateException {
        private static final long serialVersionUID = 1;

        OtherBuckets(String message) {
            super(message);
        }
    }

    private final Vertx vertx;
    private final Context context;
    private final RedisEndpoint endpoint;
    private final Keys keys;
    private final SharedKey shared;
    private final Promise<Void> outcome = Promise.promise();
    private final Promise<Void> refusedLater = Promise.promise();
    /** Null until it begins. */
    private HeldConnection here;

    /** Null while nothing is being checked. */
    private HeldConnection checking;

    private boolean closed;

    /** Without a key to agree on. */
    public StartCheck(Vertx vertx, RedisEndpoint endpoint, Keys keys) {
        this(vertx, endpoint, keys, null);
    }

    /** Begins at once. @param shared to agree on with the other servers, null: none */
    public StartCheck(Vertx vertx, RedisEndpoint endpoint, Keys keys, SharedKey shared) {
        this(vertx, endpoint, keys, shared, Future.succeededFuture());
    }

    /**
     * One for each server that shares the buckets. Each begins when the one before it has passed, so that where one says
     * no, those behind it are left as they were. The key is kept on the first.
     */
    public static List<StartCheck> all(Vertx vertx, RedisEndpoint endpoint, Keys keys, SharedKey shared) {
        List<StartCheck> all = new ArrayList<>();
        Future<Void> before = Future.succeededFuture();
        for (RedisEndpoint shard : endpoint.shards()) {
            StartCheck check = new StartCheck(vertx, shard, keys, all.isEmpty() ? shared : null, before);
            all.add(check);
            before = check.passed();
        }
        return all;
    }

    private StartCheck(Vertx vertx, RedisEndpoint endpoint, Keys keys, SharedKey shared, Future<Void> before) {
        this.vertx = vertx;
        this.endpoint = endpoint;
        this.keys = keys;
        this.shared = shared;
        this.context = vertx.getOrCreateContext();
        before.onSuccess(passed -> context.runOnContext(v -> begin()));
    }

    private void begin() {
        if (!closed) {
            here = new HeldConnection(vertx, endpoint, "presence", this::listen, this::checkEnded);
        }
    }

    public Future<Void> passed() {
        return outcome.future();
    }

    /** Fails if, after it has passed, a "no" was found: the data were moved to other buckets meanwhile. Never succeeds. */
    public Future<Void> refusedLater() {
        return refusedLater.future();
    }

    /** Done when it holds no connection any more, for the end of the server. May be called from any thread. */
    public Future<Void> abandon() {
        Promise<Void> gone = Promise.promise();
        context.runOnContext(v -> {
            outcome.tryFail(new IllegalStateException("stopped while it was starting"));
            close().onComplete(gone);
        });
        return gone.future();
    }

    private Future<Void> close() {
        closed = true;
        return checkEnded().eventually(() -> here == null ? Future.succeededFuture() : here.close());
    }

    private void listen(RedisConnection connection) {
        connection.handler(this::heard);
        connection
                .send(Request.cmd(Command.SUBSCRIBE).arg(keys.here()))
                .onFailure(error -> here.drop(connection, HeldConnection.code(error)));
    }

    private void heard(Response message) {
        if (!closed && message.get(0).toString().equals("subscribe")) {
            checkEnded();
            checking = new HeldConnection(vertx, endpoint, "start", this::check, () -> {});
        }
    }

    private Future<Void> checkEnded() {
        HeldConnection last = checking;
        checking = null;
        return last == null ? Future.succeededFuture() : last.close();
    }

    private void check(RedisConnection connection) {
        HeldConnection mine = checking;
        Future<Void> fit = outcome.future().isComplete() ? Future.succeededFuture() : redis(connection);
        fit.compose(ok -> meta(connection, keys).recover(error -> metaElsewhere(error, keys)))
                .onComplete(result -> {
                    // one that was ended says nothing of what is now
                    if (mine == checking) {
                        checked(connection, result.cause());
                    }
                });
    }

    private void checked(RedisConnection connection, Throwable error) {
        if (error == null) {
            checkEnded();
            outcome.tryComplete();
        } else if (error instanceof IllegalStateException && outcome.tryFail(error)) {
            close();
        } else if (error instanceof OtherBuckets) {
            close();
            refusedLater.tryFail(error);
        } else if (!(error instanceof ErrorType reply) || !reply.is("CONNECTION_CLOSED")) {
            checking.drop(connection, HeldConnection.code(error));
        }
    }

    private Future<Void> redis(RedisConnection connection) {
        return version(connection)
                .compose(ok -> cluster(connection))
                .compose(ok -> SettingsCheck.run(connection, endpoint))
                .recover(error -> Future.failedFuture(
                        error instanceof IllegalStateException && isShard()
                                ? new IllegalStateException(endpoint.redacted() + ": " + error.getMessage(), error)
                                : error));
    }

    private boolean isShard() {
        return !endpoint.shard().equals(RedisEndpoint.ALONE);
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

    private Future<Void> meta(RedisConnection connection, Keys keys) {
        return fits(connection, keys)
                .compose(fit -> shared == null ? Future.succeededFuture() : shared.agree(connection, keys));
    }

    private Future<Void> fits(RedisConnection connection, Keys keys) {
        return ShardMark.set(connection, endpoint, keys)
                .compose(mark -> set(connection, keys, "schema", SCHEMA))
                .compose(schema -> {
                    if (schema > SCHEMA) {
                        throw new IllegalStateException("the data in Redis were written by a newer delayq (schema "
                                + schema + ", this one knows " + SCHEMA + "); run that one");
                    }
                    return ShardMark.check(connection, endpoint, keys);
                })
                .compose(fit -> RebucketState.refuseIfUnderWay(connection, keys))
                .compose(none -> set(connection, keys, "buckets", keys.buckets()))
                .map(buckets -> {
                    if (buckets != keys.buckets()) {
                        throw new OtherBuckets("buckets is " + keys.buckets() + ", but the data in Redis have "
                                + buckets + "; set buckets: " + buckets
                                + (isShard() ? "" : ", or move them with delayq rebucket --to " + keys.buckets())
                                + ", or use another namespace");
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
