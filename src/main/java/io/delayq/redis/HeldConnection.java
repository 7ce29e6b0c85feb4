package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.impl.types.ErrorType;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one connection to Redis: connects within a deadline, notices when it ends, connects again with jittered
 * backoff, and says "down" once and "up" once. A client that ended is dead for good and a failed handshake leaves its
 * socket open, so every try has a client of its own that is closed whole. Owned by one event loop.
 */
final class HeldConnection {
    private static final Logger log = LoggerFactory.getLogger(HeldConnection.class);
    private static final long FIRST_PAUSE_MILLIS = 20;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    static final long REFUSED_PAUSE_MILLIS = 5_000;
    /** "up" is said of a connection that has held for so long, so that one that comes and goes is "down" once. */
    private static final long STEADY_MILLIS = 500;

    private static final long NO_MASTER_PAUSE_MILLIS = 250;
    /** Answers of one that is not the master any more: the address may lead to the right one soon. */
    static final Set<String> NO_MASTER = Set.of("READONLY", "MASTERDOWN");

    static final Set<String> REFUSALS = Set.of("WRONGPASS", "NOAUTH", "NOPERM");

    private final Vertx vertx;
    private final RedisEndpoint endpoint;
    private final String name;
    private final Consumer<RedisConnection> whenUp;
    private final Runnable whenDown;
    private Redis client;
    private RedisConnection connection;
    private long retryTimer = -1;
    private int failures;
    private boolean saidDown;
    private boolean closed;

    /** Begins to connect at once. {@code whenDown} is called only after {@code whenUp}. */
    HeldConnection(
            Vertx vertx, RedisEndpoint endpoint, String name, Consumer<RedisConnection> whenUp, Runnable whenDown) {
        this.vertx = vertx;
        this.endpoint = endpoint;
        this.name = name;
        this.whenUp = whenUp;
        this.whenDown = whenDown;
        vertx.runOnContext(v -> connect());
    }

    /** Null while down. */
    RedisConnection connection() {
        return connection;
    }

    /** Gives the connection up, if it is still the current one, and makes another. */
    void drop(RedisConnection suspect, String why) {
        if (suspect == null || connection != suspect) {
            return;
        }
        connection = null;
        whenDown.run();
        tryAgain(why);
    }

    Future<Void> close() {
        closed = true;
        vertx.cancelTimer(retryTimer);
        Redis last = client;
        client = null;
        connection = null;
        return last == null ? Future.succeededFuture() : last.close();
    }

    private void connect() {
        if (closed) {
            return;
        }
        Redis mine = Redis.createClient(vertx, endpoint.options());
        client = mine;
        long timeout = vertx.setTimer(endpoint.tryMillis(), timer -> {
            if (client == mine && connection == null) {
                tryAgain("no answer");
            }
        });
        mine.connect().onComplete(result -> {
            vertx.cancelTimer(timeout);
            if (client != mine) {
                return;
            }
            if (result.failed()) {
                tryAgain(code(result.cause()));
            } else {
                connected(result.result());
            }
        });
    }

    private void connected(RedisConnection fresh) {
        connection = fresh;
        fresh.endHandler(end -> drop(fresh, "connection closed"));
        fresh.exceptionHandler(error -> drop(fresh, code(error)));
        failures = 0;
        if (saidDown) {
            vertx.setTimer(STEADY_MILLIS, timer -> sayUp(fresh));
        }
        whenUp.accept(fresh);
    }

    private void sayUp(RedisConnection steady) {
        if (saidDown && connection == steady) {
            saidDown = false;
            log.info("redis up connection={} address={}", name, endpoint.redacted());
        }
    }

    private void tryAgain(String why) {
        Redis dead = client;
        client = null;
        if (dead != null) {
            dead.close();
        }
        if (closed) {
            return;
        }
        if (!saidDown) {
            saidDown = true;
            log.warn("redis down connection={} address={} reason=\"{}\"", name, endpoint.redacted(), why);
        }
        long pause = REFUSALS.contains(why)
                ? REFUSED_PAUSE_MILLIS
                : NO_MASTER.contains(why)
                        ? NO_MASTER_PAUSE_MILLIS
                        : Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures, 10));
        failures++;
        long jittered = pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
        retryTimer = vertx.setTimer(jittered, timer -> connect());
    }

    /** The first word of an error; the rest may quote what was sent. */
    static String code(Throwable cause) {
        if (!(cause instanceof ErrorType)) {
            return cause.getClass().getSimpleName();
        }
        String text = String.valueOf(cause.getMessage());
        int space = text.indexOf(' ');
        return space < 0 ? text : text.substring(0, space);
    }
}
