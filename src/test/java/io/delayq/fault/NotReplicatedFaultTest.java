package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.SideBySide;
import io.delayq.config.Settings;
import io.delayq.config.Settings.Durability;
import io.delayq.path.TestServer;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.SentinelFarm;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Writes that must be on replicas, while there are too few. */
@Tag("fault")
class NotReplicatedFaultTest {
    private static final String NOT_REPLICATED = "/problems/not-replicated";

    private final TestRedis redis = SentinelFarm.master();
    private final TestServer server = TestServer.start(
            settings -> settings.withRedis(impatient(settings.redis().withUrl(redis.url()))));

    /** So that what is refused is refused soon. */
    private static Settings.Redis impatient(Settings.Redis set) {
        return new Settings.Redis(
                set.url(),
                500,
                400,
                set.queue(),
                set.ca(),
                set.program(),
                set.topology(),
                Durability.replicas(1),
                false);
    }

    @AfterEach
    void close() {
        server.close();
        redis.close();
    }

    @Test
    @SideBySide
    void each_kind_of_write_is_answered_503_and_may_be_repeated_until_it_is_replicated() {
        String job = "/v1/topics/t/jobs/a";
        String push = "{\"id\":\"a\",\"delay\":\"1h\"}";
        refused(server.post("/v1/topics/t/jobs", push));
        // it is there, but saying so would be a promise
        refused(server.post("/v1/topics/t/jobs", push));
        assertEquals(200, server.get(job).status());
        refused(server.send("PUT", job, "{\"delay\":\"2h\"}"));
        refused(server.send("PATCH", job, "{\"delay\":\"3h\"}"));
        Reply rows = server.post("/v1/jobs", "[{\"topic\":\"t\",\"id\":\"b\",\"delay\":\"1h\"}]");
        JsonObject row = rows.json().getJsonArray("results").getJsonObject(0);
        assertEquals(503, row.getInteger("status"), rows.text());
        assertEquals(NOT_REPLICATED, row.getString("type"));
        refused(server.post("/v1/topics/t/dead/requeue", "{}"));
        refused(server.send("DELETE", "/v1/topics/t/jobs/b", null));

        try (TestRedis replica = SentinelFarm.replica(redis.port())) {
            SentinelFarm.awaitLinked(replica);
            Reply again = server.post("/v1/topics/t/jobs", push);
            assertEquals("/problems/job-exists", again.type(), again.text());
            assertEquals(201, server.post("/v1/topics/t/jobs", "{\"id\":\"c\"}").status());
            assertEquals(204, server.send("DELETE", job, null).status());
        }
    }

    private static void refused(Reply reply) {
        assertEquals(503, reply.status(), reply.text());
        assertEquals(NOT_REPLICATED, reply.type());
        assertTrue(reply.response().headers().firstValue("Retry-After").isPresent());
    }

    @Test
    @SideBySide
    void deliveries_and_acks_do_not_wait_for_replicas() {
        refused(server.post("/v1/topics/t/jobs", "{\"id\":\"a\"}"));
        long began = System.nanoTime();
        Reply reserved = server.reserve("t", 1, "5s");
        assertEquals("a", reserved.job(0).getString("id"));
        assertEquals(204, server.settle("ack", reserved.job(0), "").status());
        long millis = (System.nanoTime() - began) / 1_000_000;
        assertTrue(millis < 500, millis + " ms");
    }

    @Test
    @SideBySide
    void a_replica_that_answers_late_but_in_time_is_waited_for() {
        try (TestRedis replica = SentinelFarm.replica(redis.port());
                TestServer patient = TestServer.start(settings -> settings.withRedis(
                        settings.redis().withUrl(redis.url()).withDurability(Durability.replicas(1))))) {
            SentinelFarm.awaitLinked(replica);
            replica.freeze();
            var push = patient.sendAsync("POST", "/v1/topics/t/jobs", "{\"id\":\"a\"}");
            TestRedis.await("stored", () -> patient.get("/v1/topics/t/jobs/a").status() == 200);
            assertEquals(false, push.isDone());
            replica.thaw();
            assertEquals(201, TestServer.await(push).status());
        }
    }
}
