package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.delayq.SideBySide;
import io.delayq.config.Allowed;
import io.delayq.config.Settings;
import io.delayq.fault.FaultProxy.Moment;
import io.delayq.path.TestServer;
import io.delayq.path.TestServer.Reply;
import io.delayq.path.WsConsumer;
import io.delayq.redis.Recount;
import io.delayq.redis.StoreHarness;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server or a consumer dies at one given moment of a job's life, and another goes on with what it left. The rows of
 * docs/guarantees.md name these.
 */
@Tag("fault")
class CrashFaultTest {
    private static final int LEASE_MILLIS = 1_000;
    private static final String RULES = ",\"ttr\":" + LEASE_MILLIS + ",\"retry\":{\"maxAttempts\":0,\"backoff\":[0]}}";
    private static final String JOBS = "/v1/topics/t/jobs";

    private static TestRedis redis;

    @TempDir
    Path dir;

    /** One bucket, so that the first call to a script is the one that matters. */
    private final Settings settings = PlantedTest.inOneBucket(TestServer.settings(redis.url()));

    private FaultProxy proxy;
    private ChildServer victim;
    private TestServer heir;

    @BeforeAll
    static void startRedis() {
        redis = TestRedis.start(TestRedis.Options.standalone());
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @AfterEach
    void close() {
        if (victim != null) {
            victim.close();
            proxy.close();
        }
        if (heir != null) {
            heir.close();
        }
    }

    /** Starts the one that is to die; Redis knows all scripts then. */
    private void startVictim(String... more) throws Exception {
        proxy = new FaultProxy(redis.port(), 1);
        List<String> flags = new ArrayList<>(List.of(more));
        flags.add("--redis.url=" + proxy.url());
        flags.add("--namespace=" + settings.namespace());
        flags.add("--buckets=" + settings.buckets());
        victim = ChildServer.start(dir.resolve("data"), flags.toArray(String[]::new));
        // a server that has just begun is slow: with time enough to settle it
        victim.push("warm", "{\"id\":\"w\",\"delay\":10,\"retry\":{\"backoff\":[0]}}");
        assertEquals(
                200,
                victim.settle("nack", victim.reserve("warm", 1, "5s").job(0)).status());
        assertEquals(
                204,
                victim.settle("ack", victim.reserve("warm", 1, "5s").job(0)).status());
    }

    /** Kills it at that moment, while it is asked this. Done when another server is there. */
    private void dies(String script, Moment moment, String path, String json) throws Exception {
        CompletableFuture<Void> sprung = proxy.trap(script, moment);
        CompletableFuture<Reply> reply = path == null ? null : victim.sendAsync("POST", path, json);
        sprung.get(10, TimeUnit.SECONDS);
        victim.kill9();
        if (reply != null) {
            assertThrows(ExecutionException.class, () -> reply.get(5, TimeUnit.SECONDS), "it was answered");
        }
        startHeir();
    }

    private void startHeir() {
        heir = TestServer.start(any -> settings);
    }

    private JsonObject job() {
        Reply reply = heir.reserve("t", 1, "6s");
        assertEquals(1, reply.jobs().size(), "no job came: " + reply.text());
        return reply.job(0);
    }

    private void acked(JsonObject job) {
        assertEquals(204, heir.settle("ack", job, "").status());
    }

    private void stale(JsonObject job) {
        Reply reply = heir.settle("ack", job, "");
        assertEquals(409, reply.status(), reply.text());
        assertEquals("/problems/stale-lease", reply.type());
    }

    /** Nothing is left of any job, so that none can come again. */
    private void nothingLeft() {
        assertEquals(List.of(), heir.reserve("t", 1, "10ms").jobs().getList(), "one came again");
        JsonObject counts = heir.get("/v1/topics/t").json();
        for (String state : List.of("delayed", "ready", "reserved", "dead")) {
            assertEquals(0, counts.getInteger(state), state);
        }
        try (StoreHarness store = new StoreHarness(redis, redis.url(), settings.namespace(), settings.buckets())) {
            assertEquals(List.of(), new Recount(store).faults(List.of("t", "warm")));
        }
    }

    @Test
    @SideBySide
    void dead_before_the_push_script_nothing_is_there_and_the_id_is_free() throws Exception {
        startVictim();
        String push = "{\"id\":\"a\"" + RULES;
        dies("push", Moment.BEFORE_IT_RUNS, JOBS, push);
        assertEquals(404, heir.get(JOBS + "/a").status());
        heir.push("t", push);
        JsonObject job = job();
        assertEquals(1, job.getInteger("attempt"));
        acked(job);
        nothingLeft();
    }

    @Test
    @SideBySide
    void dead_after_the_push_script_and_before_the_201_the_job_is_there_once() throws Exception {
        startVictim();
        String push = "{\"id\":\"a\"" + RULES;
        dies("push", Moment.AFTER_IT_RAN, JOBS, push);
        Reply again = heir.post(JOBS, push);
        assertEquals(409, again.status(), again.text());
        assertEquals("/problems/job-exists", again.type());
        acked(job());
        nothingLeft();
    }

    @Test
    @SideBySide
    void dead_between_clock_and_ready_the_job_comes_in_time() throws Exception {
        startVictim();
        long due =
                victim.push("t", "{\"id\":\"a\",\"delay\":700" + RULES).json().getLong("due");
        dies("due", Moment.BEFORE_IT_RUNS, null, null);
        JsonObject job = job();
        assertTrue(System.currentTimeMillis() >= due, "early");
        assertEquals(1, job.getInteger("attempt"));
        acked(job);
        nothingLeft();
    }

    @Test
    @SideBySide
    void a_scanner_dead_midway_leaves_every_job_to_come_once() throws Exception {
        startVictim();
        int jobs = 1_500;
        long due = System.currentTimeMillis() + 1_500;
        JsonArray all = new JsonArray();
        for (int i = 0; i < jobs; i++) {
            all.add(new JsonObject().put("topic", "t").put("id", "m" + i).put("at", due));
        }
        Reply pushed = victim.send("POST", "/v1/jobs", all.encode());
        assertEquals(jobs, pushed.json().getInteger("accepted"));
        dies("due", Moment.AFTER_IT_RAN, null, null);
        Set<String> seen = new TreeSet<>();
        while (seen.size() < jobs) {
            Reply reply = heir.reserve("t", 500, "3s");
            assertFalse(reply.jobs().isEmpty(), "only " + seen.size() + " came");
            assertTrue(System.currentTimeMillis() >= due, "early");
            JsonArray acks = new JsonArray();
            for (int i = 0; i < reply.jobs().size(); i++) {
                JsonObject job = reply.job(i);
                assertTrue(seen.add(job.getString("id")), "twice: " + job);
                acks.add(new JsonObject().put("id", job.getString("id")).put("lease", job.getString("lease")));
            }
            heir.post("/v1/topics/t/acks", new JsonObject().put("jobs", acks).encode());
        }
        nothingLeft();
    }

    @Test
    @SideBySide
    void dead_after_reserve_and_before_the_frame_the_job_comes_when_its_lease_ends() throws Exception {
        startVictim();
        victim.push("t", "{\"id\":\"a\"" + RULES);
        long reserved = System.nanoTime();
        dies("reserve", Moment.AFTER_IT_RAN, "/v1/topics/t/reserve", "{\"wait\":\"5s\"}");
        JsonObject job = job();
        long took = (System.nanoTime() - reserved) / 1_000_000;
        assertEquals(2, job.getInteger("attempt"));
        assertTrue(took >= LEASE_MILLIS, "came after " + took + " ms, before its lease ended");
        acked(job);
        nothingLeft();
    }

    @Test
    @SideBySide
    void dead_after_the_ack_script_the_job_is_done_and_the_ack_repeated_is_stale() throws Exception {
        startVictim();
        victim.push("t", "{\"id\":\"a\"" + RULES);
        JsonObject job = victim.reserve("t", 1, "5s").job(0);
        dies("ack", Moment.AFTER_IT_RAN, JOBS + "/a/ack", "{\"lease\":\"" + job.getString("lease") + "\"}");
        assertEquals(404, heir.get(JOBS + "/a").status());
        stale(job);
        nothingLeft();
    }

    @Test
    @SideBySide
    void dead_before_the_ack_script_the_work_is_done_again() throws Exception {
        startVictim();
        victim.push("t", "{\"id\":\"a\"" + RULES);
        JsonObject job = victim.reserve("t", 1, "5s").job(0);
        dies("ack", Moment.BEFORE_IT_RUNS, JOBS + "/a/ack", "{\"lease\":\"" + job.getString("lease") + "\"}");
        JsonObject again = job();
        assertEquals(2, again.getInteger("attempt"));
        stale(job);
        acked(again);
        nothingLeft();
    }

    @Test
    @SideBySide
    void a_callback_answered_and_dead_before_the_ack_is_made_again() throws Exception {
        HttpServer shop = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        List<String> attempts = Collections.synchronizedList(new ArrayList<>());
        shop.createContext("/", exchange -> {
            attempts.add(exchange.getRequestHeaders().getFirst("delayq-attempt"));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        shop.start();
        try {
            startVictim("--webhook.allow=127.0.0.0/8");
            String callback = ",\"callback\":{\"url\":\"http://127.0.0.1:"
                    + shop.getAddress().getPort() + "/\"}";
            CompletableFuture<Void> sprung = proxy.trap("ack", Moment.BEFORE_IT_RUNS);
            victim.push("t", "{\"id\":\"a\"" + callback + RULES);
            sprung.get(10, TimeUnit.SECONDS);
            victim.kill9();
            assertEquals(List.of("1"), attempts);
            heir = TestServer.start(any -> settings.withWebhook(new Settings.Webhook(Allowed.of("127.0.0.0/8"), 10)));
            TestRedis.await("the second call", () -> attempts.size() > 1);
            TestRedis.await("its end", () -> heir.get("/v1/topics/t/jobs/a").status() == 404);
            assertEquals(List.of("1", "2"), attempts);
        } finally {
            shop.stop(0);
        }
        nothingLeft();
    }

    @Test
    @SideBySide
    void dead_during_a_retrys_move_the_job_comes_again_once() throws Exception {
        startVictim();
        victim.push("t", "{\"id\":\"a\"" + RULES);
        JsonObject job = victim.reserve("t", 1, "5s").job(0);
        dies(
                "nack",
                Moment.AFTER_IT_RAN,
                JOBS + "/a/nack",
                "{\"lease\":\"" + job.getString("lease") + "\",\"delay\":300}");
        JsonObject again = job();
        assertEquals(2, again.getInteger("attempt"));
        stale(job);
        acked(again);
        nothingLeft();
    }

    @Test
    @SideBySide
    void a_frame_written_to_a_dead_line_comes_to_another_when_its_lease_ends() {
        startHeir();
        try (FaultProxy line = new FaultProxy(heir.port(), 1);
                WsConsumer gone = new WsConsumer(heir.vertx, line.port(), "t", 1, jobs -> {})) {
            // it gets and acks jobs
            heir.push("t", "{\"delay\":0" + RULES);
            TestRedis.await("subscribed", () -> {
                JsonObject counts = heir.get("/v1/topics/t").json();
                return counts.getInteger("ready") + counts.getInteger("reserved") == 0;
            });
            gone.stopAcking();
            line.blackhole(true);
            long pushed = System.nanoTime();
            heir.push("t", "{\"id\":\"a\"" + RULES);
            TestRedis.await("reserved", () -> "reserved"
                    .equals(heir.get(JOBS + "/a").json().getString("state")));
            JsonObject job = job();
            long took = (System.nanoTime() - pushed) / 1_000_000;
            assertEquals(2, job.getInteger("attempt"));
            assertTrue(took >= LEASE_MILLIS && took <= LEASE_MILLIS + 1_000, took + " ms");
            acked(job);
        }
        nothingLeft();
    }

    @Test
    @SideBySide
    void a_consumer_dead_before_its_work_leaves_the_job_to_another_at_once() {
        startHeir();
        AtomicInteger got = new AtomicInteger();
        try (WsConsumer dies = new WsConsumer(heir.vertx, heir.port(), "t", 1, jobs -> got.incrementAndGet())) {
            dies.stopAcking();
            heir.push("t", "{\"id\":\"a\"" + RULES);
            TestRedis.await("the job", () -> got.get() == 1);
            dies.kill();
            long died = System.nanoTime();
            JsonObject job = job();
            long took = (System.nanoTime() - died) / 1_000_000;
            assertTrue(took < LEASE_MILLIS, took + " ms");
            assertEquals(2, job.getInteger("attempt"));
            acked(job);
        }
        nothingLeft();
    }

    @Test
    @SideBySide
    void an_ack_after_the_lease_ended_and_another_has_the_job_is_refused_every_time() throws Exception {
        startHeir();
        int jobs = 200;
        List<JsonObject> old = reserved(jobs);
        List<JsonObject> anew = new ArrayList<>();
        while (anew.size() < jobs) {
            Reply reply = heir.reserve("t", jobs, "5s");
            assertFalse(reply.jobs().isEmpty(), "only " + anew.size() + " came again");
            reply.jobs().forEach(job -> anew.add((JsonObject) job));
        }
        List<CompletableFuture<Reply>> acks = new ArrayList<>();
        for (JsonObject job : old) {
            acks.add(ack(job));
        }
        int refused = 0;
        for (CompletableFuture<Reply> ack : acks) {
            refused += TestServer.await(ack).status() == 409 ? 1 : 0;
        }
        System.out.println("stale leases refused: " + refused + " of " + jobs);
        assertEquals(jobs, refused);
    }

    private List<JsonObject> reserved(int jobs) {
        JsonArray all = new JsonArray();
        for (int i = 0; i < jobs; i++) {
            all.add(new JsonObject("{\"topic\":\"t\",\"id\":\"j" + i + "\"" + RULES));
        }
        heir.post("/v1/jobs", all.encode());
        List<JsonObject> taken = new ArrayList<>();
        while (taken.size() < jobs) {
            heir.reserve("t", jobs, "5s").jobs().forEach(job -> taken.add((JsonObject) job));
        }
        return taken;
    }

    private CompletableFuture<Reply> ack(JsonObject job) {
        return heir.sendAsync(
                "POST", JOBS + "/" + job.getString("id") + "/ack", "{\"lease\":\"" + job.getString("lease") + "\"}");
    }

    @Test
    @SideBySide
    void cancel_against_reserve_and_ack_one_of_them_has_the_job() {
        startHeir();
        int jobs = 300;
        int cancelled = 0;
        List<CompletableFuture<Reply>> cancels = new ArrayList<>();
        List<CompletableFuture<Reply>> acks = new ArrayList<>();
        List<JsonObject> taken = reserved(jobs);
        for (JsonObject job : taken) {
            boolean first = job.getString("id").hashCode() % 2 == 0;
            if (first) {
                acks.add(ack(job));
            }
            cancels.add(heir.sendAsync("DELETE", JOBS + "/" + job.getString("id"), null));
            if (!first) {
                acks.add(ack(job));
            }
        }
        for (int i = 0; i < jobs; i++) {
            boolean wasCancelled = TestServer.await(cancels.get(i)).status() == 204;
            boolean wasAcked = TestServer.await(acks.get(i)).status() == 204;
            assertTrue(wasCancelled ^ wasAcked, "cancelled: " + wasCancelled + ", acked: " + wasAcked);
            cancelled += wasCancelled ? 1 : 0;
        }
        System.out.println("cancelled " + cancelled + " of " + jobs + ", acked the others");
        nothingLeft();
    }
}
