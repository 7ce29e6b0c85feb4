package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * What {@code meta} says of which server among those that share the buckets this is: {@code 1/2}, the first of two. In
 * another place, or among more or fewer, its jobs would be looked for elsewhere and seem lost. A server that has all
 * buckets has no mark. On a connection of its own, since WATCH is for all that is sent on it.
 */
final class ShardMark {
    static final String FIELD = "shard";

    private ShardMark() {}

    /** Marks one that has no data yet, in one step with the schema that makes it one that has. */
    static Future<Void> set(RedisConnection connection, RedisEndpoint endpoint, Keys keys) {
        if (endpoint.shard().equals(RedisEndpoint.ALONE)) {
            return Future.succeededFuture();
        }
        return connection
                .send(Request.cmd(Command.WATCH).arg(keys.meta()))
                .compose(watched -> get(connection, keys, "schema"))
                .compose(schema -> schema != null
                        ? connection.send(Request.cmd(Command.UNWATCH))
                        : connection
                                .send(Request.cmd(Command.MULTI))
                                .compose(begun -> connection.send(Request.cmd(Command.HSET)
                                        .arg(keys.meta())
                                        .arg("schema")
                                        .arg(StartCheck.SCHEMA)
                                        .arg(FIELD)
                                        .arg(endpoint.shard())))
                                // does nothing if another server was faster: what that one wrote is checked then
                                .compose(queued -> connection.send(Request.cmd(Command.EXEC))))
                .mapEmpty();
    }

    /** Fails if the mark is another one. */
    static Future<Void> check(RedisConnection connection, RedisEndpoint endpoint, Keys keys) {
        if (endpoint.isCluster()) {
            return Future.succeededFuture();
        }
        return get(connection, keys, FIELD).map(found -> {
            String mark = found == null ? RedisEndpoint.ALONE : found.toString();
            if (!mark.equals(endpoint.shard())) {
                throw new StartCheck.OtherBuckets("the Redis at " + endpoint.redacted() + " has the data of shard "
                        + mark + ", expected " + endpoint.shard() + "; " + remedy(mark, endpoint.shard()));
            }
            return null;
        });
    }

    private static Future<Response> get(RedisConnection connection, Keys keys, String field) {
        return connection.send(Request.cmd(Command.HGET).arg(keys.meta()).arg(field));
    }

    private static String remedy(String found, String expected) {
        String count = count(found);
        if (count.equals(count(expected))) {
            return "name the addresses in redis.url in their first order, or use another namespace";
        }
        String before = found.equals(RedisEndpoint.ALONE)
                ? "set redis.url to this one alone, or redis.processes: 1 if it is the embedded one"
                : "set redis.mode: shards and redis.url to all " + count + " in their first order, or redis.processes: "
                        + count + " if it is an embedded one";
        return before + "; their number can only be changed by delayq export and delayq import into another namespace";
    }

    private static String count(String mark) {
        return mark.substring(mark.indexOf('/') + 1);
    }
}
