package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * What all servers of a namespace sign with. The first of them draws it and keeps it in {@code meta}; asked for again after
 * each time that a server was cut off, so that they agree also when Redis has lost it. For any thread.
 */
public final class SharedKey {
    private static final String FIELD = "sign";
    private static final int BYTES = 32;

    private volatile byte[] key;

    public SharedKey() {
        byte[] own = new byte[BYTES];
        new SecureRandom().nextBytes(own);
        this.key = own;
    }

    public byte[] bytes() {
        return key.clone();
    }

    Future<Void> agree(RedisConnection connection, Keys keys) {
        return get(connection, keys)
                .compose(found -> found != null
                        ? Future.succeededFuture(found)
                        : connection
                                .send(Request.cmd(Command.HSETNX)
                                        .arg(keys.meta())
                                        .arg(FIELD)
                                        .arg(HexFormat.of().formatHex(key)))
                                .compose(set -> get(connection, keys)))
                .map(found -> {
                    key = HexFormat.of().parseHex(found);
                    return null;
                });
    }

    private static Future<String> get(RedisConnection connection, Keys keys) {
        return connection
                .send(Request.cmd(Command.HGET).arg(keys.meta()).arg(FIELD))
                .map(found -> found == null ? null : found.toString());
    }
}
