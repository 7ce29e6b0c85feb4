package io.delayq.fault;

import io.delayq.path.TestServer;
import io.delayq.path.WsConsumer;
import io.delayq.redis.Keys;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Steady pushes into every bucket, each bucket's one after the other and all side by side, so that one that waits holds
 * up nobody else; and consumers that ack what comes. Knows what was accepted, refused and delivered.
 */
final class ClusterLoad implements AutoCloseable {
    static final String TOPIC = "load";

    private final TestServer server;
    private final Keys keys;
    private final List<WsConsumer> consumers = new ArrayList<>();
    private final List<CompletableFuture<Void>> pushers = new ArrayList<>();
    private final AtomicLong numbers = new AtomicLong();
    final Set<String> accepted = ConcurrentHashMap.newKeySet();
    final Map<String, Integer> delivered = new ConcurrentHashMap<>();
    final ConcurrentLinkedQueue<Refusal> refusals = new ConcurrentLinkedQueue<>();
    private final Map<Integer, Long> lastAccepted = new ConcurrentHashMap<>();
    private volatile boolean stopped;

    /** A push that was not answered 201. */
    record Refusal(int bucket, String id, long millis, String answer) {}

    /** @param consumed by consumers on these */
    ClusterLoad(TestServer server, List<TestServer> consumed) {
        this.server = server;
        this.keys = new Keys(server.settings.namespace(), server.settings.buckets());
        for (TestServer one : consumed) {
            consumers.add(new WsConsumer(one.vertx, one.port(), TOPIC, 100, this::got));
        }
    }

    private void got(JsonArray jobs) {
        jobs.forEach(job -> delivered.merge(((JsonObject) job).getString("id"), 1, Integer::sum));
    }

    ClusterLoad begin() {
        for (int bucket = 0; bucket < keys.buckets(); bucket++) {
            int at = bucket;
            pushers.add(new CompletableFuture<>());
            push(at, pushers.get(at));
        }
        return this;
    }

    private void push(int bucket, CompletableFuture<Void> over) {
        if (stopped) {
            over.complete(null);
            return;
        }
        String id = id(bucket);
        long began = System.nanoTime();
        long delay = 50L * Math.floorMod(id.hashCode(), 4);
        String json = "{\"id\":\"" + id + "\",\"delay\":" + delay + "}";
        server.sendAsync("POST", "/v1/topics/" + TOPIC + "/jobs", json).whenComplete((reply, error) -> {
            if (error == null && reply.status() == 201) {
                accepted.add(id);
                lastAccepted.put(bucket, System.nanoTime());
            } else {
                long millis = (System.nanoTime() - began) / 1_000_000;
                refusals.add(new Refusal(
                        bucket, id, millis, error == null ? reply.status() + " " + reply.type() : error.toString()));
            }
            CompletableFuture.delayedExecutor(3, TimeUnit.MILLISECONDS).execute(() -> push(bucket, over));
        });
    }

    /** An id of the bucket that was not used yet. */
    String id(int bucket) {
        while (true) {
            String id = "j" + numbers.incrementAndGet();
            if (keys.bucketOf(id) == bucket) {
                return id;
            }
        }
    }

    int bucketOf(String id) {
        return keys.bucketOf(id);
    }

    /** When a push into the bucket was last accepted. */
    long lastAccepted(int bucket) {
        return lastAccepted.getOrDefault(bucket, 0L);
    }

    /** No more pushes; completes when the last ones were answered. */
    void end() {
        stopped = true;
        pushers.forEach(TestServer::await);
    }

    Set<String> lost() {
        Set<String> lost = new TreeSet<>(accepted);
        lost.removeAll(delivered.keySet());
        return lost;
    }

    Map<String, Integer> twice() {
        Map<String, Integer> twice = new TreeMap<>(delivered);
        twice.values().removeIf(times -> times == 1);
        return twice;
    }

    String summary() {
        return accepted.size() + " accepted, " + refusals.size() + " refused, " + delivered.size() + " delivered, "
                + lost().size() + " not delivered yet, " + twice().size() + " twice";
    }

    @Override
    public void close() {
        stopped = true;
        consumers.forEach(WsConsumer::close);
    }
}
