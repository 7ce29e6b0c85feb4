package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.concurrent.TimeUnit;

/**
 * Notices servers at work. Each listens as long as it runs, see {@link StartCheck}; and most look at every bucket once a
 * second, which is heard among the hints. Being a listener itself, one that moves buckets is noticed by another one.
 * Owned by one event loop.
 */
final class ServerWatch {
    private static final long LIMIT_MILLIS = 5_000;

    private final Vertx vertx;
    private final RebucketMeta meta;
    private final Redis client;
    private boolean heard;
    private boolean ended;

    ServerWatch(Vertx vertx, RedisOptions options, RebucketMeta meta) {
        this.vertx = vertx;
        this.meta = meta;
        this.client = Redis.createClient(vertx, options);
    }

    Future<Void> open(Keys keys) {
        Promise<Void> listening = Promise.promise();
        return client.connect()
                .compose(connection -> {
                    connection.endHandler(end -> ended = true);
                    connection.exceptionHandler(error -> ended = true);
                    connection.handler(message -> hear(message, listening));
                    subscribe(connection, keys.hints(), listening);
                    return listening.future();
                })
                .timeout(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static void subscribe(RedisConnection connection, String channel, Promise<Void> listening) {
        connection.send(Request.cmd(Command.SUBSCRIBE).arg(channel)).onFailure(listening::tryFail);
    }

    private void hear(Response message, Promise<Void> listening) {
        if (message.get(0).toString().equals("subscribe")) {
            listening.tryComplete();
        } else {
            heard = true;
        }
    }

    /** Fails if a server was noticed, or may have been missed. */
    Future<Void> alone() {
        if (ended) {
            return Future.failedFuture(new IllegalStateException("the connection to Redis ended"));
        }
        return meta.listeners().compose(listeners -> {
            if (heard || listeners > 1) {
                return Future.failedFuture(new IllegalStateException(
                        "servers, or another rebucket, are at work on these data; stop them first"));
            }
            return Future.succeededFuture();
        });
    }

    /** The same after so long a silence. */
    Future<Void> aloneFor(long millis) {
        Promise<Void> over = Promise.promise();
        vertx.setTimer(millis, timer -> over.complete());
        return over.future().compose(silent -> alone());
    }

    Future<Void> close() {
        return client.close();
    }
}
