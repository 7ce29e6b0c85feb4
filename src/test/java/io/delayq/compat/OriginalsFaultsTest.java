package io.delayq.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.SideBySide;
import io.delayq.config.Compat;
import io.delayq.config.Settings;
import io.delayq.config.Settings.FrontEnds;
import io.delayq.path.TestServer;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the originals get wrong and ours must not. docs/compat.md has where the rest of the list is shown. */
class OriginalsFaultsTest {
    private static final long HOLD_MILLIS = 1_500;
    private static final FrontEnds ALL = new FrontEnds(EnumSet.allOf(Compat.class), null, Map.of(), HOLD_MILLIS);

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private TestServer server() {
        return server(TestServer.settings(TestRedis.shared().url()));
    }

    /** Another one on the same jobs has the same settings. */
    private TestServer server(Settings settings) {
        TestServer server = TestServer.start(set -> settings.withFrontEnds(ALL));
        open.add(0, server);
        return server;
    }

    private static void push(TestServer server, String topic, String id, int delay, int ttr, String body) {
        JsonObject job = new JsonObject()
                .put("topic", topic)
                .put("id", id)
                .put("delay", delay)
                .put("ttr", ttr)
                .put("body", body);
        assertEquals(
                "{\"code\":0,\"message\":\"添加成功\",\"data\":null}",
                server.post("/push", job.encode()).text());
    }

    private static void pushAll(TestServer server, String topic, int count, int delay, int ttr) {
        String form = "{\"topic\":\"%s\",\"id\":\"%s-%d\",\"delay\":%d,\"ttr\":%d}";
        List<CompletableFuture<Reply>> pushes = IntStream.range(0, count)
                .mapToObj(i -> server.sendAsync("POST", "/push", form.formatted(topic, topic, i, delay, ttr)))
                .toList();
        pushes.forEach(push -> assertEquals(0, TestServer.await(push).json().getInteger("code")));
    }

    /** Null: none came while it waited. */
    private static String pop(TestServer server, String topics) {
        JsonObject data =
                server.post("/pop", "{\"topic\":\"" + topics + "\"}").json().getJsonObject("data");
        return data == null ? null : data.getString("id");
    }

    /** Many at a time, until none comes any more or there are enough. */
    private static List<String> popAll(List<TestServer> servers, String topic, int most, boolean finish) {
        Queue<String> popped = new ConcurrentLinkedQueue<>();
        List<Thread> consumers = IntStream.range(0, 8)
                .mapToObj(i -> new Thread(() -> {
                    TestServer server = servers.get(i % servers.size());
                    String id = pop(server, topic);
                    while (id != null) {
                        popped.add(id);
                        if (finish) {
                            server.post("/finish", "{\"id\":\"" + id + "\"}");
                        }
                        id = popped.size() < most ? pop(server, topic) : null;
                    }
                }))
                .toList();
        consumers.forEach(Thread::start);
        consumers.forEach(thread -> {
            try {
                thread.join(60_000);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        return List.copyOf(popped);
    }

    private static int state(TestServer server, String id) {
        String data = server.post("/delayq/job/info", "{\"jobid\":\"" + id + "\"}")
                .json()
                .getString("data");
        return new JsonObject(data).getInteger("state");
    }

    private static Set<String> ids(String topic, int count) {
        return IntStream.range(0, count).mapToObj(i -> topic + "-" + i).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    @SideBySide
    void deleting_the_first_job_of_a_bucket_does_not_block_the_bucket() {
        TestServer server = server();
        for (int i = 0; i < 20; i++) {
            push(server, "t", "j" + i, 1, 60, "");
        }
        for (int i = 0; i < 20; i += 2) {
            server.post("/delete", "{\"id\":\"j" + i + "\"}");
        }
        assertEquals(
                Set.of("j1", "j3", "j5", "j7", "j9", "j11", "j13", "j15", "j17", "j19"),
                new HashSet<>(popAll(List.of(server), "t", 10, true)));
    }

    @Test
    @SideBySide
    void two_instances_deliver_each_job_once() {
        TestServer one = server();
        TestServer other = server(one.settings);
        pushAll(one, "t", 500, 1, 600);
        pushAll(other, "t2", 1, 1, 600);
        List<String> popped = popAll(List.of(one, other), "t", Integer.MAX_VALUE, true);
        assertEquals(500, popped.size());
        assertEquals(ids("t", 500), new TreeSet<>(popped));
    }

    @Test
    @SideBySide
    void no_reserved_job_loses_its_redelivery() {
        TestServer server = server();
        pushAll(server, "t", 300, 1, 3);
        assertEquals(ids("t", 300), new TreeSet<>(popAll(List.of(server), "t", 300, false)));
        Set<String> again = new TreeSet<>();
        TestRedis.await("all come again", Duration.ofSeconds(20), () -> {
            again.addAll(popAll(List.of(server), "t", 300, true));
            return again.size() == 300;
        });
    }

    @Test
    @SideBySide
    void a_second_instance_leaves_running_jobs_alone() {
        TestServer one = server();
        push(one, "t", "running", 1, 600, "");
        assertEquals("running", pop(one, "t"));
        TestServer other = server(one.settings);
        assertNull(pop(other, "t"));
        assertEquals(2, state(other, "running"), "still reserved");
    }

    @Test
    @SideBySide
    void a_job_whose_retries_are_used_up_does_not_run_again_at_the_next_start() throws Exception {
        TestServer first = server();
        first.send("PUT", "/v1/topics/t", "{\"retry\":{\"maxAttempts\":1}}");
        first.post("/delayq/job/add", "{\"jobid\":\"1\",\"topic\":\"t\",\"data\":\"d\",\"exectime\":1}");
        JsonObject job = first.reserve("t", 1, "5s").job(0);
        assertEquals("dead", first.settle("nack", job, "").json().getString("state"));
        open.remove(first);
        first.close();
        TestServer second = server(first.settings);
        assertNull(pop(second, "t"));
        assertEquals(3, state(second, "1"));
    }

    @Test
    @SideBySide
    void parallel_callers_get_their_own_answers() {
        TestServer server = server();
        List<CompletableFuture<Reply>> adds = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            adds.add(server.sendAsync(
                    "POST",
                    "/delayq/job/add",
                    "{\"jobid\":\"id" + i + "\",\"topic\":\"t\",\"data\":\"data" + i + "\",\"exectime\":3000000000}"));
        }
        List<CompletableFuture<Reply>> infos = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            assertEquals("data" + i, data(TestServer.await(adds.get(i))).getString("data"));
            infos.add(server.sendAsync("POST", "/delayq/job/info", "{\"jobid\":\"id" + i + "\"}"));
        }
        for (int i = 0; i < 300; i++) {
            assertEquals("id" + i, data(TestServer.await(infos.get(i))).getString("jobid"));
        }
    }

    private static JsonObject data(Reply reply) {
        return new JsonObject(reply.json().getString("data"));
    }

    @Test
    @SideBySide
    void a_percent_sign_in_a_body_leaves_the_json_whole() {
        TestServer server = server();
        String body = "100% %d %s %!v(MISSING) %%";
        push(server, "t", "1", 1, 60, body);
        assertEquals(
                body,
                server.post("/pop", "{\"topic\":\"t\"}")
                        .json()
                        .getJsonObject("data")
                        .getString("body"));
        server.post(
                "/delayq/job/add",
                new JsonObject()
                        .put("jobid", "2")
                        .put("topic", "%d")
                        .put("data", body)
                        .encode());
        JsonObject job = data(server.post("/delayq/job/info", "{\"jobid\":\"2\"}"));
        assertEquals(body, job.getString("data"));
        assertEquals("%d", job.getString("topic"));
    }

    @Test
    @SideBySide
    void an_id_equal_to_an_internal_key_name_is_an_id_like_others() {
        TestServer server = server();
        String tag = "{" + server.settings.namespace() + ":0:0}:";
        List<String> names = new ArrayList<>();
        for (String name : List.of("next", "topics", "names", "awake", "ids", "servers", "jobs:t", "clock:t", "#rev")) {
            names.add(name);
            names.add(tag + name);
        }
        names.addAll(List.of("delay-queue", "bucket_1", "dqbucket", "dqjobs:1", "job_pool", "."));
        names.forEach(name -> push(server, "t", name, 1, 600, name));
        names.forEach(name -> push(server, name, "in " + name, 3_000, 600, name));
        assertEquals(new TreeSet<>(names), new TreeSet<>(popAll(List.of(server), "t", names.size(), false)));
        for (String name : names) {
            JsonObject id = new JsonObject().put("id", name);
            JsonObject data = server.post("/get", id.encode()).json().getJsonObject("data");
            assertNotNull(data, name);
            assertEquals(name, data.getString("body"));
            server.post("/finish", id.encode());
            assertNull(server.post("/get", id.encode()).json().getJsonObject("data"), name);
        }
        assertEquals(200, server.get("/health/ready").status());
    }

    /** The originals: 12.9 s early, and 48 s late. Delivery of callbacks is shown by the tests of webhooks. */
    @Test
    @SideBySide
    void a_planned_job_is_due_when_it_was_planned() throws Exception {
        TestServer server = server();
        Set<Long> planned = new TreeSet<>();
        for (int seconds : new int[] {3, 20, 59, 60, 61, 75, 3_600}) {
            long at = System.currentTimeMillis() / 1_000 + seconds;
            planned.add(at * 1_000);
            assertEquals(
                    "{\"code\":\"ok\",\"data\":\"操作成功\"}",
                    Forms.save(server, "notify_url=http://shop.example/&plan_time=" + at));
        }
        Set<Long> due = new TreeSet<>();
        server.get("/v1/topics/delay_queue_task/jobs")
                .jobs()
                .forEach(job -> due.add(((JsonObject) job).getLong("due")));
        assertEquals(planned, due);
    }

    @Test
    @SideBySide
    void a_planned_job_comes_neither_early_nor_late() {
        TestServer server = server();
        long planned = System.currentTimeMillis() / 1_000 + 3;
        server.post("/delayq/job/add", "{\"jobid\":\"1\",\"topic\":\"t\",\"data\":\"d\",\"exectime\":" + planned + "}");
        String popped = null;
        while (popped == null && System.currentTimeMillis() < planned * 1_000 + 2_000) {
            popped = pop(server, "t");
        }
        long came = System.currentTimeMillis() - planned * 1_000;
        assertEquals("1", popped);
        assertTrue(came >= 0 && came < 1_000, () -> "it came after " + came + " ms");
    }

    @Test
    @SideBySide
    void the_retry_limit_is_reached() {
        TestServer server = server();
        server.push("t", "{\"id\":\"1\",\"retry\":{\"maxAttempts\":3,\"backoff\":[\"0ms\"]}}");
        for (int attempt = 1; attempt <= 3; attempt++) {
            JsonObject job = server.reserve("t", 1, "5s").job(0);
            assertEquals(attempt, job.getInteger("attempt"));
            String state = server.settle("nack", job, "").json().getString("state");
            assertEquals(attempt == 3 ? "dead" : "ready", state);
        }
        assertEquals(List.of(), server.reserve("t", 1, "1s").jobs().getList());
    }

    @Test
    @SideBySide
    void with_redis_away_the_process_stays_and_goes_on_when_it_is_back() {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone())) {
            TestServer server = server(TestServer.settings(redis.url()));
            push(server, "t", "1", 1, 600, "");
            redis.kill();
            TestRedis.await("not ready", () -> server.get("/health/ready").status() == 503);
            assertEquals(1, server.post("/push", "{}").json().getInteger("code"));
            assertFalse(server.post("/delayq/ping", "{}").text().contains("PONG"));
            redis.restart();
            TestRedis.await("ready", () -> server.get("/health/ready").status() == 200);
            assertEquals("1", pop(server, "t"));
            open.remove(server);
            server.close();
        }
    }
}
