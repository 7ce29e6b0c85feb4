package io.delayq.redis;

import io.delayq.config.Settings;
import io.delayq.job.JobOptions;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.When;
import io.delayq.ops.Meters;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** A store on an event loop of its own, called from the test's thread. */
public final class StoreHarness implements AutoCloseable {
    private static final long PATIENT_MILLIS = 10_000;

    public final Keys keys;
    public final TestRedis redis;
    public final String namespace;
    /** What the store counts. */
    public final Meters meters = new Meters(new SimpleMeterRegistry());

    private final TestCluster cluster;
    private final Vertx vertx;
    private final Context context;
    private Store store;
    private Link link;

    public StoreHarness(TestRedis redis, int buckets) {
        this(redis, redis.url(), "s" + UUID.randomUUID().toString().substring(0, 8), buckets);
    }

    /** One for many calls at once, the first of which are slow where Java has just begun. */
    static StoreHarness patient(TestRedis redis, int buckets) {
        return new StoreHarness(
                redis,
                null,
                withDeadline(Settings.defaults().redis().withUrl(redis.url()), PATIENT_MILLIS),
                "s" + UUID.randomUUID().toString().substring(0, 8),
                buckets);
    }

    /** @param url may lead to the Redis through something that disturbs it */
    public StoreHarness(TestRedis redis, String url, String namespace, int buckets) {
        this(redis, null, Settings.defaults().redis().withUrl(url), namespace, buckets);
    }

    public StoreHarness(TestCluster cluster, int buckets) {
        this(
                null,
                cluster,
                cluster.settings(),
                "s" + UUID.randomUUID().toString().substring(0, 8),
                buckets);
    }

    /** Another one on the same jobs, that waits no longer than this for Redis. */
    public StoreHarness(StoreHarness same, long deadlineMillis) {
        this(
                same.redis,
                same.cluster,
                withDeadline(same.cluster.settings(), deadlineMillis),
                same.namespace,
                same.keys.buckets());
    }

    private static Settings.Redis withDeadline(Settings.Redis redis, long millis) {
        return new Settings.Redis(
                redis.url(),
                millis,
                redis.tryMillis(),
                redis.queue(),
                redis.ca(),
                redis.program(),
                redis.topology(),
                redis.durability(),
                redis.allowEviction());
    }

    private StoreHarness(TestRedis redis, TestCluster cluster, Settings.Redis settings, String namespace, int buckets) {
        this.redis = redis;
        this.cluster = cluster;
        this.namespace = namespace;
        this.keys = new Keys(namespace, buckets);
        this.vertx = Vertx.vertx();
        this.context = vertx.getOrCreateContext();
        RedisEndpoint endpoint = new RedisEndpoint(settings);
        run(() -> {
            link = cluster == null
                    ? new RedisLink(vertx, endpoint, "test")
                    : new ClusterLink(vertx, endpoint, keys, "test");
            store = new Store(vertx, link, endpoint, keys, meters);
            return Future.succeededFuture();
        });
    }

    public <T> CompletableFuture<T> async(Function<Store, Future<T>> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        context.runOnContext(v -> action.apply(store).onComplete(done -> {
            if (done.succeeded()) {
                result.complete(done.result());
            } else {
                result.completeExceptionally(done.cause());
            }
        }));
        return result;
    }

    public <T> T call(Function<Store, Future<T>> action) {
        return await(async(action));
    }

    private <T> T run(Supplier<Future<T>> action) {
        return call(ignored -> action.get());
    }

    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    public static NewJob job(String topic, String id, When when) {
        return new NewJob(topic, id, when, JobOptions.NONE, Buffer.buffer("{\"id\":1}"));
    }

    public static NewJob job(String topic, String id, When when, Retry retry, Long ttr) {
        JobOptions options = new JobOptions(ttr, retry, null, null, null, null, null);
        return new NewJob(topic, id, when, options, Buffer.buffer("null"));
    }

    public static NewJob job(String topic, String id, When when, Priority priority) {
        JobOptions options = new JobOptions(null, Retry.INHERITED, null, priority, null, null, null);
        return new NewJob(topic, id, when, options, Buffer.buffer("null"));
    }

    /** Asks the Redis that has the key, the second word; KEYS asks all. */
    public Object commandBytes(byte[]... words) {
        return cluster == null ? redis.commandBytes(words) : cluster.commandBytes(words);
    }

    public Object command(String... words) {
        return cluster == null ? redis.command(words) : cluster.command(words);
    }

    /** Reserves from all buckets, up to max in all. */
    public List<io.delayq.job.Delivery> reserve(String topic, int max) {
        List<io.delayq.job.Delivery> all = new ArrayList<>();
        for (int bucket = 0; bucket < keys.buckets(); bucket++) {
            boolean more = true;
            while (more && all.size() < max) {
                int at = bucket;
                int left = max - all.size();
                Store.Leased leased = call(s -> s.reserve(at, List.of(new Store.Want(topic, left))))
                        .leased()
                        .get(0);
                all.addAll(leased.jobs());
                more = leased.more();
            }
        }
        return all;
    }

    /** Runs the scanner's script in every bucket until nothing is due. */
    public void dueAll() {
        for (int bucket = 0; bucket < keys.buckets(); bucket++) {
            int at = bucket;
            Store.Alarm alarm;
            int rounds = 0;
            do {
                alarm = call(s -> s.due(at, 500));
                if (++rounds > 2_000) {
                    throw new AssertionError("the scanner never comes to an end");
                }
            } while (alarm.alarm() >= 0 && alarm.alarm() <= alarm.nowMicros() / 1_000);
        }
    }

    /** Every key of this namespace. */
    @SuppressWarnings("unchecked")
    public List<String> allKeys() {
        return ((List<Object>) redis.command("KEYS", "{" + namespace + "*"))
                .stream().map(Object::toString).toList();
    }

    @Override
    public void close() {
        run(() -> link.close());
        await(vertx.close().toCompletionStage().toCompletableFuture());
    }
}
