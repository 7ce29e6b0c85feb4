package io.delayq.redis;

import io.delayq.redis.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.types.ErrorType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Script calls over one held, pipelined connection; where replicas are asked for, those that they must have go over a
 * second one, since everything behind a WAIT waits too. Every script may be repeated (it is numbered, or changes nothing
 * the second time), so a call whose answer was lost is sent again on the next connection until its deadline. Owned by
 * one event loop: all methods are called there.
 */
public final class RedisLink implements Link {
    private static final Logger log = LoggerFactory.getLogger(RedisLink.class);
    private static final long TRANSIENT_PAUSE_MILLIS = 50;
    /**
     * Redis does all that one connection has sent before it turns to the next: with a call for each of many buckets
     * under way, others would wait for all of them. So many keep it busy.
     */
    private static final int MOST_SENT = 4;

    /** Answers that say: not executed, ask again. */
    private static final Set<String> TRANSIENT =
            Set.of("LOADING", "CLUSTERDOWN", "TRYAGAIN", "ASK", "BUSY", "MISCONF", "NOREPLICAS");

    private static final Pattern SCRIPT_LINE = Pattern.compile("user_script:(\\d+)");

    /** One script call; {@code args} is everything behind the script: key count, keys, arguments. */
    static final class Call {
        final int bucket;
        final Script script;
        final List<byte[]> args;
        final Promise<Response> promise = Promise.promise();
        long deadlineTimer = -1;
        /** The link that has it, or had it last. */
        RedisLink at;
        /** How often it came to a node that does not have the bucket. */
        int detours;
        /** Sent once, and its connection ended before the answer: it may have run. */
        boolean lost;
        /** Redis does not have the script: send it whole. */
        boolean whole;

        Call(int bucket, Script script, List<byte[]> args) {
            this.bucket = bucket;
            this.script = script;
            this.args = args;
        }

        boolean hasDeadline() {
            return deadlineTimer >= 0;
        }
    }

    /** What is done, where there are several, about a node that cannot serve a call. */
    interface Detour {
        /** @return whether it has taken the call; else that is repeated here, or fails */
        boolean takes(Call call, String code, String text);

        /** The connection ended; its calls wait for the next one. */
        void down(RedisLink link);
    }

    private static final Detour NONE = new Detour() {
        @Override
        public boolean takes(Call call, String code, String text) {
            return false;
        }

        @Override
        public void down(RedisLink link) {}
    };

    private final Vertx vertx;
    private final long tryMillis;
    private final int limit;
    private final Detour detour;
    /** Makes the link for the calls that replicas must have; null if this is it, or none must. */
    private final Supplier<RedisLink> replicating;
    /** Null until there is such a call: most rooms make none. */
    private RedisLink replicated;
    /** Null if answers are given as they come. */
    private final ReplicaWait wait;

    private final HeldConnection held;
    private final ArrayDeque<Call> sent = new ArrayDeque<>();
    /** To be sent as soon as one that is has its answer. */
    private final ArrayDeque<Call> next = new ArrayDeque<>();
    /** For a connection, or for the end of a pause. */
    private final ArrayDeque<Call> waiting = new ArrayDeque<>();

    private final Promise<Void> ready = Promise.promise();
    /** How many answers this connection owes, to calls that were given up too. */
    private int owed;
    /** Since when it has owed some without giving one. */
    private long silentSince;

    private boolean watching;
    private boolean closed;

    /** Begins to connect at once; calls made before it is up wait within their deadline. */
    public RedisLink(Vertx vertx, RedisEndpoint endpoint, String name) {
        this(vertx, endpoint, name, NONE);
    }

    RedisLink(Vertx vertx, RedisEndpoint endpoint, String name, Detour detour) {
        this(vertx, endpoint, name, detour, false);
    }

    private RedisLink(Vertx vertx, RedisEndpoint endpoint, String name, Detour detour, boolean waits) {
        int replicas = endpoint.durability().replicas();
        this.vertx = vertx;
        this.detour = detour;
        this.replicating = replicas > 0 && !waits
                ? () -> new RedisLink(vertx, endpoint, name + "-replicated", detour, true)
                : null;
        this.wait = waits
                ? new ReplicaWait(vertx, replicas, endpoint.tryMillis(), this::finished, this::drop, this::doubt)
                : null;
        this.tryMillis = endpoint.tryMillis();
        this.limit = endpoint.callLimit();
        this.held = new HeldConnection(vertx, endpoint, name, this::sendWaiting, this::keepUnanswered);
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public boolean isUp() {
        return held.connection() != null && (replicated == null || replicated.isUp());
    }

    @Override
    public boolean isUp(int bucket) {
        return isUp();
    }

    @Override
    public boolean slotsMove() {
        return false;
    }

    @Override
    public String node(int bucket) {
        return "";
    }

    /** Completes with the first connection. */
    @Override
    public Future<Void> ready() {
        return ready.future();
    }

    @Override
    public Future<Response> call(int bucket, Script script, List<byte[]> args, long deadlineMillis) {
        if (closed) {
            return Future.failedFuture(new StoreException(Kind.UNAVAILABLE, "the connection to Redis was closed"));
        }
        if (isFull(script)) {
            return Future.failedFuture(new StoreException(Kind.BUSY, "too many calls are waiting for Redis"));
        }
        Call call = new Call(bucket, script, args);
        if (deadlineMillis > 0) {
            call.deadlineTimer = vertx.setTimer(deadlineMillis, timer -> call.at.giveUp(call));
        }
        add(call);
        return call.promise.future();
    }

    /** The link that has such calls. */
    private RedisLink way(Script script) {
        if (replicating == null || !script.replicated()) {
            return this;
        }
        if (replicated == null) {
            replicated = replicating.get();
        }
        return replicated;
    }

    /** Whether it cannot take another call of that kind. */
    boolean isFull(Script script) {
        RedisLink way = way(script);
        return way.size() >= way.limit;
    }

    boolean isIdle() {
        return size() == 0 && (replicated == null || replicated.isIdle());
    }

    private int size() {
        return sent.size() + next.size() + waiting.size() + (wait == null ? 0 : wait.size());
    }

    /** Sends a call, now or when it can; whoever made it sees to its deadline. */
    void add(Call call) {
        way(call.script).take(call);
    }

    private void take(Call call) {
        call.at = this;
        if (held.connection() != null) {
            next.add(call);
            sendNext();
        } else {
            waiting.add(call);
        }
    }

    private void sendNext() {
        while (!closed && !next.isEmpty() && sent.size() < MOST_SENT && held.connection() != null) {
            transmit(next.poll(), held.connection());
        }
    }

    /** Takes the calls back that are not under way and are for one of those buckets. */
    List<Call> takeBack(IntPredicate buckets) {
        List<Call> back = Stream.concat(next.stream(), waiting.stream())
                .filter(call -> buckets.test(call.bucket))
                .toList();
        next.removeAll(back);
        waiting.removeAll(back);
        return replicated == null
                ? back
                : Stream.concat(back.stream(), replicated.takeBack(buckets).stream())
                        .toList();
    }

    @Override
    public Future<Void> close() {
        closed = true;
        ready.tryFail(new StoreException(Kind.UNAVAILABLE, "the connection to Redis was closed"));
        List<Call> open = new ArrayList<>(sent);
        open.addAll(next);
        open.addAll(waiting);
        if (wait != null) {
            open.addAll(wait.calls());
        }
        open.forEach(this::giveUp);
        return replicated == null
                ? held.close()
                : Future.join(held.close(), replicated.close()).mapEmpty();
    }

    private void sendWaiting(RedisConnection fresh) {
        owed = 0;
        next.addAll(waiting);
        waiting.clear();
        sendNext();
        ready.tryComplete();
    }

    private void keepUnanswered() {
        // whether the next master has what was not confirmed shows when it is sent again
        List<Call> again = new ArrayList<>(wait == null ? List.of() : wait.clear());
        again.addAll(sent);
        again.forEach(call -> call.lost = true);
        again.addAll(next);
        again.addAll(waiting);
        sent.clear();
        next.clear();
        waiting.clear();
        waiting.addAll(again);
        detour.down(this);
    }

    private void drop(RedisConnection connection, String why) {
        held.drop(connection, why);
    }

    private void doubt(RedisConnection connection) {
        held.doubt(connection);
    }

    private void finished(Call call, Response answer) {
        finish(call).tryComplete(answer);
    }

    private void transmit(Call call, RedisConnection connection) {
        Request request = Request.cmd(call.whole ? Command.EVAL : Command.EVALSHA)
                .arg(call.whole ? call.script.text() : call.script.sha());
        call.args.forEach(request::arg);
        if (owed++ == 0) {
            silentSince = System.nanoTime();
        }
        sent.add(call);
        connection.send(request).onComplete(result -> {
            if (held.connection() != connection) {
                // after a drop the call waits for the next connection and is no longer this one's
                return;
            }
            owed--;
            silentSince = System.nanoTime();
            if (!sent.contains(call)) {
                return;
            }
            if (result.succeeded()) {
                sent.remove(call);
                // before the answer is given, so that Redis works meanwhile
                sendNext();
                if (wait == null) {
                    finished(call, result.result());
                } else {
                    wait.add(call, result.result(), connection);
                }
            } else {
                failed(call, connection, result.cause());
                sendNext();
            }
        });
        if (!watching) {
            watching = true;
            watch();
        }
    }

    /** Whether Redis still answers, be it calls that nobody waits for any more. */
    private void watch() {
        if (owed == 0 || closed) {
            watching = false;
            return;
        }
        long left = tryMillis - (System.nanoTime() - silentSince) / 1_000_000;
        if (left > 0) {
            vertx.setTimer(left, timer -> watch());
        } else {
            watching = false;
            held.drop(held.connection(), "no answer within " + tryMillis + " ms");
        }
    }

    private void failed(Call call, RedisConnection connection, Throwable cause) {
        String code = HeldConnection.code(cause);
        if (!(cause instanceof ErrorType) || code.equals("CONNECTION_CLOSED")) {
            held.drop(connection, "connection closed");
            return;
        }
        sent.remove(call);
        if (code.equals("NOSCRIPT") && !call.whole) {
            call.whole = true;
            transmit(call, connection);
        } else if (detour.takes(call, code, cause.getMessage())) {
            log.debug("call goes elsewhere script={} bucket={} code={}", call.script.word(), call.bucket, code);
        } else if (HeldConnection.NO_MASTER.contains(code)) {
            waiting.add(call);
            held.drop(connection, code);
        } else if (TRANSIENT.contains(code) || cause.getMessage().contains("non local key")) {
            call.whole = false;
            waiting.add(call);
            vertx.setTimer(TRANSIENT_PAUSE_MILLIS, timer -> {
                if (held.connection() != null && waiting.remove(call)) {
                    take(call);
                }
            });
        } else if (code.equals("OOM")) {
            // a repetition is refused before it can say that the first try ran
            Kind kind = call.lost ? Kind.UNKNOWN : Kind.FULL;
            finish(call).fail(new StoreException(kind, "Redis is at its memory limit"));
        } else {
            log.error("script failed script={} code={} line={}", call.script.word(), code, line(cause.getMessage()));
            finish(call).fail(new StoreException(Kind.DEFECT, "script " + call.script.word() + " failed: " + code));
        }
    }

    /** Where in the script, the only part of such a text that cannot quote a payload. */
    private static String line(String text) {
        Matcher matcher = SCRIPT_LINE.matcher(text);
        return matcher.find() ? matcher.group(1) : "unknown";
    }

    /** @param call also one that this link does not have */
    void giveUp(Call call) {
        if (wait != null && wait.remove(call)) {
            finish(call)
                    .tryFail(new StoreException(Kind.NOT_REPLICATED, "too few replicas confirmed the write in time"));
            return;
        }
        boolean maybeRun = sent.remove(call) || call.lost;
        next.remove(call);
        waiting.remove(call);
        finish(call)
                .tryFail(
                        maybeRun
                                ? new StoreException(Kind.UNKNOWN, "Redis did not answer in time")
                                : new StoreException(Kind.UNAVAILABLE, "Redis is out of reach"));
        sendNext();
    }

    private Promise<Response> finish(Call call) {
        if (call.hasDeadline()) {
            vertx.cancelTimer(call.deadlineTimer);
        }
        return call.promise;
    }
}
