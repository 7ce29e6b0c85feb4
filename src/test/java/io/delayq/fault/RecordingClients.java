package io.delayq.fault;

import io.delayq.fault.History.Ack;
import io.delayq.fault.History.Delivery;
import io.delayq.fault.History.Outcome;
import io.delayq.fault.History.Push;
import io.delayq.path.HostTime;
import io.delayq.redis.Recount;
import io.delayq.redis.StoreHarness;
import io.delayq.redis.TestRedis;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Clients of a run that go on while servers and Redis come and go, and write down all that they do and see. A push of
 * unknown outcome is not repeated. Some jobs are kept until they come again; then the old lease is tried first.
 */
final class RecordingClients implements AutoCloseable {
    static final String TOPIC = "run";
    private static final int PUSHERS = 2;
    private static final Duration REPLY_LIMIT = Duration.ofSeconds(5);

    /** A server as clients know it. @param name one that no other process had */
    record Target(String name, int port) {}

    /**
     * @param perSecond jobs pushed, at most
     * @param batch jobs in one push
     * @param maxDelayMillis jobs are due after some time up to this
     * @param leaseMillis of each job
     * @param keptOneIn one in so many jobs is kept by its first consumer
     */
    record Load(int perSecond, int batch, int maxDelayMillis, int leaseMillis, int keptOneIn) {}

    final History history = new History();
    private final HostTime.Log host = HostTime.Log.begin();
    private final List<Supplier<Target>> targets;
    private final Load load;
    private final Vertx vertx = Vertx.vertx();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();
    private final List<Thread> pushers = new ArrayList<>();
    private final List<Thread> pollers = new ArrayList<>();
    private final List<RecordingSocket> sockets = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger delivered = new AtomicInteger();
    private final Map<String, String> kept = new ConcurrentHashMap<>();
    private volatile boolean pushing = true;
    private volatile boolean consuming = true;

    RecordingClients(Load load, List<Supplier<Target>> targets) {
        this.load = load;
        this.targets = targets;
    }

    /** Pushers on all, and on each a poller and a WebSocket. */
    RecordingClients begin() {
        for (int i = 0; i < PUSHERS; i++) {
            int first = i;
            pushers.add(thread("pusher-" + i, () -> pushOn(first)));
        }
        for (int i = 0; i < targets.size(); i++) {
            Supplier<Target> target = targets.get(i);
            String name = "poller-" + i;
            pollers.add(thread(name, () -> pollOn(name, target)));
            sockets.add(new RecordingSocket(vertx, this, "socket-" + i, target));
        }
        return this;
    }

    private Thread thread(String name, Runnable work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException | AssertionError e) {
                        history.error(name + " failed: " + e);
                    }
                },
                name);
        thread.start();
        return thread;
    }

    int accepted() {
        return accepted.get();
    }

    int delivered() {
        return delivered.get();
    }

    boolean isConsuming() {
        return consuming;
    }

    private void pushOn(int first) {
        long pause = TimeUnit.SECONDS.toNanos(1) * PUSHERS * load.batch / load.perSecond;
        long turn = System.nanoTime();
        for (int i = first; pushing; i++) {
            push(i);
            turn = Math.max(turn + pause, System.nanoTime() - pause);
            LockSupport.parkNanos(turn - System.nanoTime());
        }
    }

    private void push(int turn) {
        JsonArray jobs = new JsonArray();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < load.batch; i++) {
            String id = "r" + next.getAndIncrement();
            ids.add(id);
            jobs.add(job(id));
        }
        try {
            HttpResponse<String> reply = postInTurn(turn, "/v1/jobs", jobs.encode());
            if (reply.statusCode() != 200) {
                ids.forEach(id -> pushed(id, reply.statusCode(), new JsonObject().put("detail", reply.body())));
                return;
            }
            JsonArray results = new JsonObject(reply.body()).getJsonArray("results");
            for (int i = 0; i < ids.size(); i++) {
                JsonObject row = results.getJsonObject(i);
                pushed(ids.get(i), row.getInteger("status"), row);
            }
        } catch (ConnectException e) {
            // nobody is there: never sent, so that there is nothing to write down
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        } catch (IOException e) {
            ids.forEach(id -> history.add(new Push(id, Outcome.UNKNOWN, 0)));
        }
    }

    /** To one that is there, beginning with the one whose turn it is. */
    private HttpResponse<String> postInTurn(int turn, String path, String json) throws IOException {
        for (int i = 1; i < targets.size(); i++) {
            try {
                return post(targets.get(turn++ % targets.size()).get(), path, json);
            } catch (ConnectException e) {
                // never sent
            }
        }
        return post(targets.get(turn % targets.size()).get(), path, json);
    }

    JsonObject job(String id) {
        return new JsonObject()
                .put("topic", TOPIC)
                .put("id", id)
                .put("delay", ThreadLocalRandom.current().nextInt(load.maxDelayMillis + 1))
                .put("ttr", load.leaseMillis)
                .put("retry", new JsonObject().put("maxAttempts", 0).put("backoff", new JsonArray().add(0)));
    }

    void pushed(String id, int status, JsonObject row) {
        switch (status) {
            case 201 -> {
                history.add(new Push(id, Outcome.YES, row.getLong("due")));
                accepted.incrementAndGet();
            }
            case 503 -> history.add(new Push(id, Outcome.UNKNOWN, 0));
            case 507 -> history.add(new Push(id, Outcome.NO, 0));
            default -> {
                history.add(new Push(id, Outcome.NO, 0));
                history.error("push " + status + " " + row.encode());
            }
        }
    }

    private void pollOn(String name, Supplier<Target> targets) {
        while (consuming) {
            Target target = targets.get();
            try {
                HttpResponse<String> reply =
                        post(target, "/v1/topics/" + TOPIC + "/reserve", "{\"max\":50,\"wait\":\"500ms\"}");
                if (reply.statusCode() == 200) {
                    taken(name, target, new JsonObject(reply.body()).getJsonArray("jobs"), this::ack);
                } else if (reply.statusCode() != 503) {
                    history.error("reserve " + reply.statusCode() + " " + reply.body());
                }
            } catch (IOException e) {
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
        }
    }

    /** Sends acks and writes down what became of them. */
    interface Acker {
        void ack(Target target, List<Ack> acks);
    }

    /** Writes the jobs down, and acks those that are not to be kept. */
    void taken(String consumer, Target target, JsonArray jobs, Acker acker) {
        long now = History.now();
        List<Ack> acks = new ArrayList<>();
        List<Ack> stale = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            JsonObject job = jobs.getJsonObject(i);
            String id = job.getString("id");
            String lease = job.getString("lease");
            history.add(new Delivery(
                    id,
                    lease,
                    job.getInteger("attempt"),
                    job.getLong("due"),
                    job.getLong("deadline"),
                    now,
                    consumer,
                    target.name));
            delivered.incrementAndGet();
            String old = kept.remove(id);
            if (old != null) {
                // a millisecond later than the delivery, so that the verdict can tell which came first
                stale.add(new Ack(id, old, Outcome.UNKNOWN, now + 1));
            }
            if (job.getInteger("attempt") == 1 && id.hashCode() % load.keptOneIn == 0) {
                kept.put(id, lease);
            } else {
                acks.add(new Ack(id, lease, Outcome.UNKNOWN, now));
            }
        }
        for (List<Ack> list : List.of(stale, acks)) {
            if (!list.isEmpty()) {
                acker.ack(target, list);
            }
        }
    }

    private void ack(Target target, List<Ack> acks) {
        try {
            HttpResponse<String> reply = post(
                    target,
                    "/v1/topics/" + TOPIC + "/acks",
                    new JsonObject().put("jobs", listed(acks)).encode());
            if (reply.statusCode() == 200) {
                acked(acks, new JsonObject(reply.body()).getJsonArray("stale"));
                return;
            }
            if (reply.statusCode() != 503) {
                history.error("acks " + reply.statusCode() + " " + reply.body());
            }
        } catch (IOException e) {
            // unknown
        }
        acks.forEach(history::add);
    }

    static JsonArray listed(List<Ack> acks) {
        JsonArray list = new JsonArray();
        acks.forEach(ack -> list.add(new JsonObject().put("id", ack.id()).put("lease", ack.lease())));
        return list;
    }

    void acked(List<Ack> acks, JsonArray stale) {
        for (Ack ack : acks) {
            Outcome outcome = stale.contains(ack.id()) ? Outcome.NO : Outcome.YES;
            history.add(new Ack(ack.id(), ack.lease(), outcome, ack.sent()));
        }
    }

    private HttpResponse<String> post(Target target, String path, String json) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + target.port + path))
                .timeout(REPLY_LIMIT)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void stopPushing() throws InterruptedException {
        pushing = false;
        for (Thread pusher : pushers) {
            pusher.join(REPLY_LIMIT.toMillis() * 2);
        }
    }

    /** Ends the pushes, waits until the topic is empty or the time is over, and ends. */
    void drain(Duration limit) throws InterruptedException {
        stopPushing();
        long deadline = System.nanoTime() + limit.toNanos();
        TestRedis.await("the drain", limit.plusSeconds(20), () -> isEmpty() || System.nanoTime() > deadline);
        close();
    }

    private boolean isEmpty() {
        Target target = targets.get(0).get();
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + target.port + "/v1/topics/" + TOPIC))
                .timeout(REPLY_LIMIT)
                .build();
        try {
            HttpResponse<String> reply = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (reply.statusCode() != 200) {
                return false;
            }
            JsonObject counts = new JsonObject(reply.body());
            return counts.getInteger("delayed") + counts.getInteger("ready") + counts.getInteger("reserved") == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** To be asked for when the topic is drained; looks at the keys too. Prints and writes the report. */
    Verdict verdict(String name, TestRedis redis, String namespace, int buckets) throws IOException {
        List<String> orphans;
        try (StoreHarness store = new StoreHarness(redis, redis.url(), namespace, buckets)) {
            orphans = new Recount(store).faults(List.of(TOPIC));
        }
        Verdict.Terms terms = new Verdict.Terms(load.leaseMillis, clockMillis(redis), orphans, host::between);
        return new Verdict(name, history, terms).report();
    }

    /** How far the clock of Redis is ahead of ours, at most. */
    private static long clockMillis(TestRedis redis) {
        long before = History.now();
        List<?> time = (List<?>) redis.command("TIME");
        long millis = Long.parseLong(time.get(0).toString()) * 1_000
                + Long.parseLong(time.get(1).toString()) / 1_000;
        return Math.max(0, millis - before);
    }

    @Override
    public void close() {
        if (!consuming) {
            return;
        }
        pushing = false;
        consuming = false;
        host.close();
        sockets.forEach(RecordingSocket::close);
        try {
            for (Thread poller : pollers) {
                poller.join(REPLY_LIMIT.toMillis() * 2);
            }
            vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
