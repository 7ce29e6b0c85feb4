package io.delayq.path;

import static io.delayq.path.Wire.take;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
        long samples = stream.events().stream()
                .filter(event -> event.name().equals("sample"))
                .count();
        assertTrue(samples >= 3 && samples <= 6, samples + " samples in about three seconds");
        assertEquals("history", stream.events().get(0).name());
    }

    @Test
    void tells_what_both_servers_do() {
        EventStream stream = listen(first);
        stream.await("sample", one -> one.getInteger("servers") == 2);
        push(first, "a", 50);
        push(second, "b", 30);
        stream.await("sample", one -> one.getJsonObject("depth").getInteger("ready") == 80);
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

    private static JsonObject ofTopic(EventStream stream, String topic, java.util.function.Predicate<JsonObject> fits) {
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
    void streams_end_when_the_server_stops() throws Exception {
        EventStream stream = listen(second);
        stream.await("sample");
        second.close();
        stream.ended().get(5, TimeUnit.SECONDS);
        second = TestServer.start(settings -> first.settings);
    }
}
