package io.delayq.path;

import static io.delayq.path.Wire.metric;
import static io.delayq.path.Wire.take;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.bus.Addresses;
import io.delayq.bus.Event;
import io.delayq.redis.Keys;
import io.delayq.redis.TestRedis;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whoever listens to one of two servers hears what both do. */
class EventsPathTest {
    private static final Set<String> RATES = Set.of("pushed", "delivered", "acked", "retried", "dead", "expired");

    private final List<EventStream> streams = new ArrayList<>();
    private TestServer first;
    private TestServer second;

    @BeforeEach
    void start() {
        first = TestServer.start();
        second = TestServer.start(settings -> first.settings);
    }

    @AfterEach
    void stop() {
        streams.forEach(EventStream::close);
        second.close();
        first.close();
    }

    private EventStream listen(TestServer server) {
        EventStream stream = new EventStream(server.port());
        streams.add(stream);
        return stream;
    }

    private static double rate(JsonObject sample, String name) {
        return sample.getJsonObject("rates").getDouble(name);
    }

    private void push(TestServer server, String topic, int count) {
        JsonArray jobs = new JsonArray();
        for (int i = 0; i < count; i++) {
            jobs.add(new JsonObject().put("topic", topic));
        }
        assertEquals(count, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
    }

    @Test
    void begins_with_the_history_and_goes_on_with_a_sample_each_second() {
        EventStream stream = listen(first);
        JsonObject history = stream.await("history");
        assertEquals(Set.of("step", "samples"), history.fieldNames());
        assertEquals(10_000, history.getInteger("step"));
        JsonObject sample = stream.await("sample");
        assertEquals(Set.of("at", "servers", "redis", "rates", "lateness", "depth"), sample.fieldNames());
        assertEquals(RATES, sample.getJsonObject("rates").fieldNames());
        assertEquals(
                Set.of("delayed", "ready", "reserved", "dead"),
                sample.getJsonObject("depth").fieldNames());
        assertNull(sample.getJsonObject("lateness"));
        assertTrue(sample.getBoolean("redis"));
        long at = sample.getLong("at");
        assertTrue(Math.abs(at - System.currentTimeMillis()) < 10_000, "at " + at);
        stream.await("sample", one -> one.getInteger("servers") == 2);
        stream.await("sample", one -> one.getLong("at") > at + 2_500);
        List<Long> times = stream.events().stream()
                .filter(event -> event.name().equals("sample"))
                .map(event -> event.data().getLong("at"))
                .toList();
        // a machine that stands still for a moment leaves one out
        double each = (times.get(times.size() - 1) - times.get(0)) / (times.size() - 1.0);
        assertTrue(each > 700 && each < 2_700, "a sample every " + each + " ms: " + times);
        assertEquals("history", stream.events().get(0).name());
    }

    @Test
    void tells_what_both_servers_do() {
        EventStream stream = listen(first);
        long at = stream.await("sample", one -> one.getInteger("servers") == 2).getLong("at");
        // until two seconds can be looked back on: a rate over less is higher
        stream.await("sample", one -> one.getLong("at") > at + 2_500);
        push(first, "a", 50);
        push(second, "b", 30);
        long all = stream.await(
                        "sample",
                        one -> one.getJsonObject("depth").getInteger("ready") == 80 && rate(one, "pushed") > 0)
                .getLong("at");
        // until no sample looks back on the pushes any more
        stream.await("sample", one -> one.getLong("at") > all && rate(one, "pushed") == 0);
        double pushed = stream.events().stream()
                .filter(event -> event.name().equals("sample"))
                .mapToDouble(event -> rate(event.data(), "pushed"))
                .sum();
        // a push counts in about two of the samples, each of which is about two seconds' work
        assertTrue(pushed > 40 && pushed < 170, pushed + " pushed a second in all samples");
        JsonObject topic = ofTopic(stream, "b", one -> one.getInteger("ready") == 30);
        assertEquals(
                Set.of("topic", "delayed", "ready", "reserved", "dead", "done", "paused", "subscribers", "rates"),
                topic.fieldNames());
        assertEquals(
                Set.of("pushed", "delivered", "acked"),
                topic.getJsonObject("rates").fieldNames());
        ofTopic(stream, "b", one -> one.getJsonObject("rates").getDouble("pushed") == 0);
        take(second, "b", 30)
                .forEach(job -> assertEquals(204, second.settle("ack", job, "").status()));
        JsonObject delivered = stream.await("sample", one -> rate(one, "delivered") > 0 && rate(one, "acked") > 0);
        JsonObject lateness = delivered.getJsonObject("lateness");
        assertNotNull(lateness);
        assertTrue(lateness.getDouble("p50") <= lateness.getDouble("p99"), lateness.encode());
        stream.await("sample", one -> one.getJsonObject("depth").getInteger("ready") == 50);
    }

    private static JsonObject ofTopic(EventStream stream, String topic, Predicate<JsonObject> fits) {
        List<JsonObject> found = new ArrayList<>();
        stream.await("topics", event -> {
            event.getJsonArray("topics").stream()
                    .map(JsonObject.class::cast)
                    .filter(one -> one.getString("topic").equals(topic))
                    .filter(fits)
                    .forEach(found::add);
            return !found.isEmpty();
        });
        return found.get(0);
    }

    @Test
    void tells_what_is_done_to_topics_on_any_server() {
        EventStream stream = listen(first);
        stream.await("sample");
        assertEquals(
                200, second.send("PUT", "/v1/topics/t", "{\"keepDone\":\"1h\"}").status());
        assertEquals(204, second.post("/v1/topics/t/pause", "").status());
        stream.await("change", change("paused"));
        ofTopic(stream, "t", one -> one.getBoolean("paused"));
        assertEquals(204, first.post("/v1/topics/t/resume", "").status());
        assertEquals(200, second.send("DELETE", "/v1/topics/t", null).status());
        for (String kind : List.of("settings", "resumed", "deleted")) {
            assertEquals(
                    Set.of("kind", "topic"),
                    stream.await("change", change(kind)).fieldNames());
        }
    }

    private static Predicate<JsonObject> change(String kind) {
        return event ->
                event.getString("topic").equals("t") && event.getString("kind").equals(kind);
    }

    @Test
    void subscribers_of_both_servers_and_their_connections_can_be_seen() {
        EventStream stream = listen(first);
        stream.await("sample");
        push(first, "t", 5);
        long before = System.currentTimeMillis();
        try (WsConsumer one = new WsConsumer(first.vertx, first.port(), "t", 7, jobs -> {});
                WsConsumer other = new WsConsumer(second.vertx, second.port(), "t", 3, jobs -> {})) {
            other.stopAcking();
            ofTopic(stream, "t", topic -> topic.getInteger("subscribers") == 2);
            JsonObject connections = first.get("/v1/connections").json();
            assertEquals(Set.of("connections"), connections.fieldNames());
            assertEquals(1, connections.getJsonArray("connections").size());
            JsonObject connection = connections.getJsonArray("connections").getJsonObject(0);
            assertEquals(
                    Set.of("id", "server", "address", "by", "since", "subscriptions", "unsettled", "lag"),
                    connection.fieldNames());
            long since = connection.getLong("since");
            assertTrue(since >= before && since <= System.currentTimeMillis(), "since " + since);
            assertEquals(0, connection.getInteger("lag"));
            assertNull(connection.getString("by"));
            JsonObject subscription = connection.getJsonArray("subscriptions").getJsonObject(0);
            assertEquals("t", subscription.getString("topic"));
            assertEquals(7, subscription.getInteger("prefetch"));
            // the one that acks may be quick enough to take all of them
            TestRedis.await("the jobs that it does not ack", () -> {
                push(second, "t", 20);
                return connection(second).getInteger("unsettled") == 3 && metric(second, "delayq_unsettled") == 3;
            });
            assertEquals(1, metric(second, "delayq_sessions"));
            String server = connection(second).getString("server");
            assertTrue(second.get("/v1/servers").text().contains("\"" + server + "\""), server);
            one.stopAcking();
        }
    }

    private static JsonObject connection(TestServer server) {
        return server.get("/v1/connections").json().getJsonArray("connections").getJsonObject(0);
    }

    @Test
    void no_more_than_a_hundred_may_listen_to_one_server() {
        List<EventStream> many = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            many.add(listen(first));
        }
        List<Integer> statuses = many.stream().map(EventStream::status).toList();
        assertEquals(100, statuses.stream().filter(status -> status == 200).count(), statuses.toString());
        assertEquals(20, statuses.stream().filter(status -> status == 429).count(), statuses.toString());
        many.forEach(EventStream::close);
        TestRedis.await("room again", () -> {
            EventStream again = listen(first);
            return again.status() == 200;
        });
    }

    @Test
    void the_history_is_what_all_servers_have_kept_in_redis() {
        List<?> time = (List<?>) TestRedis.shared().command("TIME");
        long now = Long.parseLong(time.get(0).toString()) * 1_000;
        String key = new Keys(first.settings.namespace(), first.settings.buckets()).history();
        TestRedis.shared().command("RPUSH", key, (now - 20_000) + " {\"at\":1}", (now - 10_000) + " {\"at\":2}");
        for (TestServer server : List.of(first, second)) {
            JsonArray samples = listen(server).await("history").getJsonArray("samples");
            assertEquals(
                    List.of("{\"at\":1}", "{\"at\":2}"),
                    samples.stream().limit(2).map(Object::toString).toList());
        }
    }

    @Test
    @Tag("storm")
    void every_ten_seconds_one_server_adds_to_the_history() {
        push(second, "t", 40);
        long began = System.nanoTime();
        JsonArray samples = new JsonArray();
        TestRedis.await("two steps", Duration.ofSeconds(30), () -> {
            EventStream stream = listen(second);
            JsonArray found = stream.await("history").getJsonArray("samples");
            stream.close();
            samples.clear().addAll(found);
            return found.size() == 2;
        });
        double seconds = (System.nanoTime() - began) / 1e9;
        assertTrue(seconds > 9 && seconds < 25, seconds + " s");
        JsonObject last = samples.getJsonObject(1);
        assertEquals(2, last.getInteger("servers"));
        assertEquals(40, last.getJsonObject("depth").getInteger("ready"));
        assertEquals(4, rate(samples.getJsonObject(0), "pushed"), 1.5, samples.encode());
    }

    @Test
    @Tag("storm")
    void one_that_does_not_read_is_cut_off_and_holds_nobody_up() throws Exception {
        EventStream other = listen(first);
        other.await("sample");
        String server = first.get("/v1/servers").json().getJsonArray("servers").stream()
                .map(JsonObject.class::cast)
                .filter(one -> one.getString("address").endsWith(":" + first.port()))
                .findFirst()
                .orElseThrow()
                .getString("id");
        try (Socket stuck = new Socket()) {
            stuck.setReceiveBufferSize(8 * 1024);
            stuck.connect(new InetSocketAddress("127.0.0.1", first.port()));
            stuck.getOutputStream()
                    .write("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            TestRedis.await("it listens", () -> metric(first, "delayq_queue", "queue=\"events\"") == 2);
            Event large = new Event("large", Buffer.buffer(":" + "x".repeat(1 << 20) + "\n\n"), List.of());
            long began = System.nanoTime();
            TestRedis.await("it is cut off", Duration.ofSeconds(40), () -> {
                first.vertx.eventBus().publish("delayq." + server + ".events", large, Addresses.options());
                return metric(first, "delayq_queue", "queue=\"events\"") == 1;
            });
            double seconds = (System.nanoTime() - began) / 1e9;
            assertTrue(seconds > 9, "after " + seconds + " s already");
            assertTrue(other.comments() > 10, "the other one hears all");
            other.await("sample", began + 9_000_000_000L, any -> true);
        }
    }

    @Test
    void streams_end_when_the_server_stops() throws Exception {
        EventStream stream = listen(second);
        stream.await("sample");
        second.close();
        stream.ended().get(5, TimeUnit.SECONDS);
        second = TestServer.start(settings -> first.settings);
    }
}
