package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.LeftBehind;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole server with two embedded Redis processes that share its buckets. */
class ShardsPathTest {
    private static final int JOBS = 40;
    private static final Set<String> IDS =
            IntStream.range(0, JOBS).mapToObj(i -> "j" + i).collect(Collectors.toSet());

    @TempDir
    private Path dir;

    @AfterEach
    void nothingIsLeft() {
        LeftBehind.assertNoRedisOf(dir);
    }

    /** In one namespace, so that another one finds the jobs. */
    private TestServer serve(int processes) {
        Settings set = TestServer.settings(null);
        return TestServer.start(shared -> new Settings(
                set.http(),
                dir,
                set.redis().withProcesses(processes),
                "shards",
                set.buckets(),
                set.instances(),
                set.tokens(),
                set.insecure()));
    }

    private static void push(TestServer server, String topic, String delay) {
        JsonArray jobs = new JsonArray();
        IDS.forEach(id ->
                jobs.add(new JsonObject().put("topic", topic).put("id", id).put("delay", delay)));
        assertEquals(JOBS, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
    }

    private static int count(TestServer server, String topic, String state) {
        return server.get("/v1/topics/" + topic).json().getInteger(state);
    }

    private static Set<String> listed(TestServer server, String topic) {
        Set<String> found = new HashSet<>();
        String cursor = null;
        do {
            JsonObject page = server.get("/v1/topics/" + topic + "/jobs?state=delayed&limit=7"
                            + (cursor == null ? "" : "&cursor=" + TestServer.encode(cursor)))
                    .json();
            page.getJsonArray("jobs").forEach(job -> found.add(((JsonObject) job).getString("id")));
            cursor = page.getString("cursor");
        } while (cursor != null);
        return found;
    }

    private static Set<String> reserveAndAckAll(TestServer server, String topic) {
        Set<String> got = new HashSet<>();
        TestRedis.await("all jobs", () -> {
            Reply reply = server.reserve(topic, JOBS, "2s");
            for (int i = 0; i < reply.jobs().size(); i++) {
                assertTrue(got.add(reply.job(i).getString("id")), "twice");
                assertEquals(204, server.settle("ack", reply.job(i), "").status());
            }
            return got.size() == JOBS;
        });
        return got;
    }

    @Test
    void jobs_of_all_buckets_are_counted_listed_delivered_and_settled() throws Exception {
        try (TestServer server = serve(2)) {
            assertEquals(2, LeftBehind.redisOf(dir).size());
            push(server, "later", "1h");
            assertEquals(JOBS, count(server, "later", "delayed"));
            assertEquals(IDS, listed(server, "later"));
            for (String place : List.of("redis", "redis-2")) {
                String log = Files.walk(dir.resolve(place).resolve("appendonlydir"))
                        .filter(file -> file.toString().endsWith(".incr.aof"))
                        .map(ShardsPathTest::text)
                        .collect(Collectors.joining());
                assertTrue(log.contains("jobs:later"), place + " has jobs");
            }
            push(server, "soon", "300ms");
            assertEquals(IDS, reserveAndAckAll(server, "soon"));
            Set<String> got = ConcurrentHashMap.newKeySet();
            try (WsConsumer consumer = new WsConsumer(
                    server.vertx,
                    server.port(),
                    "pushed",
                    10,
                    jobs -> jobs.forEach(job -> got.add(((JsonObject) job).getString("id"))))) {
                push(server, "pushed", "300ms");
                TestRedis.await("all over WebSocket", () -> got.equals(IDS));
                TestRedis.await("all acked", () -> count(server, "pushed", "reserved") == 0);
                assertEquals(0, consumer.stale());
            }
            assertEquals(0, count(server, "soon", "reserved"));
            assertEquals(JOBS, count(server, "later", "delayed"));
            assertEquals(
                    1, server.get("/v1/servers").json().getJsonArray("servers").size());
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void settings_of_a_topic_hold_in_all_buckets() {
        try (TestServer server = serve(2)) {
            push(server, "t", "0s");
            assertEquals(204, server.post("/v1/topics/t/pause", null).status());
            assertEquals(0, server.reserve("t", JOBS, "0s").jobs().size());
            assertEquals(204, server.post("/v1/topics/t/resume", null).status());
            assertEquals(IDS, reserveAndAckAll(server, "t"));
        }
    }

    @Test
    void a_server_that_starts_again_finds_its_jobs() {
        try (TestServer server = serve(2)) {
            push(server, "t", "1s");
        }
        assertEquals(List.of(), LeftBehind.redisOf(dir));
        try (TestServer server = serve(2)) {
            assertEquals(IDS, reserveAndAckAll(server, "t"));
        }
    }

    @Test
    void another_number_of_processes_is_refused_with_nothing_left_running() {
        serve(1).close();
        refused(2, "shard 1/1, expected 1/2");
        // what was there is as it was
        serve(1).close();
    }

    @Test
    void a_single_one_is_refused_where_there_were_several() {
        serve(2).close();
        refused(1, "shard 1/2, expected 1/1");
        refused(3, "shard 1/2, expected 1/3");
    }

    private void refused(int processes, String why) {
        AssertionError error = assertThrows(AssertionError.class, () -> serve(processes));
        assertTrue(error.getMessage().contains(why), error.getMessage());
        assertEquals(List.of(), LeftBehind.redisOf(dir));
    }

    @Test
    void if_one_cannot_be_started_the_others_are_ended() throws Exception {
        Files.writeString(dir.resolve("redis-2"), "in its way");
        AssertionError error = assertThrows(AssertionError.class, () -> serve(3));
        assertTrue(error.getMessage().contains("redis-2"), error.getMessage());
        assertEquals(List.of(), LeftBehind.redisOf(dir));
    }
}
