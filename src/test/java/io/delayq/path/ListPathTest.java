package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.Keys;
import io.delayq.redis.TestCluster;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Due jobs that go to a Redis list, through a whole server. */
class ListPathTest {
    private static TestRedis redis;
    private TestServer server;
    private String list;

    @BeforeAll
    static void startRedis() {
        redis = TestRedis.start(TestRedis.Options.standalone());
    }

    @AfterAll
    static void closeRedis() {
        redis.close();
    }

    @BeforeEach
    void start() {
        server = TestServer.start(ignored -> TestServer.settings(redis.url()));
        list = "list-" + server.settings.namespace();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void configure(String topic, String key, String more) {
        String json = "{\"redisList\":{\"key\":\"" + key + "\",\"payload\":\"id\"}" + more + "}";
        TestServer.Reply reply = server.send("PUT", "/v1/topics/" + topic, json);
        assertEquals(200, reply.status(), reply.text());
    }

    private void push(TestServer by, String topic, int from, int to, long delay) {
        JsonArray jobs = new JsonArray();
        for (int i = from; i < to; i++) {
            jobs.add(new JsonObject().put("topic", topic).put("id", "j" + i).put("delay", delay));
        }
        assertEquals(to - from, by.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
    }

    private long length() {
        return length(list);
    }

    private static long length(String key) {
        return (Long) redis.command("LLEN", key);
    }

    private static List<?> entries(String key) {
        return (List<?>) redis.command("LRANGE", key, "0", "-1");
    }

    private int count(String topic, String state) {
        return server.get("/v1/topics/" + topic).json().getInteger(state);
    }

    @Test
    void a_job_is_on_the_list_when_it_is_due_and_not_before() {
        configure("t", list, "");
        long due = server.push("t", "{\"id\":\"a\",\"delay\":\"400ms\"}").json().getLong("due");
        List<?> popped = (List<?>) redis.command("BLPOP", list, "4");
        long late = System.currentTimeMillis() - due;
        assertEquals(List.of(list, "a"), popped);
        assertTrue(late >= 0 && late < 200, "came " + late + " ms after it was due");
        assertEquals(404, server.get("/v1/topics/t/jobs/a").status());
    }

    @Test
    void jobs_that_waited_before_the_topic_had_a_list_go_there() {
        push(server, "t", 0, 20, 0);
        configure("t", list, "");
        TestRedis.await("all on the list", Duration.ofSeconds(5), () -> length() == 20);
        assertEquals(0, count("t", "ready"));
    }

    @Test
    void consumers_do_not_see_them_and_get_them_when_the_list_is_taken_away() {
        configure("t", list, "");
        assertEquals(204, server.post("/v1/topics/t/pause", "").status());
        push(server, "t", 0, 5, 0);
        configure("t", list, "");
        assertEquals(0, server.reserve("t", 10, "100ms").jobs().size());
        assertEquals(200, server.send("PUT", "/v1/topics/t", "{}").status());
        assertEquals(204, server.post("/v1/topics/t/resume", "").status());
        assertEquals(5, server.reserve("t", 10, "2s").jobs().size());
        assertEquals(0, length());
    }

    @Test
    void a_paused_topic_keeps_its_jobs_until_it_is_resumed() {
        configure("t", list, "");
        assertEquals(204, server.post("/v1/topics/t/pause", "").status());
        push(server, "t", 0, 50, 100);
        TestRedis.await("all due", () -> count("t", "ready") == 50);
        assertEquals(0, length());
        assertEquals(204, server.post("/v1/topics/t/resume", "").status());
        TestRedis.await("all on the list", Duration.ofSeconds(5), () -> length() == 50);
    }

    @Test
    void of_two_servers_each_job_comes_once_and_in_time() {
        int jobs = 4_000;
        try (TestServer second = TestServer.start(ignored -> server.settings)) {
            configure("t", list, ",\"maxInFlight\":1");
            push(server, "t", 0, jobs / 2, 1_000);
            push(second, "t", jobs / 2, jobs, 1_000);
            long began = System.nanoTime();
            TestRedis.await("all on the list", Duration.ofSeconds(10), () -> length() >= jobs);
            long millis = (System.nanoTime() - began) / 1_000_000;
            System.out.printf("%,d jobs, due after at most 1 s, were on the list after %d ms%n", jobs, millis);
            assertEquals(jobs, entries(list).stream().distinct().count());
            assertEquals(jobs, length());
        }
    }

    @Test
    void a_key_that_holds_something_else_holds_up_nobody_else() {
        String wrong = list + "-wrong";
        redis.command("SET", wrong, "mine");
        configure("wrong", wrong, "");
        configure("right", list, "");
        push(server, "wrong", 0, 10, 0);
        push(server, "right", 0, 100, 200);
        TestRedis.await("the others on their list", Duration.ofSeconds(3), () -> length() == 100);
        assertEquals(10, count("wrong", "ready"));
        redis.command("DEL", wrong);
        TestRedis.await("these too", Duration.ofSeconds(10), () -> length(wrong) == 10);
    }

    @Test
    void jobs_come_no_faster_than_the_topic_allows() {
        configure("t", list, ",\"ratePerSecond\":50");
        push(server, "t", 0, 60, 0);
        long began = System.nanoTime();
        TestRedis.await("some", Duration.ofSeconds(5), () -> length() >= 25);
        TestRedis.await("all on the list", Duration.ofSeconds(10), () -> length() == 60);
        long millis = (System.nanoTime() - began) / 1_000_000;
        // a burst of a tenth of a second's worth at first
        assertTrue(millis >= 1_000 && millis < 4_000, "60 jobs at 50 a second took " + millis + " ms");
    }

    @Test
    void another_key_counts_from_the_answer_on() {
        configure("t", list, "");
        push(server, "t", 0, 1, 0);
        TestRedis.await("on the list", Duration.ofSeconds(3), () -> length() == 1);
        for (int i = 1; i < 6; i++) {
            String other = list + "-" + i;
            configure("t", other, "");
            push(server, "t", i, i + 1, 0);
            TestRedis.await("on the other list", Duration.ofSeconds(3), () -> length(other) == 1);
            assertEquals(List.of("j" + i), entries(other));
        }
        assertEquals(1, length());
    }

    @Test
    void keys_of_our_own_are_refused_by_name() {
        String own = "{" + server.settings.namespace();
        for (String key : List.of(own + "}:meta", own + ":0:1}:next")) {
            TestServer.Reply reply = server.send("PUT", "/v1/topics/t", "{\"redisList\":{\"key\":\"" + key + "\"}}");
            assertEquals(400, reply.status(), reply.text());
            assertEquals(
                    "/redisList/key",
                    reply.json().getJsonArray("errors").getJsonObject(0).getString("pointer"));
        }
        configure("t", "{" + server.settings.namespace() + "-else}", "");
    }

    @Test
    void after_redis_came_back_everything_goes_on() {
        configure("t", list, "");
        push(server, "t", 0, 200, 600);
        redis.restart();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            expected.add("j" + i);
        }
        TestRedis.await("all on the list", Duration.ofSeconds(15), () -> length() >= 200);
        assertEquals(
                expected,
                entries(list).stream()
                        .map(Object::toString)
                        .sorted(java.util.Comparator.comparingInt(id -> Integer.parseInt(id.substring(1))))
                        .toList());
    }

    private static TestServer clustered(TestCluster cluster) {
        return TestServer.start(ignored -> TestServer.settings(redis.url()).withRedis(cluster.settings()));
    }

    private static long length(TestCluster cluster, String key) {
        return (Long) cluster.command("LLEN", key);
    }

    @Test
    void on_a_cluster_jobs_reach_lists_on_every_node() {
        try (TestCluster cluster = TestCluster.start(3, 0);
                TestServer other = clustered(cluster)) {
            for (String topic : List.of("a", "b", "c", "d")) {
                String settings = "{\"redisList\":{\"key\":\"{" + topic + "}\"}}";
                assertEquals(
                        200, other.send("PUT", "/v1/topics/" + topic, settings).status());
                push(other, topic, 0, 100, 200);
            }
            for (String topic : List.of("a", "b", "c", "d")) {
                String key = "{" + topic + "}";
                TestRedis.await("all on " + key, Duration.ofSeconds(10), () -> length(cluster, key) == 100);
                TestRedis.await(
                        "all settled",
                        Duration.ofSeconds(5),
                        () -> other.get("/v1/topics/" + topic).json().getInteger("reserved") == 0);
            }
        }
    }

    /** The room's call to the frozen node is under way and is never given up. */
    @Test
    void on_a_cluster_buckets_do_not_wait_for_one_whose_node_is_frozen() {
        try (TestCluster cluster = TestCluster.start(3, 0);
                TestServer other = clustered(cluster)) {
            String namespace = other.settings.namespace();
            TestRedis first = cluster.masterOf(TestCluster.slotOf(namespace, 0, 4));
            TestRedis last = cluster.masterOf(TestCluster.slotOf(namespace, 3, 4));
            String key = IntStream.iterate(0, i -> i + 1)
                    .mapToObj(i -> "{" + i + "}")
                    .filter(one -> cluster.masterOf(TestCluster.slotOf(one)) == first)
                    .findFirst()
                    .orElseThrow();
            String settings = "{\"redisList\":{\"key\":\"" + key + "\",\"payload\":\"id\"}}";
            assertEquals(200, other.send("PUT", "/v1/topics/t", settings).status());
            Keys keys = new Keys(namespace, 4);
            List<String> ids = IntStream.range(0, 400)
                    .mapToObj(i -> "j" + i)
                    .filter(id -> keys.bucketOf(id) == 0)
                    .toList();
            last.freeze();
            try {
                // every bucket is asked after a change of settings, which one of them does not hear of
                assertEquals(503, other.send("PUT", "/v1/topics/t", settings).status());
                ids.forEach(id -> other.push("t", "{\"id\":\"" + id + "\"}"));
                TestRedis.await(
                        "all on the list",
                        Duration.ofSeconds(10),
                        () -> (Long) first.command("LLEN", key) >= ids.size());
                assertEquals(ids.size(), (Long) first.command("LLEN", key));
            } finally {
                last.thaw();
            }
        }
    }
}
