package io.delayq.path;

import static io.delayq.path.Wire.job;
import static io.delayq.path.Wire.metric;
import static io.delayq.path.Wire.pointers;
import static io.delayq.path.Wire.problem;
import static io.delayq.path.Wire.take;
import static io.delayq.path.Wire.topic;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the wire contract says of topics, health and metrics. */
class OpsContractTest {
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void a_topic_has_exact_counts_of_its_jobs_in_each_state() {
        String topic = topic();
        server.push(topic, "{\"id\":\"dead\",\"retry\":{\"maxAttempts\":1}}");
        server.settle("nack", server.reserve(topic, 1, "5s").job(0), "");
        server.push(topic, "{\"id\":\"done\"}");
        server.settle("ack", server.reserve(topic, 1, "5s").job(0), "");
        server.push(topic, "{\"id\":\"r1\"}");
        server.push(topic, "{\"id\":\"r2\"}");
        take(server, topic, 2);
        server.push(topic, "{\"id\":\"a\"}");
        server.push(topic, "{\"id\":\"b\",\"priority\":\"high\"}");
        server.push(topic, "{\"id\":\"c\",\"priority\":\"low\"}");
        for (int i = 0; i < 4; i++) {
            server.push(topic, "{\"id\":\"d" + i + "\",\"delay\":\"1h\"}");
        }
        JsonObject counts = server.get("/v1/topics/" + topic).json();
        assertEquals(
                new JsonObject("{\"delayed\":4,\"ready\":3,\"reserved\":2,\"dead\":1,\"done\":0,\"paused\":false,"
                                + "\"subscribers\":0,\"settings\":{}}")
                        .put("topic", topic),
                counts);
        counts.remove("settings");
        assertEquals(
                List.of(counts),
                server.get("/v1/topics?prefix=" + topic).json().getJsonArray("topics").stream()
                        .toList());
        server.send("DELETE", job(topic, "d0"), null);
        server.send("DELETE", job(topic, "a"), null);
        server.send("PUT", job(topic, "r1"), "{}");
        counts = server.get("/v1/topics/" + topic).json();
        assertEquals(
                List.of(3, 3, 1, 1),
                List.of(
                        counts.getInteger("delayed"),
                        counts.getInteger("ready"),
                        counts.getInteger("reserved"),
                        counts.getInteger("dead")));
    }

    @Test
    void a_topic_that_is_not_there_answers_404() {
        problem(404, "topic-not-found", server.get("/v1/topics/" + topic()));
    }

    @Test
    void topics_come_in_pages_each_once_and_without_a_cursor_on_the_last() {
        String prefix = topic() + ":";
        List<String> all = new ArrayList<>();
        for (int i = 10; i < 16; i++) {
            server.push(prefix + i, "{\"delay\":\"1h\"}");
            all.add(prefix + i);
        }
        server.push(topic(), "{\"delay\":\"1h\"}");
        assertEquals(all, pages(prefix, 4, 2));
        assertEquals(all, pages(prefix, 3, 2));
        assertEquals(all, pages(prefix, 1, 6));
        assertEquals(all, pages(prefix, 500, 1));
        assertEquals(List.of(prefix + "15"), pages(prefix + "15", 50, 1));
        assertEquals(List.of(), pages(prefix + "x", 50, 1));
    }

    @Test
    void a_page_of_topics_has_50_unless_asked_otherwise() {
        String prefix = topic() + ":";
        StringBuilder jobs = new StringBuilder("[");
        for (int i = 0; i < 60; i++) {
            jobs.append(i == 0 ? "" : ",").append("{\"delay\":\"1h\",\"topic\":\"" + prefix + i + "\"}");
        }
        assertEquals(60, server.post("/v1/jobs", jobs + "]").json().getInteger("accepted"));
        JsonObject page = server.get("/v1/topics?prefix=" + prefix).json();
        assertEquals(50, page.getJsonArray("topics").size());
        assertTrue(page.containsKey("cursor"));
        assertTrue(server.get("/v1/topics").json().getJsonArray("topics").size() == 50);
    }

    @ParameterizedTest
    @CsvSource({
        "limit=0, /limit",
        "limit=501, /limit",
        "limit=-1, /limit",
        "limit=1.0, /limit",
        "limit=99999999999999999999, /limit",
        "limit=, /limit",
        "cursor=*, /cursor",
        "cursor=_w, /cursor",
        "limits=1, /limits",
        "limit=1&limit=2, /limit",
        "prefix=%FF, /prefix",
        "prefix=%zz, /prefix",
        "limit=0&cursor=*&x=1, /x /limit /cursor"
    })
    void a_bad_query_answers_400_with_all_its_faults(String query, String expected) {
        RawHttp.Answer answer = RawHttp.once(server.port(), RawHttp.request("GET", "/v1/topics?" + query, null));
        assertEquals(
                Set.of(expected.split(" ")),
                Set.copyOf(pointers(problem(400, "invalid-request", answer))),
                answer.text());
    }

    @Test
    void a_server_is_live_and_ready() {
        TestServer.Reply live = server.get("/health/live");
        assertEquals(200, live.status());
        assertEquals(Set.of("status", "checks"), live.json().fieldNames());
        TestServer.Reply ready = server.get("/health/ready");
        assertEquals(200, ready.status());
        assertEquals("up", ready.json().getString("status"));
        assertFalse(ready.json().getJsonArray("checks").isEmpty());
    }

    @Test
    void metrics_have_their_names_and_move() {
        String topic = topic();
        String label = "topic=\"" + topic + "\"";
        double lateness = metric(server, "delayq_lateness_seconds_count");
        double calls = metric(server, "delayq_redis_call_seconds_count", "script=\"push\"");
        double batches = metric(server, "delayq_redis_batch_sum", "script=\"push\"");
        server.push(topic, "{}");
        server.post("/v1/jobs", "[{\"topic\":\"" + topic + "\"},{\"topic\":\"" + topic + "\"}]");
        server.send("PUT", job(topic, "put"), "{}");
        server.post("/v1/topics/" + topic + "/jobs", "{\"id\":\"put\"}");
        JsonObject one = server.reserve(topic, 1, "5s").job(0);
        server.settle("ack", one, "");
        server.settle("ack", one, "");
        take(server, topic, 3);
        TestRedis.await("deliveries counted", () -> metric(server, "delayq_jobs_delivered_total", label) >= 4);
        assertEquals(4, metric(server, "delayq_jobs_delivered_total", label));
        assertEquals(4, metric(server, "delayq_jobs_pushed_total", label));
        assertEquals(1, metric(server, "delayq_jobs_acked_total", label));
        assertEquals(lateness + 4, metric(server, "delayq_lateness_seconds_count"));
        assertTrue(metric(server, "delayq_lateness_seconds_bucket", "le=\"+Inf\"") >= lateness + 4);
        assertTrue(metric(server, "delayq_redis_call_seconds_count", "script=\"push\"") > calls);
        assertTrue(metric(server, "delayq_redis_batch_sum", "script=\"push\"") >= batches + 4);
        TestServer.Reply reply = server.get("/metrics");
        assertEquals(
                "text/plain; version=0.0.4; charset=utf-8",
                reply.response().headers().firstValue("Content-Type").orElse(null));
    }

    @Test
    void the_queue_of_waiting_consumers_can_be_seen_in_the_metrics() {
        CompletableFuture<TestServer.Reply> poll =
                server.sendAsync("POST", "/v1/topics/" + topic() + "/reserve", "{\"wait\":\"1s\"}");
        Wire.awaitPolls(server, 1);
        assertTrue(server.get("/metrics").text().contains("delayq_queue{instance=\"ingress-0\",queue=\"store\"}"));
        TestServer.await(poll);
        Wire.awaitPolls(server, 0);
    }

    private static List<String> pages(String prefix, int limit, int count) {
        List<String> found = new ArrayList<>();
        String cursor = null;
        int pages = 0;
        do {
            JsonObject page = server.get("/v1/topics?prefix=" + prefix + "&limit=" + limit
                            + (cursor == null ? "" : "&cursor=" + TestServer.encode(cursor)))
                    .json();
            assertTrue(page.getJsonArray("topics").size() <= limit);
            page.getJsonArray("topics").forEach(topic -> found.add(((JsonObject) topic).getString("topic")));
            cursor = page.getString("cursor");
            pages++;
        } while (cursor != null);
        assertEquals(count, pages);
        return found;
    }
}
