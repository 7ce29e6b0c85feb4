package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.delayq.path.TestServer.Reply;
import io.delayq.path.WsConsumer;
import io.delayq.redis.TestRedis;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two servers are replaced one after the other while jobs are pushed and consumed at both. */
class RollingRestartFaultTest {
    private static final int JOBS_A_SECOND = 300;
    private static final int PUSHERS = 4;
    private static final int MAX_DELAY_MILLIS = 1_000;
    private static final String TOPIC = "rolling";
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    @TempDir
    Path dir;

    @Test
    void each_restarted_once_loses_nothing_and_delivers_nothing_twice() throws Exception {
        check(1);
    }

    @Test
    @Tag("storm")
    @Timeout(600)
    void each_restarted_five_times_loses_nothing_and_delivers_nothing_twice() throws Exception {
        check(5);
    }

    private void check(int rounds) throws Exception {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
                Run run = new Run(dir, redis.url())) {
            run.begin();
            for (int round = 0; round < rounds; round++) {
                for (int which = 0; which < 2; which++) {
                    int before = run.delivered.size();
                    TestRedis.await(
                            "jobs delivered", () -> run.delivered.size() >= before + JOBS_A_SECOND || run.isWrong());
                    run.restart(which);
                }
            }
            int before = run.delivered.size();
            TestRedis.await("jobs delivered", () -> run.delivered.size() >= before + JOBS_A_SECOND || run.isWrong());
            run.end(2 * rounds);
        }
    }

    /** The servers, and clients who go to the other one where one refuses. */
    private static final class Run implements AutoCloseable {
        private final Path dir;
        private final String redisUrl;
        private final Vertx vertx = Vertx.vertx();
        private final AtomicReferenceArray<ChildServer> servers = new AtomicReferenceArray<>(2);
        private final WsConsumer[] sockets = new WsConsumer[2];
        private final List<Thread> pushers = new ArrayList<>();
        private final List<Thread> pollers = new ArrayList<>();
        private final Set<String> accepted = ConcurrentHashMap.newKeySet();
        private final Set<String> doubtful = ConcurrentHashMap.newKeySet();
        private final Set<String> delivered = ConcurrentHashMap.newKeySet();
        private final Queue<String> twice = new ConcurrentLinkedQueue<>();
        private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger turnedAway = new AtomicInteger();
        private long begun;
        private long longestStop;
        private int started;
        private volatile boolean pushing = true;
        private volatile boolean over;

        Run(Path dir, String redisUrl) {
            this.dir = dir;
            this.redisUrl = redisUrl;
            start(0);
            start(1);
        }

        private void start(int which) {
            ChildServer server = ChildServer.start(dir.resolve("d" + ++started), "--redis.url=" + redisUrl);
            servers.set(which, server);
            sockets[which] = new WsConsumer(vertx, server.port(), TOPIC, 50, this::delivered);
        }

        boolean isWrong() {
            return !wrong.isEmpty() || !twice.isEmpty();
        }

        void begin() {
            begun = System.nanoTime();
            for (int i = 0; i < PUSHERS; i++) {
                pushers.add(new Thread(this::pushInTime, "pusher-" + i));
            }
            for (int i = 0; i < 2; i++) {
                int which = i;
                pollers.add(new Thread(() -> poll(which), "poller-" + i));
            }
            pushers.forEach(Thread::start);
            pollers.forEach(Thread::start);
        }

        /** At its pace; what a slow machine misses is not made up for. */
        private void pushInTime() {
            long step = 1_000_000_000L * PUSHERS / JOBS_A_SECOND;
            for (long at = System.nanoTime(); pushing; at = Math.max(at + step, System.nanoTime() - step)) {
                LockSupport.parkNanos(at - System.nanoTime());
                push();
            }
        }

        /** One that is gone is out of the clients' list, as with a load balancer; one that stops is not yet. */
        private ChildServer at(int number) {
            ChildServer server = servers.get(number % 2);
            return server == null ? servers.get((number + 1) % 2) : server;
        }

        void restart(int which) {
            ChildServer old = servers.get(which);
            long began = System.nanoTime();
            old.terminate();
            assertEquals(0, old.exitCode(STOP_LIMIT), old.log());
            longestStop = Math.max(longestStop, (System.nanoTime() - began) / 1_000_000);
            assertFalse(old.log().contains("ERROR") || old.log().contains("not closed"), old.log());
            servers.set(which, null);
            sockets[which].close();
            old.close();
            start(which);
        }

        private void push() {
            int number = next.getAndIncrement();
            String id = "r" + number;
            String json = "{\"id\":\"" + id + "\",\"delay\":" + number * 37 % MAX_DELAY_MILLIS + "}";
            for (int i = number; i < number + 200 && !over; i++) {
                try {
                    Reply reply = at(i).push(TOPIC, json);
                    if (reply.status() == 201 || reply.status() == 409 && doubtful.contains(id)) {
                        accepted.add(id);
                        return;
                    } else if (reply.status() != 503) {
                        wrong.add("push of " + id + ": " + reply.text());
                        return;
                    }
                } catch (IOException e) {
                    doubtful.add(id);
                }
                turnedAway.incrementAndGet();
            }
            wrong.add("nobody took " + id);
        }

        private void delivered(JsonArray jobs) {
            for (int i = 0; i < jobs.size(); i++) {
                String id = jobs.getJsonObject(i).getString("id");
                if (!delivered.add(id)) {
                    twice.add(id + " at attempt " + jobs.getJsonObject(i).getInteger("attempt"));
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
            JsonArray list = new JsonArray();
            for (int i = 0; i < jobs.size(); i++) {
                JsonObject job = jobs.getJsonObject(i);
                list.add(new JsonObject().put("id", job.getString("id")).put("lease", job.getString("lease")));
            }
            String json = new JsonObject().put("jobs", list).encode();
            for (int i = which; i < which + 200; i++) {
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

        void end(int restarts) throws Exception {
            pushing = false;
            double pushedFor = (System.nanoTime() - begun) / 1e9;
            for (Thread pusher : pushers) {
                pusher.join(10_000);
                assertFalse(pusher.isAlive(), "a push without an end");
            }
            TestRedis.await("all delivered and settled", Duration.ofSeconds(20), () -> left() == 0 || isWrong());
            over = true;
            for (Thread poller : pollers) {
                poller.join(5_000);
            }
            Set<String> lost = ConcurrentHashMap.newKeySet();
            lost.addAll(accepted);
            lost.removeAll(delivered);
            System.out.printf(
                    "rolling restart: %d restarts under %.0f jobs/s in %.0f s, longest stop %d ms, %d accepted,"
                            + " %d delivered, %d lost, %d duplicated, %d requests turned to the other server%n",
                    restarts,
                    accepted.size() / pushedFor,
                    pushedFor,
                    longestStop,
                    accepted.size(),
                    delivered.size(),
                    lost.size(),
                    twice.size(),
                    turnedAway.get());
            assertEquals(List.of(), List.copyOf(wrong));
            assertEquals(List.of(), List.copyOf(twice), "duplicated");
            assertEquals(Set.of(), lost, "lost");
            assertEquals(0, sockets[0].stale() + sockets[1].stale(), "stale acks");
            assertEquals(0, left(), "left in the topic");
        }

        @Override
        public void close() {
            over = true;
            pushing = false;
            for (int i = 0; i < 2; i++) {
                sockets[i].close();
                if (servers.get(i) != null) {
                    servers.get(i).close();
                }
            }
            vertx.close();
        }
    }
}
