package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.concurrent.TimeUnit;

/** What {@code meta} says of the bucket count, on a connection of its own. Each change is one command. */
final class RebucketMeta {
    private static final long LIMIT_MILLIS = 5_000;

    private final RedisConnection connection;
    private final Keys keys;

    RebucketMeta(RedisConnection connection, Keys keys) {
        this.connection = connection;
        this.keys = keys;
    }

    /**
     * @param buckets 0: nothing was ever stored
     * @param state null: no rebucket is under way
     * @param shard null: it has all buckets
     */
    record Found(int schema, int buckets, RebucketState state, String shard) {}

    Future<Found> read() {
        Request get = Request.cmd(Command.HMGET)
                .arg(keys.meta())
                .arg("schema")
                .arg("buckets")
                .arg(RebucketState.FIELD)
                .arg(ShardMark.FIELD);
        return send(get)
                .map(found -> new Found(
                        number(found.get(0)),
                        number(found.get(1)),
                        found.get(2) == null
                                ? null
                                : RebucketState.parse(found.get(2).toString()),
                        found.get(3) == null ? null : found.get(3).toString()));
    }

    Future<Void> set(RebucketState state) {
        return send(Request.cmd(Command.HSET)
                        .arg(keys.meta())
                        .arg(RebucketState.FIELD)
                        .arg(state.text()))
                .mapEmpty();
    }

    Future<Void> forget() {
        return send(Request.cmd(Command.HDEL).arg(keys.meta()).arg(RebucketState.FIELD))
                .mapEmpty();
    }

    /** The new count holds, and nothing is under way any more: both at once. */
    Future<Void> end(int buckets) {
        return send(Request.cmd(Command.HSET)
                        .arg(keys.meta())
                        .arg("buckets")
                        .arg(buckets)
                        .arg(RebucketState.FIELD)
                        .arg(""))
                .compose(done -> forget());
    }

    /** How many listen: every server does, to be seen, and those that want hints, and whoever moves buckets. */
    Future<Integer> listeners() {
        return send(Request.cmd(Command.PUBSUB).arg("NUMSUB").arg(keys.hints()).arg(keys.here()))
                .map(answer -> answer.get(1).toInteger() + answer.get(3).toInteger());
    }

    private Future<Response> send(Request request) {
        return connection.send(request).timeout(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static int number(Response value) {
        return value == null ? 0 : value.toInteger();
    }
}
