package io.delayq.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.delayq.job.Backoff;
import io.delayq.job.Ids;
import io.delayq.job.JobState;
import io.delayq.job.Priority;
import io.delayq.path.TestServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Pushing, looking, changing and pulling, over REST. */
class DelayqClientTest extends ClientTestBase {
    record Order(long orderId, List<String> items) {}

    @Test
    void pushes_a_job_with_all_its_rules() {
        DelayqClient client = client();
        PushOptions options = PushOptions.in(Duration.ofMinutes(30))
                .id("a/b ü%")
                .ttr(Duration.ofSeconds(7))
                .maxAttempts(6)
                .backoff(new Backoff.Steps(List.of(5_000L, 15_000L)))
                .priority(Priority.HIGH)
                .ttl(Duration.ofHours(2))
                .group("customer-7");
        Pushed pushed = await(client.push(topic, new JsonObject().put("n", 1), options));
        assertEquals(JobState.DELAYED, pushed.state());
        assertTrue(pushed.isStored());
        JobInfo job = await(client.get(topic, "a/b ü%")).orElseThrow();
        assertEquals("a/b ü%", job.id());
        assertEquals(pushed.due(), job.due());
        assertEquals(Duration.ofSeconds(7), job.ttr());
        assertEquals(
                "{\"maxAttempts\":6,\"backoff\":[5000,15000]}",
                job.fields().get("retry").toString());
        assertEquals("high", job.fields().get("priority").asText());
        assertEquals(7_200_000, job.fields().get("ttl").asLong());
        assertEquals("customer-7", job.fields().get("group").asText());
        assertEquals(1, job.body().json().getInteger("n"));
    }

    @Test
    void makes_an_id_when_none_is_given() {
        Pushed pushed = await(client().push(topic, null));
        assertEquals(Ids.LENGTH, pushed.id().length());
        assertEquals(JobState.READY, pushed.state());
    }

    @Test
    void an_id_in_use_is_refused_and_nothing_is_repeated() {
        DelayqClient client = client();
        await(client.push(topic, "1", PushOptions.now().id("x")));
        DelayqException refusal = assertInstanceOf(
                DelayqException.class,
                failure(client.push(topic, "2", PushOptions.now().id("x"))));
        assertEquals(409, refusal.status());
        assertTrue(refusal.is("job-exists"), refusal.getMessage());
        assertEquals("1", await(client.get(topic, "x")).orElseThrow().body().text());
    }

    @Test
    void bodies_may_be_json_of_any_kind_or_a_class() throws Exception {
        DelayqClient client = client();
        Object[] bodies = {
            new JsonObject("{\"a\":1}"),
            new JsonArray("[1,2]"),
            new ObjectMapper().readTree("{\"t\":[true,null]}"),
            "{\"b\" : 1.0, \"c\":1e400, \"d\":\"\\u00e4\"}",
            null,
            7,
            new Order(1001, List.of("tea")),
            Map.of("k", "v")
        };
        String[] texts = {
            "{\"a\":1}",
            "[1,2]",
            "{\"t\":[true,null]}",
            "{\"b\":1.0,\"c\":1e400,\"d\":\"\\u00e4\"}",
            "null",
            "7",
            "{\"orderId\":1001,\"items\":[\"tea\"]}",
            "{\"k\":\"v\"}"
        };
        for (int i = 0; i < bodies.length; i++) {
            await(client.push("t" + i, bodies[i]));
            Job job = await(client.reserve("t" + i, 1, Duration.ZERO)).get(0);
            assertEquals(texts[i], job.body().text().replace(" ", ""), "body " + i);
        }
    }

    @Test
    void a_body_is_read_as_a_class() {
        DelayqClient client = client();
        await(client.push(topic, new Order(1001, List.of("tea", "cup"))));
        Job job = await(client.reserve(topic, 1, Duration.ofSeconds(5))).get(0);
        assertEquals(new Order(1001, List.of("tea", "cup")), job.body(Order.class));
        assertEquals(1001, job.json().getInteger("orderId"));
        assertEquals("tea", job.body().tree().at("/items/0").asText());
        assertEquals(2, job.body(new TypeReference<Map<String, Object>>() {}).size());
        assertInstanceOf(IllegalArgumentException.class, thrown(() -> job.body(Integer.class)));
    }

    @Test
    void a_text_that_is_not_one_json_value_is_not_sent() {
        DelayqClient client = client();
        for (String text : List.of("", "hello", "1,\"delay\":5", "{}{}", "{\"a\":")) {
            assertInstanceOf(IllegalArgumentException.class, failure(client.push(topic, text)), text);
        }
        assertEquals(404, server.get("/v1/topics/" + topic).status());
    }

    @Test
    void names_that_would_leave_their_path_are_not_sent() {
        DelayqClient client = client();
        assertInstanceOf(IllegalArgumentException.class, failure(client.push("a/../b", 1)));
        assertInstanceOf(IllegalArgumentException.class, failure(client.get("a", "..")));
    }

    @Test
    void all_faults_of_a_push_are_told() {
        PushOptions bad = PushOptions.in(Duration.ofDays(5_000)).ttr(Duration.ofMillis(1));
        DelayqException refusal = assertInstanceOf(DelayqException.class, failure(client().push(topic, 1, bad)));
        assertEquals(400, refusal.status());
        assertTrue(refusal.is("invalid-request"));
        assertEquals(
                List.of("/delay", "/ttr"),
                refusal.faults().stream()
                        .map(DelayqException.Fault::pointer)
                        .sorted()
                        .toList());
        assertTrue(refusal.getMessage().contains("/ttr"), refusal.getMessage());
    }

    @Test
    void pushes_many_and_says_what_became_of_each() {
        DelayqClient client = client();
        List<Pushed> results = await(client.pushAll(List.of(
                new Push("a", 1),
                new Push("b", 2, PushOptions.in(Duration.ofHours(1)).id("x")),
                new Push("b", 3, PushOptions.now().id("x")),
                new Push("not a topic", 4))));
        assertEquals(
                List.of(201, 201, 409, 400),
                results.stream().map(Pushed::status).toList());
        assertEquals(JobState.DELAYED, results.get(1).state());
        assertEquals("/problems/job-exists", results.get(2).type());
        assertFalse(results.get(3).isStored());
    }

    @Test
    void put_creates_or_replaces() {
        DelayqClient client = client();
        assertEquals(
                201,
                await(client.put(topic, "x", 1, PushOptions.in(Duration.ofHours(1))))
                        .status());
        assertEquals(200, await(client.put(topic, "x", 2, PushOptions.now())).status());
        assertEquals("2", await(client.get(topic, "x")).orElseThrow().body().text());
    }

    @Test
    void cancel_says_whether_there_was_a_job() {
        DelayqClient client = client();
        await(client.push(topic, 1, PushOptions.in(Duration.ofHours(1)).id("x")));
        assertTrue(await(client.cancel(topic, "x")));
        assertFalse(await(client.cancel(topic, "x")));
        assertTrue(await(client.get(topic, "x")).isEmpty());
    }

    @Test
    void reschedules_to_a_delay_or_a_time() {
        DelayqClient client = client();
        await(client.push(topic, 1, PushOptions.in(Duration.ofHours(1)).id("x")));
        Instant at = Instant.ofEpochMilli(System.currentTimeMillis() + 86_400_000);
        assertEquals(at, await(client.reschedule(topic, "x", at)).due());
        assertEquals(
                JobState.READY,
                await(client.reschedule(topic, "x", Duration.ZERO)).state());
        assertEquals(1, await(client.reserve(topic, 5, Duration.ofSeconds(5))).size());
        DelayqException refusal =
                assertInstanceOf(DelayqException.class, failure(client.reschedule(topic, "x", Duration.ZERO)));
        assertTrue(refusal.is("wrong-state"));
    }

    @Test
    void reserves_waits_extends_nacks_and_acks() {
        DelayqClient client = client();
        var waiting = client.reserve(topic, 5, Duration.ofSeconds(10));
        await(client.push(topic, 1, PushOptions.now().id("x").ttr(Duration.ofSeconds(30))));
        Job job = await(waiting).get(0);
        assertEquals(1, job.attempt());
        assertEquals(10, job.maxAttempts());
        await(client.extend(job, Duration.ofHours(1)));
        Instant deadline = Json.time(await(client.get(topic, "x")).orElseThrow().fields(), "deadline");
        assertTrue(deadline.isAfter(job.deadline().plusSeconds(1_000)));
        await(client.nack(job, "no " + "x".repeat(9_000), Duration.ZERO));
        DelayqException stale = assertInstanceOf(DelayqException.class, failure(client.ack(job)));
        assertTrue(stale.is("stale-lease"));
        Job again = await(client.reserve(topic, 5, Duration.ofSeconds(10))).get(0);
        assertEquals(2, again.attempt());
        assertEquals(
                4_096, await(client.get(topic, "x")).orElseThrow().lastError().length());
        await(client.ack(again));
        assertTrue(await(client.get(topic, "x")).isEmpty());
    }

    @Test
    void the_trace_of_a_push_comes_back_with_the_job() {
        DelayqClient client = client();
        String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        await(client.push(topic, 1, PushOptions.now().traceparent(trace)));
        assertEquals(
                trace,
                await(client.reserve(topic, 1, Duration.ofSeconds(5))).get(0).traceparent());
        await(client.push("other", 1));
        assertNull(
                await(client.reserve("other", 1, Duration.ofSeconds(5))).get(0).traceparent());
    }

    @Test
    void a_server_out_of_reach_fails_within_the_time_given() {
        int port = server.port();
        DelayqClient client = client(options(port).requestTimeout(Duration.ofMillis(600)));
        server.close();
        long begin = System.nanoTime();
        DelayqException failure = assertInstanceOf(DelayqException.class, failure(client.push(topic, 1)));
        long millis = (System.nanoTime() - begin) / 1_000_000;
        assertEquals(0, failure.status());
        assertTrue(millis < 2_000, "took " + millis + " ms");
        server = TestServer.start();
    }

    @Test
    void an_operation_waits_for_a_server_that_comes_back() {
        DelayqClient client = client();
        int port = server.port();
        server.close();
        var push = client.push(topic, 1);
        server = TestServer.start(settings -> settings.withPort(port));
        assertTrue(await(push).isStored());
    }

    private static Throwable thrown(Runnable code) {
        try {
            code.run();
        } catch (RuntimeException e) {
            return e;
        }
        return null;
    }
}
