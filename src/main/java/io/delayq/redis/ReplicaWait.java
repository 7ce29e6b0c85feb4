package io.delayq.redis;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Holds the answers of calls back until enough replicas have what was written. One WAIT is under way at a time, for all
 * calls that were answered before it; it is short, because what is sent behind it waits too, and is repeated until the
 * calls' deadlines. An answer that says "nothing was changed" is held back as well: what it found may be not replicated
 * itself. Owned by the link's event loop.
 */
final class ReplicaWait {
    private static final long WAIT_MILLIS = 100;

    private final Vertx vertx;
    private final int replicas;
    private final long tryMillis;
    private final BiConsumer<RedisLink.Call, Response> confirmed;
    private final BiConsumer<RedisConnection, String> drop;
    private final Consumer<RedisConnection> tooFew;
    private final Map<RedisLink.Call, Response> answers = new LinkedHashMap<>();
    /** On which a WAIT is under way. */
    private RedisConnection asked;

    /**
     * @param drop gives a connection up; {@link #clear} is called then
     * @param tooFew is told of each WAIT that ended without enough replicas
     */
    ReplicaWait(
            Vertx vertx,
            int replicas,
            long tryMillis,
            BiConsumer<RedisLink.Call, Response> confirmed,
            BiConsumer<RedisConnection, String> drop,
            Consumer<RedisConnection> tooFew) {
        this.vertx = vertx;
        this.replicas = replicas;
        this.tryMillis = tryMillis;
        this.confirmed = confirmed;
        this.drop = drop;
        this.tooFew = tooFew;
    }

    int size() {
        return answers.size();
    }

    List<RedisLink.Call> calls() {
        return List.copyOf(answers.keySet());
    }

    void add(RedisLink.Call call, Response answer, RedisConnection connection) {
        answers.put(call, answer);
        if (asked == null) {
            ask(connection);
        }
    }

    /** @return whether it was held back here */
    boolean remove(RedisLink.Call call) {
        return answers.remove(call) != null;
    }

    /** The connection ended, and with it what its master promised. Returns the calls whose answers say nothing now. */
    List<RedisLink.Call> clear() {
        List<RedisLink.Call> open = calls();
        answers.clear();
        asked = null;
        return open;
    }

    private void ask(RedisConnection connection) {
        asked = connection;
        List<RedisLink.Call> covered = calls();
        long late = vertx.setTimer(WAIT_MILLIS + tryMillis, timer -> drop.accept(connection, "no answer to WAIT"));
        connection
                .send(Request.cmd(Command.WAIT).arg(replicas).arg(WAIT_MILLIS))
                .onComplete(result -> {
                    vertx.cancelTimer(late);
                    if (asked != connection) {
                        return;
                    }
                    asked = null;
                    if (result.failed()) {
                        drop.accept(connection, HeldConnection.code(result.cause()));
                        return;
                    }
                    if (result.result().toInteger() >= replicas) {
                        covered.forEach(this::confirm);
                    } else {
                        tooFew.accept(connection);
                    }
                    if (!answers.isEmpty() && asked == null) {
                        ask(connection);
                    }
                });
    }

    private void confirm(RedisLink.Call call) {
        Response answer = answers.remove(call);
        if (answer != null) {
            confirmed.accept(call, answer);
        }
    }
}
