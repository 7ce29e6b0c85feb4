package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.http.AnyTarget;
import io.delayq.http.JobText;
import io.delayq.http.Row;
import io.delayq.job.Ids;
import io.delayq.list.IntakeVerticle;
import io.delayq.ops.Meters;
import io.delayq.redis.Keys;
import io.delayq.redis.RedisEndpoint;
import io.delayq.redis.Stores;
import io.delayq.redis.TestRedis;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that other programs put on a Redis list, through a whole server. */
public class IntakePathTest {
    private static TestRedis redis;
    private static int lists;
    private TestServer server;
    private String list;

    @BeforeEach
    public void start() {
        if (redis == null) {
            redis = TestRedis.start(TestRedis.Options.standalone());
        }
        list = "in" + lists++;
        server = TestServer.start(ignored -> settings());
    }

    private Settings settings() {
        return TestServer.settings(redis.url()).withIntakeList(list);
    }

    @AfterEach
    public void stop() {
        server.close();
    }

    @AfterAll
    public static void closeRedis() {
        redis.close();
        redis = null;
    }

    private void rpush(String... entries) {
        List<String> words = new ArrayList<>(List.of("RPUSH", list));
        words.addAll(List.of(entries));
        redis.command(words.toArray(String[]::new));
    }

    private long length(String key) {
        return (Long) redis.command("LLEN", key);
    }

    private void awaitTaken() {
        TestRedis.await("the list empty", Duration.ofSeconds(10), () -> length(list) == 0);
    }

    private List<?> bad() {
        return (List<?>) redis.command("LRANGE", list + ":bad", "0", "-1");
    }

    private JsonObject topic(String topic) {
        return server.get("/v1/topics/" + topic).json();
    }

    @Test
    void a_job_on_the_list_is_a_job_like_any_other() {
        rpush(
                "{\"topic\":\"order\",\"id\":\"a\",\"delay\":\"1h\",\"ttr\":\"5s\",\"group\":\"g\",\"ttl\":\"2h\","
                        + "\"priority\":\"high\",\"body\":{\"n\":  1.0}}",
                "{\"topic\":\"order\",\"body\":\"é\"}");
        awaitTaken();
        JsonObject job = server.get("/v1/topics/order/jobs/a").json();
        assertEquals("delayed", job.getString("state"));
        assertEquals(5_000, job.getInteger("ttr"));
        assertEquals("g", job.getString("group"));
        assertEquals(7_200_000, job.getInteger("ttl"));
        assertTrue(server.get("/v1/topics/order/jobs/a").text().contains("\"body\":{\"n\":  1.0}"));
        JsonObject other = server.reserve("order", 5, "2s").job(0);
        assertEquals("é", other.getString("body"));
        assertEquals(Ids.LENGTH, other.getString("id").length());
        assertEquals(List.of(), bad());
    }

    @Test
    public void what_is_no_job_goes_to_the_bad_ones_with_its_reason() {
        server.push("t", "{\"id\":\"there\",\"delay\":\"1h\"}");
        rpush("{\"topic\":\"t\",\"id\":\"good1\"}", "no \"json\"", "{\"topic\":\"t\",\"delay\":-1}");
        rpush("{\"topic\":\"t\",\"id\":\"there\"}", "", "{\"topic\":\"t\",\"id\":\"good2\"}");
        awaitTaken();
        assertEquals(2, topic("t").getInteger("ready"));
        List<JsonObject> all =
                bad().stream().map(text -> new JsonObject(text.toString())).toList();
        assertEquals(
                List.of("no \"json\"", "{\"topic\":\"t\",\"delay\":-1}", "", "{\"topic\":\"t\",\"id\":\"there\"}"),
                all.stream().map(one -> one.getString("job")).toList());
        assertTrue(
                all.get(1).getString("reason").startsWith("/delay expected"),
                all.get(1).encode());
        assertTrue(
                all.get(3).getString("reason").contains("has a job there already"),
                all.get(3).encode());
        assertEquals("delayed", server.get("/v1/topics/t/jobs/there").json().getString("state"));
    }

    @Test
    public void an_entry_that_is_too_long_is_cut() {
        rpush("{\"topic\":\"t\",\"body\":\"" + "x".repeat(1 << 20) + "\"}", "{\"topic\":\"t\",\"id\":\"good\"}");
        awaitTaken();
        assertEquals(1, topic("t").getInteger("ready"));
        JsonObject only = new JsonObject(bad().get(0).toString());
        assertEquals(1_000, only.getString("job").length());
        assertTrue(only.getString("reason").startsWith("expected at most 1048576 bytes, found "), only.encode());
    }

    @Test
    void the_bad_ones_are_kept_to_a_thousand_of_the_latest() {
        for (int from = 0; from < 1_300; from += 100) {
            String[] entries = new String[100];
            for (int i = 0; i < 100; i++) {
                entries[i] = "bad" + (from + i);
            }
            rpush(entries);
        }
        awaitTaken();
        assertEquals(1_000, bad().size());
        assertEquals("bad1299", new JsonObject(bad().get(999).toString()).getString("job"));
    }

    /** Also entries that are equal to each other, and have no id. */
    @Test
    void two_servers_store_each_entry_once() {
        int count = 4_000;
        try (TestServer second = TestServer.start(ignored -> server.settings)) {
            for (int from = 0; from < count; from += 500) {
                String[] entries = new String[500];
                for (int i = 0; i < 500; i++) {
                    entries[i] = i % 2 == 0
                            ? "{\"topic\":\"t\",\"delay\":\"1h\"}"
                            : "{\"topic\":\"t\",\"id\":\"j" + (from + i) + "\",\"delay\":\"1h\"}";
                }
                rpush(entries);
            }
            long began = System.nanoTime();
            awaitTaken();
            long millis = (System.nanoTime() - began) / 1_000_000;
            System.out.printf("the last of %,d entries was stored %d ms after it came%n", count, millis);
            assertEquals(count, topic("t").getInteger("delayed"));
            assertEquals(List.of(), bad());
            assertEquals(count, second.get("/v1/topics/t").json().getInteger("delayed"));
        }
    }

    @Test
    void an_idle_server_looks_at_most_about_twice_a_second() {
        TestRedis.await("looks become rare", Duration.ofSeconds(10), () -> {
            long before = looks();
            pause(1_000);
            return looks() - before <= 2;
        });
        long before = looks();
        pause(3_000);
        assertTrue(looks() - before <= 7, (looks() - before) + " looks in 3 s");
    }

    private long looks() {
        return server.get("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith("delayq_redis_call_seconds_count{script=\"peek\""))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Measuring a rate takes time: the one place where passing it is the point. */
    private static void pause(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        TestRedis.await("time", Duration.ofMillis(millis + 5_000), () -> System.nanoTime() >= end);
    }

    @Test
    void a_key_that_holds_something_else_is_left_alone_until_it_is_gone() {
        redis.command("SET", list, "mine");
        pause(700);
        assertEquals("mine", redis.command("GET", list));
        redis.command("DEL", list);
        rpush("{\"topic\":\"t\"}");
        awaitTaken();
        redis.command("SET", list + ":bad", "mine");
        rpush("bad", "{\"topic\":\"t\"}");
        pause(700);
        assertEquals("mine", redis.command("GET", list + ":bad"));
        assertEquals(2, length(list));
        redis.command("DEL", list + ":bad");
        awaitTaken();
        assertEquals(1, bad().size());
    }

    @Test
    void after_redis_came_back_everything_goes_on() {
        redis.restart();
        rpush("{\"topic\":\"t\",\"delay\":\"1h\"}");
        awaitTaken();
        assertEquals(1, topic("t").getInteger("delayed"));
    }

    @Test
    void a_callback_that_leads_inside_is_bad_by_its_address_and_by_its_name() throws Exception {
        server.close();
        InetAddress inside = InetAddress.getByName("169.254.169.254");
        server = TestServer.start(ignored -> settings(), name -> Future.succeededFuture(List.of(inside)));
        rpush("{\"topic\":\"t\",\"callback\":{\"url\":\"http://127.0.0.1/\"}}");
        rpush("{\"topic\":\"t\",\"callback\":{\"url\":\"http://inside.example/\"}}");
        rpush("{\"topic\":\"t\",\"id\":\"good\",\"delay\":\"1h\"}");
        awaitTaken();
        assertEquals(1, topic("t").getInteger("delayed"));
        assertEquals(2, bad().size());
        bad().forEach(entry -> assertTrue(entry.toString().contains("on the public internet"), entry.toString()));
    }

    /** A front end for another format brings a reader of its own. */
    @Test
    void another_format_is_a_matter_of_the_reader() {
        String other = list + "-other";
        JobText reader = (text, ids, now) -> {
            String name = new String(text, StandardCharsets.UTF_8);
            String json = "{\"topic\":\"other\",\"id\":\"" + name + "\",\"delay\":\"1h\"}";
            Row row = JobText.json(AnyTarget.ANY).read(json.getBytes(StandardCharsets.UTF_8), ids, now);
            return row;
        };
        Stores stores = new Stores(
                new RedisEndpoint(server.settings.redis()),
                new Keys(server.settings.namespace(), server.settings.buckets()),
                new Meters(new SimpleMeterRegistry()));
        String id = TestServer.await(server.vertx
                .deployVerticle(new IntakeVerticle(stores, new Ids(), other, reader, AnyTarget.ANY))
                .toCompletionStage()
                .toCompletableFuture());
        redis.command("RPUSH", other, "one", "two");
        TestRedis.await("taken", Duration.ofSeconds(10), () -> length(other) == 0);
        assertEquals(2, topic("other").getInteger("delayed"));
        TestServer.await(server.vertx.undeploy(id).toCompletionStage().toCompletableFuture());
    }
}
