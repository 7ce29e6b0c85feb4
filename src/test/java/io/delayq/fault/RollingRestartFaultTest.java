package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.path.TestServer;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.TestRedis;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two servers are replaced one after the other while jobs are pushed and consumed at both. */
@Tag("fault")
class RollingRestartFaultTest {
    private static final int JOBS_A_SECOND = 300;
    /** A little more, so that the last pushes on their way do not take it below. */
    private static final int PACE = 305;

    private static final int BATCH = 5;
    private static final int MOST_BATCHES = 200;
    private static final int TRIES = 100;
    private static final int MIN_DELAY_MILLIS = 200;
    private static final int MAX_DELAY_MILLIS = 1_000;
    /** How long a consumer works on a job. What it holds when the stop comes is acked well within the grace time. */
    private static final long WORK_MILLIS = 400;

    private static final int PREFETCH = 100;
    private static final String TOPIC = "rolling";
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    @TempDir
    Path dir;

    @Test
    void each_restarted_once_loses_nothing_and_delivers_nothing_twice() throws Exception {
        double rate = check(1);
        assertTrue(rate >= 0.9 * JOBS_A_SECOND, rate + " jobs/s");
    }

    @Test
    @Tag("storm")
    @Timeout(600)
    void each_restarted_ten_times_loses_nothing_and_delivers_nothing_twice() throws Exception {
        double rate = check(10);
        assertTrue(rate >= JOBS_A_SECOND, rate + " jobs/s");
    }

    /** Returns how many jobs a second were taken. */
    private double check(int rounds) throws Exception {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
                Run run = new Run(dir, redis.url())) {
            run.begin();
            for (int round = 0; round < rounds; round++) {
                for (int which = 0; which < 2; which++) {
                    run.awaitDelivered(JOBS_A_SECOND / 2);
                    run.restart(which);
                }
            }
            run.awaitDelivered(JOBS_A_SECOND / 2);
            return run.end(2 * rounds);
        }
    }

    /** The servers, and clients who go to the other one where one refuses. */
    private static final class Run implements AutoCloseable {
        private final Path dir;
        private final String redisUrl;
        private final Vertx vertx = Vertx.vertx();
        private final AtomicReferenceArray<ChildServer> servers = new AtomicReferenceArray<>(2);
        private final Worker[] workers = new Worker[2];
        private final List<Thread> pollers = new ArrayList<>();
        private final Thread pusher = new Thread(this::pushInTime, "pusher");
        private final Semaphore free = new Semaphore(MOST_BATCHES);
        private final Set<String> accepted = ConcurrentHashMap.newKeySet();
        private final Set<String> doubtful = ConcurrentHashMap.newKeySet();
        private final Set<String> delivered = ConcurrentHashMap.newKeySet();
        private final Queue<String> twice = new ConcurrentLinkedQueue<>();
        private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
        private final AtomicInteger turnedAway = new AtomicInteger();
        private final AtomicInteger cutOff = new AtomicInteger();
        private long begun;
        private long longestStop;
        private int heldAtStops;
        private int started;
        private volatile boolean pushing = true;
        private volatile boolean over;

        Run(Path dir, String redisUrl) {
            this.dir = dir;
            this.redisUrl = redisUrl;
            ChildServer first = launch();
            ChildServer second = launch();
            use(0, first);
            use(1, second);
        }

        private ChildServer launch() {
            return ChildServer.launch(dir.resolve("d" + ++started), "--redis.url=" + redisUrl);
        }

        private void use(int which, ChildServer launched) {
            servers.set(which, launched.listening());
            workers[which] = new Worker(this, launched.port());
        }

        boolean isWrong() {
            return !wrong.isEmpty() || !twice.isEmpty();
        }

        void awaitDelivered(int more) {
            int before = delivered.size();
            TestRedis.await("jobs delivered", () -> delivered.size() >= before + more || isWrong());
        }

        void begin() {
            begun = System.nanoTime();
            for (int i = 0; i < 2; i++) {
                int which = i;
                pollers.add(new Thread(() -> poll(which), "poller-" + i));
            }
            pusher.start();
            pollers.forEach(Thread::start);
        }

        /** By the clock: a slow answer does not hold up the next push, and what was missed is made up for. */
        private void pushInTime() {
            for (int batch = 0; pushing; batch++) {
                LockSupport.parkNanos(begun + batch * BATCH * 1_000_000_000L / PACE - System.nanoTime());
                if (!free.tryAcquire()) {
                    wrong.add(MOST_BATCHES + " pushes wait for an answer");
                    return;
                }
                JsonArray jobs = new JsonArray();
                for (int i = batch * BATCH; i < (batch + 1) * BATCH; i++) {
                    int delay = MIN_DELAY_MILLIS + i * 37 % (MAX_DELAY_MILLIS - MIN_DELAY_MILLIS);
                    jobs.add(new JsonObject()
                            .put("topic", TOPIC)
                            .put("id", "r" + i)
                            .put("delay", delay));
                }
                push(jobs, batch, TRIES);
            }
        }

        /** One that is gone is out of the clients' list, as with a load balancer; one that stops is not yet. */
        private ChildServer at(int number) {
            ChildServer server = servers.get(number % 2);
            return server == null ? servers.get((number + 1) % 2) : server;
        }

        private void push(JsonArray jobs, int number, int tries) {
            if (tries == 0 || over) {
                wrong.add("nobody took " + jobs);
                free.release();
                return;
            }
            at(number).sendAsync("POST", "/v1/jobs", jobs.encode()).whenComplete((reply, error) -> {
                JsonArray left = jobs;
                if (error != null) {
                    ids(jobs).forEach(doubtful::add);
                } else if (reply.status() == 200) {
                    left = refused(jobs, reply.json().getJsonArray("results"));
                } else if (reply.status() != 503) {
                    wrong.add("push: " + reply.text());
                }
                if (left.isEmpty()) {
                    free.release();
                    return;
                }
                turnedAway.incrementAndGet();
                JsonArray again = left;
                // to the other one at once, and then with a little time
                Executor soon = CompletableFuture.delayedExecutor(tries == TRIES ? 0 : 20, TimeUnit.MILLISECONDS);
                soon.execute(() -> push(again, number + 1, tries - 1));
            });
        }

        /** The jobs that are to be pushed again. */
        private JsonArray refused(JsonArray jobs, JsonArray results) {
            JsonArray left = new JsonArray();
            for (int i = 0; i < jobs.size(); i++) {
                JsonObject job = jobs.getJsonObject(i);
                String id = job.getString("id");
                int status = results.getJsonObject(i).getInteger("status");
                if (status == 201 || status == 409 && doubtful.contains(id)) {
                    accepted.add(id);
                } else if (status == 503) {
                    doubtful.add(id);
                    left.add(job);
                } else {
                    wrong.add("push of " + id + ": " + results.getJsonObject(i));
                }
            }
            return left;
        }

        /** Whoever has it works on it: when it comes again, the work is done twice. */
        private void delivered(JsonArray jobs) {
            for (int i = 0; i < jobs.size(); i++) {
                JsonObject job = jobs.getJsonObject(i);
                if (!delivered.add(job.getString("id"))) {
                    twice.add(job.getString("id") + " at attempt " + job.getInteger("attempt"));
                }
            }
        }

        private void poll(int which) {
            while (!over) {
                try {
                    Reply reply = at(which).reserve(TOPIC, 20, "300ms");
                    if (reply.status() == 200 && !reply.jobs().isEmpty()) {
                        delivered(reply.jobs());
                        ack(which, reply.jobs());
                    } else if (reply.status() != 200 && reply.status() != 503) {
                        wrong.add("reserve: " + reply.text());
                    }
                } catch (IOException e) {
                    turnedAway.incrementAndGet();
                }
            }
        }

        /** Where it came from, or else at the other server. */
        private void ack(int which, JsonArray jobs) {
            String json = new JsonObject().put("jobs", leases(jobs)).encode();
            for (int i = which; i < which + TRIES; i++) {
                try {
                    Reply reply = at(i).send("POST", "/v1/topics/" + TOPIC + "/acks", json);
                    if (reply.status() == 200) {
                        if (!reply.json().getJsonArray("stale").isEmpty()) {
                            wrong.add("stale: " + reply.text());
                        }
                        return;
                    }
                } catch (IOException e) {
                    turnedAway.incrementAndGet();
                }
            }
            wrong.add("nobody took acks");
        }

        void restart(int which) {
            ChildServer old = servers.get(which);
            Worker worker = workers[which];
            // else the stop has nothing to wait for
            TestRedis.await("jobs at work", () -> worker.held.size() >= 10 || isWrong());
            heldAtStops += worker.held.size();
            long began = System.nanoTime();
            old.terminate();
            assertEquals(0, old.exitCode(STOP_LIMIT), old.log());
            longestStop = Math.max(longestStop, (System.nanoTime() - began) / 1_000_000);
            assertFalse(old.log().contains("ERROR") || old.log().contains("not closed"), old.log());
            servers.set(which, null);
            worker.close();
            old.close();
            use(which, launch());
        }

        private int left() {
            try {
                JsonObject counts =
                        servers.get(0).send("GET", "/v1/topics/" + TOPIC, null).json();
                return counts.getInteger("delayed")
                        + counts.getInteger("ready")
                        + counts.getInteger("reserved")
                        + counts.getInteger("dead");
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        /** Returns how many jobs a second were taken, from the first push to the answer to the last one. */
        double end(int restarts) throws Exception {
            pushing = false;
            pusher.join(10_000);
            assertTrue(free.tryAcquire(MOST_BATCHES, 30, TimeUnit.SECONDS), "a push without an end");
            double seconds = (System.nanoTime() - begun) / 1e9;
            TestRedis.await("all delivered and settled", Duration.ofSeconds(20), () -> left() == 0 || isWrong());
            over = true;
            for (Thread poller : pollers) {
                poller.join(5_000);
            }
            Set<String> lost = new TreeSet<>(accepted);
            lost.removeAll(delivered);
            double rate = accepted.size() / seconds;
            System.out.printf(
                    "rolling restart: %d restarts under %.1f jobs/s in %.0f s, longest stop %d ms, %d jobs at work when"
                            + " a stop came and %d of them cut off, %d accepted, %d delivered, %d lost, %d duplicated,"
                            + " %d requests turned to the other server%n",
                    restarts,
                    rate,
                    seconds,
                    longestStop,
                    heldAtStops,
                    cutOff.get(),
                    accepted.size(),
                    delivered.size(),
                    lost.size(),
                    twice.size(),
                    turnedAway.get());
            assertEquals(List.of(), List.copyOf(wrong));
            assertEquals(List.of(), List.copyOf(twice), "duplicated");
            assertEquals(Set.of(), lost, "lost");
            assertEquals(0, cutOff.get(), "jobs whose consumer could not ack");
            assertEquals(0, left(), "left in the topic");
            return rate;
        }

        @Override
        public void close() {
            over = true;
            pushing = false;
            for (int i = 0; i < 2; i++) {
                workers[i].close();
                if (servers.get(i) != null) {
                    servers.get(i).close();
                }
            }
            vertx.close();
        }
    }

    private static List<String> ids(JsonArray jobs) {
        return jobs.stream().map(job -> ((JsonObject) job).getString("id")).toList();
    }

    private static JsonArray leases(JsonArray jobs) {
        JsonArray list = new JsonArray();
        for (int i = 0; i < jobs.size(); i++) {
            JsonObject job = jobs.getJsonObject(i);
            list.add(new JsonObject().put("id", job.getString("id")).put("lease", job.getString("lease")));
        }
        return list;
    }

    /** A WebSocket consumer that takes its time with each job before it acks it. */
    private static final class Worker {
        private final Run run;
        private final WebSocketClient client;
        private final WebSocket socket;
        /** Jobs that no ack of was answered yet. */
        private final Set<String> held = ConcurrentHashMap.newKeySet();

        private final Map<Integer, List<String>> asked = new HashMap<>();
        private int refs;

        Worker(Run run, int port) {
            this.run = run;
            this.client = run.vertx.createWebSocketClient();
            this.socket = TestServer.await(client.connect(port, "127.0.0.1", "/v1/ws")
                    .toCompletionStage()
                    .toCompletableFuture());
            socket.textMessageHandler(text -> received(new JsonObject(text)));
            socket.closeHandler(closed -> run.cutOff.addAndGet(run.over ? 0 : held.size()));
            send(new JsonObject().put("op", "subscribe").put("topic", TOPIC).put("prefetch", PREFETCH));
        }

        private void received(JsonObject message) {
            switch (message.getString("op")) {
                case "jobs" -> {
                    JsonArray jobs = message.getJsonArray("jobs");
                    run.delivered(jobs);
                    held.addAll(ids(jobs));
                    run.vertx.setTimer(WORK_MILLIS, done -> ack(jobs));
                }
                case "acked" -> {
                    asked.remove(message.getInteger("ref")).forEach(held::remove);
                    if (!message.getJsonArray("stale").isEmpty()) {
                        run.wrong.add("stale: " + message);
                    }
                }
                case "error" -> run.wrong.add(message.encode());
                default -> {}
            }
        }

        private void ack(JsonArray jobs) {
            if (!socket.isClosed()) {
                asked.put(++refs, ids(jobs));
                send(new JsonObject()
                        .put("op", "ack")
                        .put("ref", refs)
                        .put("topic", TOPIC)
                        .put("jobs", leases(jobs)));
            }
        }

        private void send(JsonObject message) {
            socket.writeTextMessage(message.encode());
        }

        void close() {
            if (!socket.isClosed()) {
                socket.close();
            }
            client.close();
        }
    }
}
