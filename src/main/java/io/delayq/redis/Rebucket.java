package io.delayq.redis;

import io.delayq.ops.Meters;
import io.delayq.redis.RebucketState.Phase;
import io.delayq.redis.RebucketTopics.Count;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * Moves all data to another number of buckets while no server runs. How far it has come stands in {@code meta}; each
 * step may be done again, so it can be killed anywhere, and goes on when it is run again.
 */
public final class Rebucket {
    /** Longer than a server at work is ever silent. */
    static final long SILENCE_MILLIS = 1_500;

    private static final long CONNECT_MILLIS = 5_000;
    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int TOPICS_AT_ONCE = 16;

    private final Context context;
    private final String namespace;
    private final Redis client;
    private final RedisLink link;
    private final RebucketMeta meta;
    private final ServerWatch watch;
    private final RebucketCalls calls;
    private final long silenceMillis;
    private final Meters meters = new Meters(new SimpleMeterRegistry());
    private long lastWatched = System.nanoTime();

    /**
     * What is to be done.
     *
     * @param from the present number of buckets; 0: nothing was ever stored
     * @param resumed whether one that was begun goes on
     * @param jobs to be moved
     */
    public record Plan(int from, int to, boolean resumed, long jobs, int topics) {
        public boolean isNothing() {
            return from == 0 || from == to;
        }
    }

    private Rebucket(
            Vertx vertx,
            RedisEndpoint endpoint,
            String namespace,
            Parts parts,
            long silence,
            Supplier<Future<Void>> toll) {
        this.context = vertx.getOrCreateContext();
        this.namespace = namespace;
        this.client = parts.client;
        this.link = new RedisLink(vertx, endpoint, "rebucket");
        this.meta = parts.meta;
        this.watch = parts.watch;
        this.calls = new RebucketCalls(toll);
        this.silenceMillis = silence;
    }

    private record Parts(Redis client, RebucketMeta meta, ServerWatch watch) {}

    /** Connects. Call it, and {@code close}, from any thread that is not an event loop. */
    public static Future<Rebucket> open(Vertx vertx, RedisEndpoint endpoint, String namespace) {
        return open(vertx, endpoint, namespace, SILENCE_MILLIS, Future::succeededFuture);
    }

    /** @param toll for tests: asked before each call, which is not made if it fails */
    static Future<Rebucket> open(
            Vertx vertx, RedisEndpoint endpoint, String namespace, long silenceMillis, Supplier<Future<Void>> toll) {
        Promise<Rebucket> opened = Promise.promise();
        vertx.getOrCreateContext().runOnContext(v -> new MasterFinder(vertx, endpoint)
                .find()
                .compose(url -> parts(vertx, endpoint.options(url), namespace))
                .recover(error -> Future.failedFuture(new IllegalStateException(
                        "cannot reach Redis at " + endpoint.redacted() + ": " + HeldConnection.code(error))))
                .map(parts -> new Rebucket(vertx, endpoint, namespace, parts, silenceMillis, toll))
                .onComplete(opened));
        return opened.future();
    }

    private static Future<Parts> parts(Vertx vertx, RedisOptions options, String namespace) {
        Redis client = Redis.createClient(vertx, options);
        return client.connect()
                .timeout(CONNECT_MILLIS, TimeUnit.MILLISECONDS)
                .map(connection -> {
                    RebucketMeta meta = new RebucketMeta(connection, new Keys(namespace, 1));
                    return new Parts(client, meta, new ServerWatch(vertx, options, meta));
                })
                .recover(error -> client.close().transform(closed -> Future.failedFuture(error)));
    }

    public Future<Void> close() {
        return onLoop(() -> watch.close().eventually(link::close).eventually(client::close));
    }

    /** Looks, and changes nothing. Fails if another one is under way. */
    public Future<Plan> plan(int to) {
        return onLoop(() -> meta.read().compose(found -> {
            if (found.schema() > StartCheck.SCHEMA) {
                throw new IllegalStateException("the data in Redis were written by a newer delayq; run that one");
            }
            if (found.shard() != null) {
                throw new IllegalStateException("this Redis has the data of shard " + found.shard()
                        + " only; the data of several cannot be moved yet");
            }
            RebucketState state = found.state();
            if (state != null && state.to() != to) {
                throw state.underWay();
            }
            if (state == null && (found.buckets() == 0 || found.buckets() == to)) {
                return Future.succeededFuture(new Plan(found.buckets(), to, false, 0, 0));
            }
            return planned(state == null ? new RebucketState(found.buckets(), to, Phase.ASIDE) : state, state != null);
        }));
    }

    /**
     * Does what the plan says. Fails if a server is at work; nothing has been changed then, unless it came in between.
     *
     * @param moved told how many jobs more have been moved
     */
    public Future<Void> run(Plan plan, LongConsumer moved) {
        Keys old = new Keys(namespace, plan.from);
        return onLoop(() -> watch.open(old)
                .compose(listening -> watch.alone())
                .compose(alone -> meta.read())
                .compose(found -> found.state() != null
                        ? watch.aloneFor(silenceMillis).map(found.state())
                        : begun(new RebucketState(plan.from, plan.to, Phase.ASIDE)))
                .compose(state -> work(state, old, moved)));
    }

    /** A server that looked at meta before it was written is heard within the silence. */
    private Future<RebucketState> begun(RebucketState state) {
        return meta.set(state)
                .compose(set -> watch.aloneFor(silenceMillis)
                        .recover(error -> meta.forget().transform(done -> Future.failedFuture(error))))
                .map(state);
    }

    private Future<Void> work(RebucketState begin, Keys old, LongConsumer moved) {
        Keys target = new Keys(namespace, begin.to());
        Caller aside = new Caller(link, old.aside(), meters);
        Caller fresh = new Caller(link, target, meters);
        RebucketTopics from = new RebucketTopics(calls, aside, old.buckets());
        RebucketTopics to = new RebucketTopics(calls, fresh, target.buckets());
        RebucketMove move = new RebucketMove(calls, aside, fresh, old, target, this::stillAlone, moved);
        Future<Void> done = Future.succeededFuture();
        if (begin.phase() == Phase.ASIDE) {
            done = from.setAside().compose(v -> meta.set(begin.in(Phase.SETTINGS)));
        }
        if (begin.phase() != Phase.MOVE) {
            done = done.compose(v -> from.adoptedBy(to)).compose(v -> meta.set(begin.in(Phase.MOVE)));
        }
        return done.compose(v -> TopicStore.again(() -> someTopics(from, move)))
                .compose(v -> from.clear())
                .compose(v -> meta.end(begin.to()));
    }

    /** Moves some topics; says whether there may be more. */
    private static Future<Boolean> someTopics(RebucketTopics from, RebucketMove move) {
        return from.first().compose(found -> {
            List<String> topics = found.stream().sorted().toList();
            return RebucketCalls.each(topics.size(), TOPICS_AT_ONCE, i -> move.topic(topics.get(i)))
                    .map(moved -> !topics.isEmpty());
        });
    }

    private Future<Void> stillAlone() {
        long now = System.nanoTime();
        if (now - lastWatched < WATCH_NANOS) {
            return Future.succeededFuture();
        }
        lastWatched = now;
        return watch.alone();
    }

    private Future<Plan> planned(RebucketState state, boolean resumed) {
        Keys old = new Keys(namespace, state.from());
        Count count = new Count();
        // once all is set aside, the old names may be new ones
        Future<Void> counted = state.phase() == Phase.ASIDE ? count(old, count) : Future.succeededFuture();
        return counted.compose(done -> resumed ? count(old.aside(), count) : Future.succeededFuture())
                .map(done -> new Plan(state.from(), state.to(), resumed, count.jobs, count.topics.size()));
    }

    private Future<Void> count(Keys keys, Count into) {
        return new RebucketTopics(calls, new Caller(link, keys, meters), keys.buckets()).count(into);
    }

    private <T> Future<T> onLoop(Supplier<Future<T>> action) {
        Promise<T> done = Promise.promise();
        context.runOnContext(
                v -> Future.<Void>succeededFuture().compose(go -> action.get()).onComplete(done));
        return done.future();
    }
}
