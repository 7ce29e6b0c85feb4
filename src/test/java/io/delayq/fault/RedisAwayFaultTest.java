package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.Alone;
import io.delayq.SideBySide;
import io.delayq.config.Settings;
import io.delayq.path.HostTime;
import io.delayq.path.TestServer;
import io.delayq.redis.Keys;
import io.delayq.redis.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Redis is frozen, refusing, or says nothing of what happens in it. */
@Tag("fault")
class RedisAwayFaultTest extends RedisAwayTestBase {
    @Test
    @SideBySide
    void while_redis_is_frozen_pushes_are_refused_in_time_and_in_bounds_and_soon_after_the_thaw_they_are_taken() {
        try (TestServer server = TestServer.start(settings ->
                withRedis(settings, settings.redis().withUrl(redis.url()).withQueue(50)))) {
            server.push("t", "{}");
            redis.freeze();
            long frozen = System.nanoTime();
            Set<Long> quick = ConcurrentHashMap.newKeySet();
            List<CompletableFuture<Void>> pushes = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                long number = i;
                long began = System.nanoTime();
                pushes.add(pushRefusedInTime(server).thenRun(() -> {
                    if (millisSince(began) < 1_400) {
                        quick.add(number);
                    }
                }));
            }
            CompletableFuture<Void> reserve =
                    answeredInTime(server, 503, "POST", "/v1/topics/t/reserve", "{\"max\":1}");
            pushes.forEach(TestServer::await);
            // 50 in each of the two ingress verticles may wait, the others are refused before the deadline
            assertTrue(quick.size() >= 190, "only " + quick.size() + " of 300 were refused at once");
            TestServer.await(reserve);
            while (millisSince(frozen) < 2_000) {
                TestServer.await(pushRefusedInTime(server));
            }
            redis.thaw();
            long thawed = System.nanoTime();
            TestRedis.await("a push taken", Duration.ofSeconds(3), () -> isPushed(server));
            long took = millisSince(thawed);
            System.out.println("Redis frozen for 3 s: the last push answered after " + slowest
                    + " ms, the first one taken " + took + " ms after the thaw");
            assertTrue(took < 1_000, took + " ms");
            TestRedis.await("every connection up", () -> said("up").equals(said("down")));
        }
    }

    @Test
    @SideBySide
    void with_64_buckets_no_push_waits_for_those_of_other_buckets_and_what_is_said_not_to_be_stored_is_not() {
        try (TestServer server = TestServer.start(settings -> withBuckets(settings.withRedisUrl(redis.url()), 64))) {
            server.push("t", "{}");
            redis.freeze();
            Set<String> notStored = ConcurrentHashMap.newKeySet();
            List<CompletableFuture<Void>> pushes = new ArrayList<>();
            for (int round = 0; round < 8; round++) {
                for (String id : onePerBucket(server.settings, "r" + round + "-")) {
                    pushes.add(
                            pushRefusedInTime(server, "{\"id\":\"" + id + "\"}").thenAccept(type -> {
                                if (type.equals("/problems/store-unavailable")) {
                                    notStored.add(id);
                                }
                            }));
                }
                long next = System.nanoTime() + 300_000_000L;
                TestRedis.await("the next round", () -> System.nanoTime() > next);
            }
            pushes.forEach(TestServer::await);
            redis.thaw();
            long thawed = System.nanoTime();
            TestRedis.await("a push taken", Duration.ofSeconds(3), () -> isPushed(server));
            long took = millisSince(thawed);
            System.out.printf(
                    "64 buckets frozen: %d pushes answered 503, %d of them as not stored, the last after %d ms; first"
                            + " push taken %d ms after the thaw%n",
                    pushes.size(), notStored.size(), slowest.get(), took);
            assertTrue(took < 1_000, took + " ms");
            for (String id : notStored) {
                assertEquals(404, server.get("/v1/topics/t/jobs/" + id).status(), id + " was stored");
            }
        }
    }

    private static List<String> onePerBucket(Settings settings, String prefix) {
        Keys keys = new Keys(settings.namespace(), settings.buckets());
        Map<Integer, String> ids = new TreeMap<>();
        for (int i = 0; ids.size() < keys.buckets(); i++) {
            ids.putIfAbsent(keys.bucketOf(prefix + i), prefix + i);
        }
        return List.copyOf(ids.values());
    }

    @Test
    @SideBySide
    void a_request_that_waited_for_redis_does_not_wait_as_long_again_to_show_the_job() {
        try (FaultProxy between = new FaultProxy(redis.port(), 7);
                TestServer server = TestServer.start(settings -> settings.withRedisUrl(between.url()))) {
            String job = "{\"id\":\"a\",\"delay\":\"1h\"}";
            server.push("t", job);
            assertEquals(
                    200,
                    server.send("PATCH", "/v1/topics/t/jobs/a", "{\"delay\":\"2h\"}")
                            .status());
            between.trap("get", FaultProxy.Moment.BEFORE_IT_RUNS);
            redis.command("CLIENT", "PAUSE", "800", "ALL");
            List.of(
                            answeredInTime(server, 409, "POST", "/v1/topics/t/jobs", job),
                            answeredInTime(server, 200, "PATCH", "/v1/topics/t/jobs/a", "{\"delay\":\"3h\"}"))
                    .forEach(TestServer::await);
            // it was done, even if it cannot be shown
            TestServer.await(answeredInTime(server, 200, "PATCH", "/v1/topics/t/jobs/a", "{\"delay\":\"4h\"}"));
        }
    }

    private static CompletableFuture<Void> answeredInTime(
            TestServer server, int status, String method, String path, String json) {
        HostTime host = new HostTime();
        long began = System.nanoTime();
        return server.sendAsync(method, path, json).thenAccept(reply -> {
            long took = millisSince(began);
            assertInTime(took, host, reply.text());
            assertEquals(status, reply.status(), reply.text());
        });
    }

    @Test
    @Alone
    void a_long_list_is_answered_in_time_too_while_redis_is_frozen() {
        try (TestServer server = start()) {
            String list = "[" + String.join(",", Collections.nCopies(9_000, "{\"topic\":\"t\"}")) + "]";
            assertEquals(9_000, server.post("/v1/jobs", list).json().getInteger("accepted"));
            redis.freeze();
            // the first one, in which a Java that has just begun is slow, is not timed
            assertEquals(9_000, server.post("/v1/jobs", list).json().getInteger("rejected"));
            HostTime host = new HostTime();
            long began = System.nanoTime();
            TestServer.Reply reply = server.post("/v1/jobs", list);
            // to read two megabytes of JSON is the test's own work
            long took = millisSince(began);
            System.out.println("Redis frozen: a list of 9,000 answered after " + took + " ms");
            assertEquals(9_000, reply.json().getInteger("rejected"));
            assertInTime(took, host, "");
            redis.thaw();
        }
    }

    @Test
    @SideBySide
    void hints_that_never_arrive_cost_a_look_for_the_alarm_and_one_for_the_ready_topic_and_no_job() {
        try (FaultProxy between = new FaultProxy(redis.port(), 7);
                TestServer server = TestServer.start(settings -> settings.withRedisUrl(between.url()))) {
            between.loseHints();
            long worst = worstLateness(server, System.nanoTime() + 2_000_000_000L);
            System.out.println("no hints at all: at most " + worst + " ms late");
            assertTrue(worst <= 3_500, worst + " ms late");
            assertTrue(worst > 50, "the hints were not lost: " + worst + " ms late");
        }
    }

    @Test
    @SideBySide
    void a_user_whose_password_changes_is_refused_without_a_leak_and_let_in_again() {
        redis.command("ACL", "SETUSER", "app", "on", ">p@ss w+rd", "~*", "&*", "+@all");
        String url = "redis://app:p%40ss%20w%2Brd@127.0.0.1:" + redis.port();
        try (TestServer server = TestServer.start(settings -> settings.withRedisUrl(url))) {
            server.push("t", "{\"id\":\"1\"}");
            assertEquals("1", job(server, "t").getString("id"));
            int ours = redis.connections() - 1;
            assertTrue(ours >= CONNECTIONS.size(), ours + " connections");
            redis.command("ACL", "SETUSER", "app", "resetpass", ">another");
            long made = redis.connectionsMade();
            redis.command("CLIENT", "KILL", "USER", "app");
            TestRedis.await("refused", () -> said("down").containsAll(CONNECTIONS));
            TestRedis.await("tried again", () -> redis.connectionsMade() >= made + ours);
            TestRedis.await("what was refused closed", () -> redis.connections() == 1);
            redis.command("ACL", "SETUSER", "app", "resetpass", ">p@ss w+rd");
            TestRedis.await("let in again", Duration.ofSeconds(8), () -> isPushed(server));
        }
    }

    static Settings withRedis(Settings settings, Settings.Redis redis) {
        return new Settings(
                settings.http(),
                settings.dataDir(),
                redis,
                settings.namespace(),
                settings.buckets(),
                settings.instances(),
                settings.tokens(),
                settings.insecure());
    }

    private static Settings withBuckets(Settings settings, int buckets) {
        return new Settings(
                settings.http(),
                settings.dataDir(),
                settings.redis(),
                settings.namespace(),
                buckets,
                settings.instances(),
                settings.tokens(),
                settings.insecure());
    }
}
