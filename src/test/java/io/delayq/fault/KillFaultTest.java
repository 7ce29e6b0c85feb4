package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.path.TestServer.Reply;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server is killed without a word, again and again, in the middle of the work. */
@Tag("fault")
class KillFaultTest {
    @TempDir
    Path dir;

    @Test
    @Tag("storm")
    void ten_kills_lose_no_job_bring_no_settled_one_back_and_let_no_old_lease_hold() throws Exception {
        check(dir, null, new Load(2_000, 10_000, 10, true, Duration.ofSeconds(20)));
    }

    /**
     * @param oldLeases whether to try leases from before the first kill too
     * @param drain how long the last jobs may take after the last start
     */
    record Load(int jobs, int maxDelayMillis, int kills, boolean oldLeases, Duration drain) {}

    /**
     * Also run with a fault planted, to see that it turns red.
     *
     * @param fault null: none
     */
    static void check(Path dir, PlantedMain.Fault fault, Load load) throws Exception {
        try (Run run = new Run(dir.resolve("data"), fault, load)) {
            OldLeases old = load.oldLeases ? new OldLeases(run.server) : null;
            run.begin();
            for (int kill = 1; kill <= load.kills; kill++) {
                run.killAndStartAgain(kill);
                if (old != null) {
                    old.check(run.server, kill, load.kills);
                }
            }
            run.end();
        }
    }

    /** A load of pushers and pollers that goes on while the server comes and goes, and all that they saw. */
    private static final class Run implements AutoCloseable {
        private static final String TOPIC = "kill";
        private static final int PUSHERS = 2;
        private static final int POLLERS = 4;
        private static final String RULES = "\"ttr\":\"1500ms\",\"retry\":{\"maxAttempts\":0,\"backoff\":[0]}";

        /** One delivery as a poller saw it. */
        private record Seen(int attempt, long deadline) {}

        private final Path data;
        private final PlantedMain.Fault fault;
        private final Load load;
        private final Random random = new Random(7);
        private final AtomicInteger next = new AtomicInteger();
        private final Map<String, Long> accepted = new ConcurrentHashMap<>();
        private final Set<String> doubtful = ConcurrentHashMap.newKeySet();
        private final Map<String, Seen> seen = new ConcurrentHashMap<>();
        private final Map<String, Integer> acked = new ConcurrentHashMap<>();
        private final Set<String> ackUnknown = ConcurrentHashMap.newKeySet();
        private final AtomicInteger again = new AtomicInteger();
        private final AtomicInteger kept = new AtomicInteger();
        private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
        private final List<Thread> threads = new ArrayList<>();
        private final List<Thread> pushers = new ArrayList<>();
        private volatile ChildServer server;
        private volatile int allowed;
        private volatile boolean over;
        private volatile long lastProgress = System.nanoTime();

        Run(Path data, PlantedMain.Fault fault, Load load) {
            this.data = data;
            this.fault = fault;
            this.load = load;
            this.allowed = load.jobs / (load.kills + 1);
            this.server = ChildServer.launchWith(fault, data).listening();
        }

        void begin() {
            for (int i = 0; i < PUSHERS; i++) {
                pushers.add(thread("pusher-" + i, this::push));
            }
            for (int i = 0; i < POLLERS; i++) {
                thread("poller-" + i, this::poll);
            }
        }

        private Thread thread(String name, Runnable work) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            work.run();
                        } catch (Throwable e) {
                            wrong.add(name + " failed: " + e);
                        }
                    },
                    name);
            threads.add(thread);
            thread.start();
            return thread;
        }

        /** Nothing was delivered for long: the rest will tell what is wrong. */
        boolean isStuck() {
            return !wrong.isEmpty() || System.nanoTime() - lastProgress > load.drain.toNanos();
        }

        /** Kills while jobs are delivered and a further share of them is being pushed. */
        void killAndStartAgain(int kill) {
            int share = load.jobs / (load.kills + 1);
            int seenBefore = seen.size();
            TestRedis.await("jobs delivered", () -> seen.size() >= seenBefore + share / 4 || isStuck());
            int acceptedBefore = accepted.size();
            allowed = kill == load.kills ? load.jobs : share * (kill + 1);
            TestRedis.await("jobs pushed", () -> accepted.size() > acceptedBefore + share / 4 || isStuck());
            server.kill9();
            server = ChildServer.launchWith(fault, data).listening();
        }

        private void push() {
            for (int i = next.getAndIncrement(); i < load.jobs && !over; i = next.getAndIncrement()) {
                int mine = i;
                TestRedis.await("my turn", Duration.ofMinutes(1), () -> mine < allowed || over);
                String id = "k" + i;
                int delay;
                synchronized (random) {
                    delay = random.nextInt(load.maxDelayMillis);
                }
                String json = "{\"id\":\"" + id + "\",\"delay\":" + delay + "," + RULES + "}";
                while (!pushed(id, json) && !over) {
                    doubtful.add(id);
                }
            }
        }

        private boolean pushed(String id, String json) {
            try {
                Reply reply = server.push(TOPIC, json);
                if (reply.status() == 201) {
                    accepted.put(id, reply.json().getLong("due"));
                    return true;
                }
                if (reply.status() == 409 && doubtful.contains(id)) {
                    accepted.putIfAbsent(id, 0L);
                    return true;
                }
                if (reply.status() != 503) {
                    wrong.add("push of " + id + ": " + reply.text());
                }
            } catch (IOException e) {
                waitForServer();
            }
            return false;
        }

        private void waitForServer() {
            TestRedis.await("a server", () -> over || isServed());
        }

        private boolean isServed() {
            try {
                return server.send("GET", "/health/live", null).status() == 200;
            } catch (IOException e) {
                return false;
            }
        }

        private void poll() {
            while (!over) {
                Reply reply;
                ChildServer from = server;
                try {
                    reply = from.reserve(TOPIC, 20, "500ms");
                } catch (IOException e) {
                    waitForServer();
                    continue;
                }
                if (reply.status() != 200) {
                    if (reply.status() != 503) {
                        wrong.add("reserve: " + reply.text());
                    }
                    continue;
                }
                long now = System.currentTimeMillis();
                List<JsonObject> toAck = new ArrayList<>();
                for (int i = 0; i < reply.jobs().size(); i++) {
                    JsonObject job = reply.job(i);
                    delivered(job, now);
                    // some consumers die with the job in hand
                    if (job.getInteger("attempt") > 1 || job.getString("id").hashCode() % 10 != 0) {
                        toAck.add(job);
                    } else {
                        kept.incrementAndGet();
                    }
                }
                if (!toAck.isEmpty()) {
                    ack(toAck);
                }
            }
        }

        private void delivered(JsonObject job, long now) {
            lastProgress = System.nanoTime();
            String id = job.getString("id");
            int attempt = job.getInteger("attempt");
            if (now < job.getLong("due")) {
                wrong.add("early by " + (job.getLong("due") - now) + " ms: " + id);
            }
            Long due = accepted.get(id);
            if (due != null && !doubtful.contains(id) && job.getLong("due") < due) {
                wrong.add(id + " was due at " + due + " but came for " + job.getLong("due"));
            }
            Integer settled = acked.get(id);
            // one that was pushed a second time because nobody knew of the first may live twice
            if (settled != null && attempt > settled && !doubtful.contains(id)) {
                wrong.add("settled, and came back: " + id);
            }
            Seen before = seen.put(id, new Seen(attempt, job.getLong("deadline")));
            if (before != null) {
                again.incrementAndGet();
                if (attempt > before.attempt && now < before.deadline) {
                    wrong.add("came again before its lease ended: " + id);
                }
                if (attempt == before.attempt && !doubtful.contains(id)) {
                    wrong.add("the same attempt twice: " + id);
                }
            }
        }

        private void ack(List<JsonObject> jobs) {
            JsonArray list = new JsonArray();
            for (JsonObject job : jobs) {
                list.add(new JsonObject().put("id", job.getString("id")).put("lease", job.getString("lease")));
            }
            try {
                Reply reply = server.send(
                        "POST",
                        "/v1/topics/" + TOPIC + "/acks",
                        new JsonObject().put("jobs", list).encode());
                if (reply.status() == 200) {
                    JsonArray stale = reply.json().getJsonArray("stale");
                    jobs.stream()
                            .filter(job -> !stale.contains(job.getString("id")))
                            .forEach(job -> acked.put(job.getString("id"), job.getInteger("attempt")));
                    return;
                }
                if (reply.status() != 503) {
                    wrong.add("acks: " + reply.text());
                }
            } catch (IOException e) {
                waitForServer();
            }
            jobs.forEach(job -> ackUnknown.add(job.getString("id")));
        }

        /** Waits until all is pushed and settled, and judges. */
        void end() throws Exception {
            for (Thread pusher : pushers) {
                pusher.join(load.drain.toMillis());
            }
            long deadline = System.nanoTime() + load.drain.toNanos();
            TestRedis.await("the end", () -> System.nanoTime() > deadline || left() == 0 || !wrong.isEmpty());
            int left = left();
            over = true;
            for (Thread thread : threads) {
                thread.join(5_000);
            }
            List<String> lost = accepted.keySet().stream()
                    .filter(id -> !acked.containsKey(id) && !(ackUnknown.contains(id) && left == 0))
                    .toList();
            System.out.printf(
                    "kill -9: %d accepted (%d of unknown outcome pushed again), %d delivered, %d acked"
                            + " (%d more with the answer cut), %d lost, %d delivered again after their lease ended"
                            + " (%d kept on purpose), %d wrong, %d kills%n",
                    accepted.size(),
                    doubtful.size(),
                    seen.size(),
                    acked.size(),
                    accepted.keySet().stream()
                            .filter(id -> !acked.containsKey(id) && ackUnknown.contains(id))
                            .count(),
                    lost.size(),
                    again.get(),
                    kept.get(),
                    wrong.size(),
                    load.kills);
            assertEquals(List.of(), List.copyOf(wrong));
            assertEquals(load.jobs, accepted.size(), "accepted");
            assertEquals(List.of(), lost, "lost");
            assertEquals(0, left, "left in the topic");
            assertTrue(kept.get() > 0 && again.get() >= kept.get(), "kept by consumers, and not seen again");
        }

        private int left() {
            try {
                JsonObject counts =
                        server.send("GET", "/v1/topics/" + TOPIC, null).json();
                return counts.getInteger("delayed")
                        + counts.getInteger("ready")
                        + counts.getInteger("reserved")
                        + counts.getInteger("dead");
            } catch (IOException e) {
                return Integer.MAX_VALUE;
            }
        }

        @Override
        public void close() {
            over = true;
            server.close();
        }
    }

    /** Leases taken before the first kill: refused as soon as the job lives again under another one. */
    private static final class OldLeases {
        private final JsonObject ended;
        private final JsonObject replaced;
        private final JsonObject deleted;
        private final JsonObject dead;

        OldLeases(ChildServer server) throws IOException {
            ended = reserved(server, "ended", "\"ttr\":\"2s\",\"retry\":{\"backoff\":[0]}");
            replaced = reserved(server, "replaced", "\"ttr\":\"10m\"");
            deleted = reserved(server, "deleted", "\"ttr\":\"10m\"");
            dead = reserved(server, "dead", "\"ttr\":\"10m\",\"retry\":{\"maxAttempts\":1}");
        }

        private static JsonObject reserved(ChildServer server, String topic, String rules) throws IOException {
            assertEquals(201, server.push(topic, "{\"id\":\"1\"," + rules + "}").status());
            return job(server, topic);
        }

        private static JsonObject job(ChildServer server, String topic) throws IOException {
            Reply reply = server.reserve(topic, 1, "5s");
            assertEquals(1, reply.jobs().size(), "no job came in " + topic);
            return reply.job(0);
        }

        /** Changes the jobs after the first kill, and sees at the first and the last that the old leases are refused. */
        void check(ChildServer server, int kill, int kills) throws IOException {
            if (kill == 1) {
                JsonObject anew = job(server, "ended");
                refused(server, ended);
                assertEquals(204, server.settle("ack", anew).status());
                refused(server, anew);

                String path = "/v1/topics/replaced/jobs/1";
                assertEquals(200, server.send("PUT", path, "{\"ttr\":\"10m\"}").status());
                refused(server, replaced);
                assertEquals(1, job(server, "replaced").getInteger("attempt"));

                assertEquals(
                        204,
                        server.send("DELETE", "/v1/topics/deleted/jobs/1", null).status());
                refused(server, deleted);
                reserved(server, "deleted", "\"ttr\":\"10m\"");

                Reply nacked = server.settle("nack", dead);
                assertEquals("dead", nacked.json().getString("state"), nacked.text());
                refused(server, dead);
                Reply requeued = server.send("PATCH", "/v1/topics/dead/jobs/1", "{\"delay\":0}");
                assertEquals(200, requeued.status(), requeued.text());
                refused(server, dead);
                assertEquals(1, job(server, "dead").getInteger("attempt"));
            }
            if (kill == 1 || kill == kills) {
                for (JsonObject old : List.of(ended, replaced, deleted, dead)) {
                    refused(server, old);
                }
            }
        }

        private static void refused(ChildServer server, JsonObject old) throws IOException {
            for (String what : List.of("ack", "nack", "extend")) {
                Reply reply = server.settle(what, old);
                assertEquals(409, reply.status(), what + " of " + old.getString("topic") + ": " + reply.text());
                assertEquals("/problems/stale-lease", reply.type());
            }
        }
    }
}
