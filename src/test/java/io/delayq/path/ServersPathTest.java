package io.delayq.path;

import static io.delayq.path.Wire.metric;
import static io.delayq.path.Wire.problem;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.config.Settings.Instances;
import io.delayq.redis.Keys;
import io.delayq.redis.PlantedScripts;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several servers on one Redis: who scans, who delivers, and what each of them runs. */
class ServersPathTest {
    /** Less than the time after which others look, so that a job's way from there counts too. */
    private static final long LATE_MILLIS = 150;

    private static final int BUCKETS = 16;
    private static final Instances ALL = Settings.defaults().instances();
    private static final int EACH = 300;

    private final Settings shared = TestServer.settings(TestRedis.shared().url());
    private final List<TestServer> servers = new ArrayList<>();

    @AfterEach
    void stop() {
        servers.forEach(TestServer::close);
    }

    private TestServer start(Instances instances) {
        TestServer server = TestServer.start(ignored -> new Settings(
                shared.http(),
                shared.dataDir(),
                shared.redis(),
                shared.namespace(),
                BUCKETS,
                instances,
                shared.tokens(),
                shared.insecure()));
        servers.add(server);
        return server;
    }

    private void stop(TestServer server) {
        servers.remove(server);
        server.close();
    }

    private static int scanned(TestServer server) {
        return (int) metric(server, "delayq_buckets_scanned");
    }

    private static int dueCalls(TestServer server) {
        return (int) metric(server, "delayq_redis_call_seconds_count", "script=\"due\"");
    }

    private static Map<String, JsonObject> list(TestServer server) {
        Map<String, JsonObject> byAddress = new HashMap<>();
        server.get("/v1/servers")
                .json()
                .getJsonArray("servers")
                .forEach(one -> byAddress.put(((JsonObject) one).getString("address"), (JsonObject) one));
        return byAddress;
    }

    private static JsonObject about(TestServer server) {
        return list(server).get("http://127.0.0.1:" + server.port());
    }

    private void awaitSettled() {
        TestRedis.await(
                "each bucket has one scanner",
                Duration.ofSeconds(5),
                () -> servers.stream().mapToInt(ServersPathTest::scanned).sum() == BUCKETS);
    }

    private static String idIn(int bucket) {
        Keys keys = new Keys("any", BUCKETS);
        for (int i = 0; ; i++) {
            if (keys.bucketOf("j" + i) == bucket) {
                return "j" + i;
            }
        }
    }

    @Test
    void a_bucket_is_scanned_by_one_server_when_two_are_up() {
        TestServer first = start(ALL);
        TestServer second = start(ALL);
        awaitSettled();
        assertTrue(scanned(first) > 0 && scanned(second) > 0, scanned(first) + " and " + scanned(second));
        JsonArray ofFirst = about(first).getJsonArray("buckets");
        int[] calls = new int[2];
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            awaitNoScans(first, second);
            int before = dueCalls(first);
            int beforeSecond = dueCalls(second);
            String id = idIn(bucket);
            second.push("one", "{\"id\":\"" + id + "\",\"delay\":\"30ms\"}");
            JsonObject job = second.reserve("one", 1, "5s").job(0);
            assertEquals(id, job.getString("id"));
            // on a machine that stands still the other one has looked after it meanwhile
            boolean wasLate = System.currentTimeMillis() - job.getLong("due") >= LATE_MILLIS;
            int byFirst = dueCalls(first) - before;
            int bySecond = dueCalls(second) - beforeSecond;
            String who = "bucket " + bucket + ": " + byFirst + " and " + bySecond + " calls";
            assertTrue(wasLate || ofFirst.contains(bucket) == (byFirst > 0), who);
            assertTrue(wasLate || ofFirst.contains(bucket) == (bySecond == 0), who);
            calls[0] += byFirst;
            calls[1] += bySecond;
        }
        System.out.printf(
                "two servers, %d buckets, a job each: %d due calls by the first (%d buckets), %d by the second%n",
                BUCKETS, calls[0], ofFirst.size(), calls[1]);
    }

    /** Whoever is up looks a little later after buckets that are not its own. */
    private static void awaitNoScans(TestServer first, TestServer second) {
        int[] seen = {-1};
        long[] since = {0};
        TestRedis.await("that nobody scans", () -> {
            int calls = dueCalls(first) + dueCalls(second);
            if (calls != seen[0]) {
                seen[0] = calls;
                since[0] = System.nanoTime();
            }
            return System.nanoTime() - since[0] > 300_000_000L;
        });
    }

    @Test
    void two_scanners_on_a_bucket_are_noticed() throws Exception {
        PlantedScripts.during(
                "local all = call('HGETALL', servers_key)",
                "local all = {}",
                () -> assertThrows(AssertionError.class, this::a_bucket_is_scanned_by_one_server_when_two_are_up));
    }

    @Test
    void a_planned_stop_hands_the_buckets_over_at_once_and_leaves_no_trace() {
        TestServer first = start(ALL);
        TestServer second = start(ALL);
        awaitSettled();
        assertEquals(2, list(first).size());
        stop(first);
        long began = System.nanoTime();
        TestRedis.await("all buckets are the other's", Duration.ofSeconds(2), () -> scanned(second) == BUCKETS);
        long millis = (System.nanoTime() - began) / 1_000_000;
        System.out.println("taken over " + millis + " ms after a planned stop");
        assertTrue(millis < 250, millis + " ms: a heartbeat later, not at once");
        assertEquals(1, list(second).size());
    }

    @Test
    void each_server_is_told_of_with_its_roles_address_version_and_age() {
        TestServer scanner = start(new Instances(0, 1, 0, 0, 0));
        TestServer door = start(new Instances(1, 0, 1, 0, 0));
        JsonObject one = about(scanner);
        assertEquals(new JsonArray("[\"scanner\"]"), one.getJsonArray("roles"));
        assertEquals(BUCKETS, one.getJsonArray("buckets").size());
        assertEquals("development", one.getString("version"));
        long now = System.currentTimeMillis();
        assertTrue(Math.abs(now - one.getLong("started")) < 20_000, one.encode());
        assertTrue(one.getLong("lastSeen") >= one.getLong("started"), one.encode());
        JsonObject other = about(door);
        assertEquals(new JsonArray("[\"ingress\",\"dispatcher\"]"), other.getJsonArray("roles"));
        assertEquals(new JsonArray(), other.getJsonArray("buckets"));
        assertEquals(2, list(door).size());
        problem(400, "invalid-request", door.get("/v1/servers?all=1"));
    }

    @Test
    void servers_with_different_roles_do_together_what_one_does() {
        TestServer pushes = start(new Instances(1, 0, 0, 0, 0));
        TestServer scans = start(new Instances(0, 1, 0, 0, 0));
        TestServer hands = start(new Instances(1, 0, 1, 1, 0));
        Queue<String> got = new ConcurrentLinkedQueue<>();
        pushes.push("t", "{\"id\":\"polled\",\"delay\":\"100ms\"}");
        JsonObject job = hands.reserve("t", 1, "5s").job(0);
        assertEquals("polled", job.getString("id"));
        // a lease may be settled at any server that takes requests
        assertEquals(204, pushes.settle("ack", job, "").status());
        try (WsConsumer consumer = new WsConsumer(
                hands.vertx,
                hands.port(),
                "t",
                10,
                jobs -> jobs.forEach(one -> got.add(((JsonObject) one).getString("id"))))) {
            pushes.push("t", "{\"id\":\"sent\",\"delay\":\"100ms\"}");
            TestRedis.await("the job over WebSocket", Duration.ofSeconds(5), () -> got.contains("sent"));
            assertEquals(0, consumer.stale());
        }
        assertTrue(dueCalls(scans) > 0);
        assertEquals(0, dueCalls(hands) + dueCalls(pushes));
    }

    @Test
    void what_a_server_does_not_run_it_refuses_with_the_reason() {
        TestServer pushes = start(new Instances(1, 1, 0, 0, 0));
        assertRefused(pushes.reserve("t", 1, "5s"), "the role dispatcher");
        assertRefused(pushes.get("/v1/ws"), "the role gateway");
        TestServer scans = start(new Instances(0, 1, 0, 0, 0));
        problem(404, "not-found", scans.post("/v1/topics/t/jobs", "{}"));
    }

    private static void assertRefused(TestServer.Reply reply, String reason) {
        problem(404, "not-found", reply);
        assertTrue(reply.text().contains(reason), reply.text());
    }

    @Test
    void health_and_metrics_are_there_whatever_the_roles() {
        TestServer scans = start(new Instances(0, 1, 0, 0, 0));
        assertEquals(200, scans.get("/health/live").status());
        assertEquals(200, scans.get("/health/ready").status());
        assertEquals(BUCKETS, scanned(scans));
    }

    @Test
    void over_websocket_a_job_pushed_at_another_server_comes_as_soon_as_one_pushed_here() {
        TestServer here = start(ALL);
        TestServer there = start(ALL);
        awaitSettled();
        Map<String, Long> received = new ConcurrentHashMap<>();
        try (WsConsumer consumer =
                new WsConsumer(here.vertx, here.port(), "far", 200, jobs -> received(jobs, received))) {
            checkLateness("WebSocket", here, there, received);
            assertEquals(0, consumer.stale());
        }
    }

    @Test
    void to_a_long_poll_a_job_pushed_at_another_server_comes_as_soon_as_one_pushed_here() throws Exception {
        TestServer here = start(ALL);
        TestServer there = start(ALL);
        awaitSettled();
        Map<String, Long> received = new ConcurrentHashMap<>();
        Thread poller = new Thread(() -> {
            while (received.size() < 2 * EACH) {
                received(here.reserve("far", 100, "2s").jobs(), received);
            }
        });
        poller.start();
        checkLateness("long-poll", here, there, received);
        poller.join(10_000);
    }

    @Test
    void a_hint_that_reaches_nobody_is_noticed() throws Exception {
        PlantedScripts.during(
                "call('PUBLISH', ARGV[1], 'r'",
                "string.format('%s', 'r'",
                () -> assertThrows(
                        AssertionError.class,
                        this::over_websocket_a_job_pushed_at_another_server_comes_as_soon_as_one_pushed_here));
    }

    private static void received(JsonArray jobs, Map<String, Long> received) {
        long now = System.currentTimeMillis();
        jobs.forEach(job -> received.put(((JsonObject) job).getString("id"), now - ((JsonObject) job).getLong("due")));
    }

    /** In turns, so that whatever else the machine does delays both alike. */
    private static void checkLateness(String how, TestServer here, TestServer there, Map<String, Long> received) {
        for (int i = 0; i < EACH; i++) {
            here.push("far", "{\"id\":\"here" + i + "\",\"delay\":\"20ms\"}");
            there.push("far", "{\"id\":\"there" + i + "\",\"delay\":\"20ms\"}");
        }
        TestRedis.await("all jobs", Duration.ofSeconds(10), () -> received.size() == 2 * EACH);
        long[] near = lateness("here", received);
        long[] far = lateness("there", received);
        System.out.printf(
                "%s: lateness p50 %d ms, p99 %d ms pushed here; p50 %d ms, p99 %d ms pushed at another server%n",
                how, near[0], near[1], far[0], far[1]);
        assertTrue(far[0] <= near[0] + 3 && far[0] < 50, "p50 " + far[0] + " ms, here " + near[0]);
        // a busy machine spreads both
        assertTrue(far[1] <= 1.5 * near[1] + 10, "p99 " + far[1] + " ms, here " + near[1]);
    }

    private static long[] lateness(String prefix, Map<String, Long> received) {
        List<Long> sorted = received.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix))
                .map(Map.Entry::getValue)
                .sorted()
                .toList();
        return new long[] {sorted.get(sorted.size() / 2), sorted.get(sorted.size() * 99 / 100)};
    }
}
