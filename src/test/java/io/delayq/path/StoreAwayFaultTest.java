package io.delayq.path;

import static io.delayq.path.Wire.job;
import static io.delayq.path.Wire.jobs;
import static io.delayq.path.Wire.problem;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.SideBySide;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What clients are told while Redis is dead, frozen or full. */
@Tag("fault")
class StoreAwayFaultTest {
    private static final String PUSH = "{\"id\":\"a\"}";

    private TestRedis redis;
    private TestServer server;

    @BeforeEach
    void start() {
        redis = TestRedis.start(TestRedis.Options.standalone());
        server = Wire.server(http -> http, redis.url());
    }

    @AfterEach
    void stop() {
        server.close();
        redis.close();
    }

    @Test
    @SideBySide
    void is_live_but_not_ready_while_redis_is_away_and_ready_when_it_is_back() {
        redis.kill();
        TestRedis.await("not ready", () -> server.get("/health/ready").status() == 503);
        JsonObject health = server.get("/health/ready").json();
        assertEquals("down", health.getString("status"));
        JsonArray checks = health.getJsonArray("checks");
        assertTrue(checks.stream()
                .anyMatch(check -> "redis".equals(((JsonObject) check).getString("name"))
                        && "down".equals(((JsonObject) check).getString("status"))));
        assertEquals(200, server.get("/health/live").status());
        List<CompletableFuture<Void>> calls = List.of(
                answers503InTime("POST", jobs("t"), PUSH, "store-unavailable"),
                answers503InTime("GET", job("t", "a"), null, "store-unavailable"),
                answers503InTime("GET", "/v1/topics", null, "store-unavailable"),
                answers503InTime("PUT", "/v1/topics/t", "{}", "store-unavailable"),
                answers503InTime("POST", "/v1/topics/t/pause", null, "store-unavailable"),
                answers503InTime("GET", jobs("t"), null, "store-unavailable"),
                answers503InTime("DELETE", jobs("t"), null, "store-unavailable"));
        calls.forEach(TestServer::await);
        JsonObject bulk = server.post("/v1/jobs", "[{\"topic\":\"t\"},{\"topic\":\"t\",\"ttr\":0}]")
                .json();
        assertEquals(0, bulk.getInteger("accepted"));
        assertEquals(503, bulk.getJsonArray("results").getJsonObject(0).getInteger("status"));
        assertEquals(400, bulk.getJsonArray("results").getJsonObject(1).getInteger("status"));
        redis.restart();
        TestRedis.await("ready", () -> server.get("/health/ready").status() == 200);
        TestRedis.await("pushes", () -> server.post(jobs("t"), PUSH).status() == 201);
    }

    @Test
    @SideBySide
    void a_push_while_redis_is_frozen_answers_503_within_2_seconds_and_works_again_after() {
        server.push("t", "{\"delay\":\"1h\"}");
        redis.freeze();
        try {
            TestServer.await(answers503InTime("POST", jobs("t"), PUSH, "outcome-unknown"));
        } finally {
            redis.thaw();
        }
        TestRedis.await("the store", () -> {
            int status = server.post(jobs("t"), PUSH).status();
            return status == 201 || status == 409;
        });
        assertEquals("ready", server.get(job("t", "a")).json().getString("state"));
        assertEquals("a", server.reserve("t", 1, "5s").job(0).getString("id"));
    }

    @Test
    @SideBySide
    void a_push_while_redis_is_full_answers_507_and_acks_still_work() {
        server.push("t", PUSH);
        redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        redis.command("CONFIG", "SET", "maxmemory", "1");
        problem(507, "store-full", server.post(jobs("t"), "{\"id\":\"b\"}"));
        JsonObject job = server.reserve("t", 1, "5s").job(0);
        assertEquals("a", job.getString("id"));
        assertEquals(204, server.settle("ack", job, "").status());
        problem(404, "job-not-found", server.get(job("t", "b")));
    }

    private CompletableFuture<Void> answers503InTime(String method, String path, String json, String type) {
        long begin = System.nanoTime();
        return server.sendAsync(method, path, json).thenAccept(reply -> {
            long took = (System.nanoTime() - begin) / 1_000_000;
            problem(503, type, reply);
            assertTrue(reply.response()
                    .headers()
                    .firstValue("Retry-After")
                    .orElse("")
                    .matches("[1-9][0-9]*"));
            assertTrue(took < 2_000, "took " + took + " ms");
        });
    }
}
