package io.delayq.redis;

import io.delayq.redis.RedisLink.Call;
import io.delayq.redis.StoreException.Kind;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Response;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Script calls to a Redis Cluster: a table of which node has which bucket, and a {@link RedisLink} to each of these,
 * made when it is first needed and closed when it has no bucket of ours any more. So a node that is away fails the calls
 * of its own buckets only. A call to the wrong node goes on to the right one; the table is asked for anew then, and for
 * as long as a bucket's node is away, since another may have taken its place.
 *
 * <p>While a slot moves, its bucket's keys are on two nodes, and no script can be run on them as a whole: calls wait
 * until it has moved, see {@link Keys#nowhere}. ASK is not followed, for the other node would not run them either; and
 * what it would run, it would run on what it has so far.
 *
 * <p>Owned by one event loop.
 */
final class ClusterLink implements Link, RedisLink.Detour {
    private static final Logger log = LoggerFactory.getLogger(ClusterLink.class);
    private static final long PAUSE_MILLIS = 50;
    private static final long ASK_AGAIN_MILLIS = 200;
    /** Answers after which the table may be another. */
    private static final Set<String> CHANGED = Set.of("CLUSTERDOWN", "READONLY", "MASTERDOWN");
    /** Not executed, and not to be for a while. */
    private static final Set<String> HINDERED = Set.of("CLUSTERDOWN", "TRYAGAIN", "ASK", "LOADING");

    private final Vertx vertx;
    private final RedisEndpoint endpoint;
    private final String name;
    private final int[] slots;
    /** The buckets that anybody asked for. */
    private final BitSet wanted = new BitSet();

    /** By bucket; null while nobody is known to have it. */
    private final String[] owners;

    private final Map<String, RedisLink> links = new HashMap<>();
    /** Calls of buckets that nobody has. */
    private final ArrayDeque<Call> homeless = new ArrayDeque<>();

    private final Promise<Void> ready = Promise.promise();
    private long askTimer = -1;
    private long tidyTimer = -1;
    /** Has got a bucket lately, which others may not have heard of; null: nobody. */
    private String informed;

    private boolean asking;
    private long toldNanos = System.nanoTime() - PAUSE_MILLIS * 1_000_000;
    /** Something changed since the table was asked for. */
    private boolean outdated;

    private boolean closed;

    /** Begins to ask for the table at once. */
    ClusterLink(Vertx vertx, RedisEndpoint endpoint, Keys keys, String name) {
        this(
                vertx,
                endpoint,
                IntStream.range(0, keys.buckets()).map(keys::slotOf).toArray(),
                name);
        wanted.set(0, slots.length);
    }

    private ClusterLink(Vertx vertx, RedisEndpoint endpoint, int[] slots, String name) {
        this.vertx = vertx;
        this.endpoint = endpoint;
        this.name = name;
        this.slots = slots;
        this.owners = new String[slots.length];
        vertx.runOnContext(v -> askTable());
    }

    /** To keys that are in no bucket: here each slot is one. */
    static ClusterLink toSlots(Vertx vertx, RedisEndpoint endpoint, String name) {
        return new ClusterLink(vertx, endpoint, IntStream.range(0, Keys.SLOTS).toArray(), name);
    }

    @Override
    public Future<Response> call(int bucket, Script script, List<byte[]> args, long deadlineMillis) {
        if (closed) {
            return Future.failedFuture(new StoreException(Kind.UNAVAILABLE, "the connection to Redis was closed"));
        }
        wanted.set(bucket);
        // without a deadline it would take demand along that other buckets could meet
        if (deadlineMillis == 0 && !isUp(bucket)) {
            return Future.failedFuture(new StoreException(Kind.UNAVAILABLE, "the bucket's Redis is out of reach"));
        }
        boolean isFull = owners[bucket] == null
                ? homeless.size() >= endpoint.callLimit()
                : link(owners[bucket]).isFull(script);
        if (isFull) {
            return Future.failedFuture(new StoreException(Kind.BUSY, "too many calls are waiting for Redis"));
        }
        Call call = new Call(bucket, script, args);
        if (deadlineMillis > 0) {
            call.deadlineTimer = vertx.setTimer(deadlineMillis, timer -> giveUp(call));
        }
        send(call);
        return call.promise.future();
    }

    @Override
    public boolean slotsMove() {
        return true;
    }

    @Override
    public String node(int bucket) {
        return Objects.requireNonNullElse(owners[bucket], "");
    }

    @Override
    public boolean isUp(int bucket) {
        RedisLink link = links.get(owners[bucket]);
        return owners[bucket] != null && (link == null || link.isUp());
    }

    /** One node that is away must not make the whole server look so. */
    @Override
    public boolean isUp() {
        return ready.future().succeeded()
                && (links.isEmpty() || links.values().stream().anyMatch(RedisLink::isUp));
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    /** Completes with the first table. */
    @Override
    public Future<Void> ready() {
        return ready.future();
    }

    @Override
    public Future<Void> close() {
        closed = true;
        vertx.cancelTimer(askTimer);
        vertx.cancelTimer(tidyTimer);
        ready.tryFail(new StoreException(Kind.UNAVAILABLE, "the connection to Redis was closed"));
        List.copyOf(homeless).forEach(this::giveUp);
        List<Future<Void>> all = links.values().stream().map(RedisLink::close).toList();
        return Future.join(all).mapEmpty();
    }

    @Override
    public boolean takes(Call call, String code, String text) {
        if (code.equals("MOVED")) {
            String owner = SlotTable.moved(text, node(call.bucket));
            owners[call.bucket] = owner;
            informed = owner;
            askTable();
            if (call.detours++ == 0) {
                send(call);
            } else {
                // two nodes that do not agree yet would have it go to and fro
                vertx.setTimer(PAUSE_MILLIS, timer -> send(call));
            }
            return true;
        }
        if (CHANGED.contains(code)) {
            askTable();
        }
        if (!call.hasDeadline() && !call.lost && (HINDERED.contains(code) || text.contains("non local key"))) {
            call.promise.fail(new StoreException(Kind.UNAVAILABLE, "the bucket's Redis cannot serve it now"));
            return true;
        }
        return false;
    }

    @Override
    public void down(RedisLink link) {
        if (!closed) {
            askTable();
        }
    }

    private void send(Call call) {
        if (call.promise.future().isComplete()) {
            return;
        }
        if (closed) {
            giveUp(call);
        } else if (owners[call.bucket] == null) {
            call.at = null;
            homeless.add(call);
        } else {
            link(owners[call.bucket]).add(call);
        }
    }

    private void giveUp(Call call) {
        if (call.at != null) {
            call.at.giveUp(call);
        } else {
            homeless.remove(call);
            call.promise.tryFail(new StoreException(
                    call.lost ? Kind.UNKNOWN : Kind.UNAVAILABLE, "no Redis is known to have the bucket"));
        }
    }

    private RedisLink link(String address) {
        return links.computeIfAbsent(address, at -> new RedisLink(vertx, endpoint.at(at), name, this));
    }

    /** Asks for the table. What makes it necessary while it is asked for makes it be asked for once more. */
    private void askTable() {
        if (closed) {
            return;
        }
        if (asking) {
            outdated = true;
            return;
        }
        vertx.cancelTimer(askTimer);
        long since = (System.nanoTime() - toldNanos) / 1_000_000;
        if (since < PAUSE_MILLIS) {
            askTimer = vertx.setTimer(PAUSE_MILLIS - since, timer -> askTable());
            return;
        }
        asking = true;
        outdated = false;
        List<String> nodes = new ArrayList<>(endpoint.nodes().all());
        Collections.shuffle(nodes, ThreadLocalRandom.current());
        // those first that are known to answer
        nodes.sort((a, b) -> Boolean.compare(isKnownUp(b), isKnownUp(a)));
        if (informed != null) {
            nodes.remove(informed);
            nodes.add(0, informed);
            informed = null;
        }
        SlotTable.ask(vertx, endpoint, nodes).onComplete(this::told);
    }

    private boolean isKnownUp(String address) {
        return links.containsKey(address) && links.get(address).isUp();
    }

    private void told(AsyncResult<SlotTable> result) {
        asking = false;
        toldNanos = System.nanoTime();
        if (closed) {
            return;
        }
        long wait = ASK_AGAIN_MILLIS / 2 + ThreadLocalRandom.current().nextLong(ASK_AGAIN_MILLIS);
        if (result.succeeded()) {
            use(result.result());
        } else {
            String code = HeldConnection.code(result.cause());
            log.debug("slots not told connection={} reason={}", name, code);
            wait = HeldConnection.REFUSALS.contains(code) ? HeldConnection.REFUSED_PAUSE_MILLIS : wait;
        }
        if (outdated || isAnyAway()) {
            askTimer = vertx.setTimer(outdated ? PAUSE_MILLIS : wait, timer -> askTable());
        }
    }

    private boolean isAnyAway() {
        return wanted.stream().anyMatch(bucket -> !isUp(bucket));
    }

    private void use(SlotTable table) {
        endpoint.nodes().told(table.nodes());
        for (int bucket = 0; bucket < owners.length; bucket++) {
            String owner = table.owner(slots[bucket]);
            if (!Objects.equals(owner, owners[bucket])) {
                log.debug("bucket moved connection={} bucket={} to={}", name, bucket, owner);
                owners[bucket] = owner;
            }
        }
        tidy();
        List<Call> calls = List.copyOf(homeless);
        homeless.clear();
        calls.forEach(this::send);
        ready.tryComplete();
    }

    /** Lets calls go on that wait for a node which has not their bucket any more, and closes links that have none. */
    private void tidy() {
        for (String address : List.copyOf(links.keySet())) {
            RedisLink link = links.get(address);
            link.takeBack(bucket -> !address.equals(owners[bucket])).forEach(this::send);
            if (!Arrays.asList(owners).contains(address)) {
                if (link.isIdle()) {
                    links.remove(address);
                    link.close();
                } else if (tidyTimer < 0) {
                    tidyTimer = vertx.setTimer(endpoint.tryMillis(), timer -> {
                        tidyTimer = -1;
                        tidy();
                    });
                }
            }
        }
    }
}
