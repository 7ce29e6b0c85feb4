package io.delayq.redis;

import io.delayq.config.Settings;
import io.vertx.core.Context;
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
 * Keeps one connection to the master: finds it anew for every try, unless another connection has just found it, connects
 * within a deadline, notices when it ends, connects again with jittered backoff, and says "down" once and "up" once. A client that ended is dead for good and a
 * failed handshake leaves its socket open, so every try has a client of its own that is closed whole. Owned by one event
 * loop.
 */
final class HeldConnection {
    private static final Logger log = LoggerFactory.getLogger(HeldConnection.class);
    private static final long FIRST_PAUSE_MILLIS = 20;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    static final long REFUSED_PAUSE_MILLIS = 5_000;
    /** Where another node may become the master at any moment; each of these is part of the time without one. */
    private static final long LONGEST_SEEK_PAUSE_MILLIS = 250;

    private static final long SEEK_MILLIS = 400;
    private static final long DOUBT_NANOS = 1_000_000_000;
    /** "up" is said of a connection that has held for so long, so that one that comes and goes is "down" once. */
    private static final long STEADY_MILLIS = 500;

    private static final long NO_MASTER_PAUSE_MILLIS = 250;
    /** Answers of one that is not the master any more: the address may lead to the right one soon. */
    static final Set<String> NO_MASTER = Set.of("READONLY", "MASTERDOWN");

    static final Set<String> REFUSALS = Set.of("WRONGPASS", "NOAUTH", "NOPERM");

    private final Vertx vertx;
    private final Context context;
    private final RedisEndpoint endpoint;
    private final MasterFinder finder;
    private final Consumer<String> moved = this::follow;
    private final String name;
    private final Consumer<RedisConnection> whenUp;
    private final Runnable whenDown;
    private Redis client;
    private RedisConnection connection;
    /** The node of {@link #connection}. */
    private String url;
    /** The one that is being connected to, or was last; null while a pause or the search for it lasts. */
    private String tried;
    /** Counts tries; what an earlier one still brings is not heeded. */
    private int attempt;

    private long retryTimer = -1;
    private long clockAhead;
    private long doubted = System.nanoTime() - DOUBT_NANOS;
    private int failures;
    private boolean saidDown;
    private boolean closed;

    /** Begins to connect at once. {@code whenDown} is called only after {@code whenUp}. */
    HeldConnection(
            Vertx vertx, RedisEndpoint endpoint, String name, Consumer<RedisConnection> whenUp, Runnable whenDown) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.endpoint = endpoint;
        this.finder = new MasterFinder(vertx, endpoint);
        this.name = name;
        this.whenUp = whenUp;
        this.whenDown = whenDown;
        endpoint.known().add(moved);
        context.runOnContext(v -> connect());
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

    /** The node may have been cut off from the others, which then have another master: looks, at most once a second. */
    void doubt(RedisConnection suspect) {
        long now = System.nanoTime();
        if (connection != suspect || !endpoint.isMasterSought() || now - doubted < DOUBT_NANOS) {
            return;
        }
        doubted = now;
        finder.find().onSuccess(master -> {
            if (!master.equals(url)) {
                drop(suspect, "another node is the master");
            }
        });
    }

    /** Another connection has found the master elsewhere than before. */
    private void follow(String master) {
        context.runOnContext(v -> {
            if (connection == null && !closed && !master.equals(tried)) {
                // at once: whom we would ask may not know it yet
                int mine = ++attempt;
                vertx.cancelTimer(retryTimer);
                closeClient();
                connect(master, mine, () -> {});
            } else if (connection != null && !master.equals(url)) {
                drop(connection, "another node is the master");
            }
        });
    }

    Future<Void> close() {
        closed = true;
        attempt++;
        endpoint.known().remove(moved);
        vertx.cancelTimer(retryTimer);
        connection = null;
        return closeClient();
    }

    private Future<Void> closeClient() {
        Redis last = client;
        client = null;
        return last == null ? Future.succeededFuture() : last.close();
    }

    private void connect() {
        if (closed) {
            return;
        }
        int mine = ++attempt;
        finder.find().onComplete(found -> {
            if (mine != attempt) {
                return;
            }
            if (found.failed()) {
                tryAgain(code(found.cause()));
            } else {
                connect(found.result(), mine, finder::distrust);
            }
        });
    }

    /** @param inVain is told when nothing came of it */
    private void connect(String node, int mine, Runnable inVain) {
        tried = node;
        client = Redis.createClient(vertx, endpoint.options(node));
        boolean sought = endpoint.isMasterSought();
        long limit = sought ? Math.min(SEEK_MILLIS, endpoint.tryMillis()) : endpoint.tryMillis();
        long timeout = vertx.setTimer(limit, timer -> {
            if (mine == attempt) {
                inVain.run();
                tryAgain("no answer");
            }
        });
        Future<RedisConnection> ready = sought ? client.connect().compose(this::asMaster) : client.connect();
        ready.onComplete(result -> {
            vertx.cancelTimer(timeout);
            if (mine != attempt) {
                return;
            }
            if (result.failed()) {
                inVain.run();
                tryAgain(code(result.cause()));
            } else {
                connected(result.result(), node);
            }
        });
    }

    private Future<RedisConnection> asMaster(RedisConnection fresh) {
        return MasterFinder.confirmed(fresh).compose(RedisClock::aheadMillis).map(ahead -> {
            clockAhead = ahead;
            return fresh;
        });
    }

    private void connected(RedisConnection fresh, String node) {
        connection = fresh;
        url = node;
        String before = endpoint.isMasterSought() ? endpoint.known().found(node) : null;
        if (before != null) {
            log.warn(
                    "redis failover from={} to={} clockAheadMillis={}",
                    Settings.Redis.redacted(before),
                    Settings.Redis.redacted(node),
                    clockAhead);
        }
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
        attempt++;
        tried = null;
        closeClient();
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
                        : Math.min(
                                endpoint.isMasterSought() ? LONGEST_SEEK_PAUSE_MILLIS : LONGEST_PAUSE_MILLIS,
                                FIRST_PAUSE_MILLIS << Math.min(failures, 10));
        failures++;
        long jittered = pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
        retryTimer = vertx.setTimer(jittered, timer -> connect());
    }

    /** The first word of an error; the rest may quote what was sent. */
    static String code(Throwable cause) {
        if (cause instanceof NoMaster) {
            return cause.getMessage();
        }
        if (!(cause instanceof ErrorType)) {
            return cause.getClass().getSimpleName();
        }
        String text = String.valueOf(cause.getMessage());
        int space = text.indexOf(' ');
        return space < 0 ? text : text.substring(0, space);
    }
}
