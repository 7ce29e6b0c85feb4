package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.path.TestServer;
import io.delayq.path.WsConsumer;
import io.delayq.redis.Keys;
import io.delayq.redis.LeftBehind;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis servers that share the buckets, of which one dies. */
@Tag("fault")
class ShardsFaultTest {
    @TempDir
    private Path dir;

    private TestServer server;

    @AfterEach
    void close() {
        server.close();
        LeftBehind.assertNoRedisOf(dir);
    }

    private boolean isOnSecond(String id) {
        return new Keys(server.settings.namespace(), server.settings.buckets()).bucketOf(id) % 2 == 1;
    }

    private Set<String> ids(String prefix, int count, boolean onSecond) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> prefix + i)
                .filter(id -> isOnSecond(id) == onSecond)
                .limit(count)
                .collect(Collectors.toSet());
    }

    private void push(Set<String> ids, String delay) {
        ids.forEach(id -> server.push("t", "{\"id\":\"" + id + "\",\"delay\":\"" + delay + "\"}"));
    }

    private WsConsumer consumer(Set<String> got) {
        return new WsConsumer(
                server.vertx,
                server.port(),
                "t",
                20,
                jobs -> jobs.forEach(job -> got.add(((JsonObject) job).getString("id"))));
    }

    @Test
    void an_embedded_one_that_is_killed_comes_back_with_its_jobs_and_the_other_goes_on() {
        server = TestServer.start(
                set -> set.withRedis(set.redis().withUrl(null).withProcesses(2)).withDataDir(dir));
        Set<String> own = ids("a", 20, true);
        push(own, "1500ms");
        LeftBehind.killRedisOf(dir, 2);
        Set<String> others = ids("b", 20, false);
        push(others, "0s");
        Set<String> got = ConcurrentHashMap.newKeySet();
        try (WsConsumer consumer = consumer(got)) {
            TestRedis.await("all of both", () -> got.containsAll(own) && got.containsAll(others));
            TestRedis.await("it runs again", () -> LeftBehind.redisOf(dir).size() == 2);
            Set<String> later = ids("c", 5, true);
            push(later, "0s");
            TestRedis.await("new ones of it", () -> got.containsAll(later));
            assertEquals(45, got.size());
            assertEquals(0, consumer.stale());
        }
    }

    @Test
    void while_one_is_away_the_buckets_of_the_other_are_served_and_its_own_answer_503() {
        try (TestRedis first = TestRedis.start(TestRedis.Options.standalone());
                TestRedis second = TestRedis.start(TestRedis.Options.standalone())) {
            server = TestServer.start(set -> set.withRedis(set.redis().withShards(List.of(first.url(), second.url()))));
            Set<String> got = ConcurrentHashMap.newKeySet();
            Set<String> own = ids("a", 10, true);
            push(own, "1s");
            try (WsConsumer consumer = consumer(got)) {
                second.kill();
                Set<String> others = ids("b", 10, false);
                push(others, "300ms");
                assertEquals(
                        503,
                        server.post(
                                        "/v1/topics/t/jobs",
                                        "{\"id\":\""
                                                + ids("x", 1, true).iterator().next() + "\"}")
                                .status());
                TestRedis.await("the other's", () -> got.containsAll(others));
                Set<String> drawn = new HashSet<>();
                for (int i = 0; i < 10; i++) {
                    drawn.add(server.push("t", "{}").json().getString("id"));
                }
                TestRedis.await("those without an id", () -> got.containsAll(drawn));
                assertEquals(200, server.get("/health/ready").status());
                assertEquals(503, server.get("/v1/topics/t").status());
                second.restart();
                TestRedis.await("its own", () -> got.containsAll(own));
                TestRedis.await("counts again", () -> server.get("/v1/topics/t").status() == 200);
                assertEquals(0, consumer.stale());
            }
            // before its Redis is
            server.close();
        }
    }

    /** Heartbeats and the truth of settings are in bucket 0. */
    @Test
    void the_first_may_be_the_one_that_is_away() {
        try (TestRedis first = TestRedis.start(TestRedis.Options.standalone());
                TestRedis second = TestRedis.start(TestRedis.Options.standalone())) {
            server = TestServer.start(set -> set.withRedis(set.redis().withShards(List.of(first.url(), second.url()))));
            Set<String> got = ConcurrentHashMap.newKeySet();
            push(ids("w", 4, true), "0s");
            push(ids("w", 4, false), "0s");
            try (WsConsumer consumer = consumer(got)) {
                TestRedis.await("warm", () -> got.size() == 8);
                first.kill();
                Set<String> others = ids("b", 10, true);
                push(others, "300ms");
                TestRedis.await("the other's", () -> got.containsAll(others));
                first.restart();
                Set<String> own = ids("a", 10, false);
                TestRedis.await(
                        "pushes again", () -> server.post("/v1/jobs", rows(own)).json().getJsonArray("results").stream()
                                .allMatch(row -> ((JsonObject) row).getInteger("status") != 503));
                TestRedis.await("its own", () -> got.containsAll(own));
                // with its next heartbeat
                TestRedis.await(
                        "the server is listed",
                        () -> server.get("/v1/servers").status() == 200
                                && server.get("/v1/servers")
                                                .json()
                                                .getJsonArray("servers")
                                                .size()
                                        == 1);
                assertEquals(0, consumer.stale());
            }
            server.close();
        }
    }

    private static String rows(Set<String> ids) {
        JsonArray rows = new JsonArray();
        ids.forEach(id -> rows.add(new JsonObject().put("topic", "t").put("id", id)));
        return rows.encode();
    }
}
