package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayq.Alone;
import io.delayq.SideBySide;
import io.delayq.config.Settings;
import io.delayq.path.TestServer;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.Keys;
import io.delayq.redis.PlantedScripts;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Redis is killed, frozen, forgetful, refusing, or says nothing of what happens in it. */
@Tag("fault")
class RedisAwayFaultTest {
    private static final long ANSWER_MILLIS = 2_000;
    /** Those that are there in any case. */
    private static final Set<String> CONNECTIONS =
            Set.of("wake", "hints", "heartbeat", "scanner-0", "dispatcher-0", "ingress-0", "ingress-1");

    private final TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
    private final AtomicLong slowest = new AtomicLong();
    private final LogLines lines = new LogLines("io.delayq.redis.HeldConnection");

    @AfterEach
    void close() {
        lines.close();
        redis.close();
    }

    private TestServer start() {
        return TestServer.start(settings -> settings.withRedisUrl(redis.url()));
    }

    @Test
    @SideBySide
    void while_redis_is_dead_pushes_are_refused_in_time_and_when_it_is_back_all_goes_on_by_itself() {
        try (TestServer server = start()) {
            server.push("t", "{\"id\":\"before\",\"delay\":\"500ms\"}");
            redis.kill();
            List<CompletableFuture<String>> pushes = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                pushes.add(pushRefusedInTime(server));
            }
            pushes.forEach(TestServer::await);
            redis.restart();
            TestRedis.await("a push taken", Duration.ofSeconds(3), () -> isPushed(server));
            assertEquals("before", job(server, "t").getString("id"));
            server.push("t", "{\"id\":\"after\",\"delay\":\"300ms\"}");
            assertEquals("after", job(server, "t").getString("id"));
            assertTrue(said("down").containsAll(CONNECTIONS), said("down").toString());
            TestRedis.await("every connection up", () -> said("up").equals(said("down")));
        }
    }

    @Test
    @Alone
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
    @Alone
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
    @Alone
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
        long began = System.nanoTime();
        return server.sendAsync(method, path, json).thenAccept(reply -> {
            long took = millisSince(began);
            assertTrue(took <= ANSWER_MILLIS, took + " ms: " + reply.text());
            assertEquals(status, reply.status(), reply.text());
        });
    }

    @Test
    @Alone
    void a_long_list_is_answered_in_time_too_while_redis_is_frozen() {
        try (TestServer server = start()) {
            String list = "[" + String.join(",", Collections.nCopies(9_000, "{\"topic\":\"t\"}")) + "]";
            // the first one, in which a Java that has just begun is slow, is not timed
            assertEquals(9_000, server.post("/v1/jobs", list).json().getInteger("accepted"));
            redis.freeze();
            long began = System.nanoTime();
            JsonObject outcome = server.post("/v1/jobs", list).json();
            long took = millisSince(began);
            System.out.println("Redis frozen: a list of 9,000 answered after " + took + " ms");
            assertEquals(9_000, outcome.getInteger("rejected"));
            assertTrue(took < ANSWER_MILLIS, took + " ms");
            redis.thaw();
        }
    }

    private CompletableFuture<String> pushRefusedInTime(TestServer server) {
        return pushRefusedInTime(server, "{}");
    }

    /** With what kind of problem. */
    private CompletableFuture<String> pushRefusedInTime(TestServer server, String job) {
        long began = System.nanoTime();
        return server.sendAsync("POST", "/v1/topics/t/jobs", job).thenApply(reply -> {
            long took = millisSince(began);
            slowest.accumulateAndGet(took, Math::max);
            assertEquals(503, reply.status(), reply.text());
            assertTrue(
                    Set.of("/problems/store-unavailable", "/problems/outcome-unknown")
                            .contains(reply.type()),
                    reply.text());
            assertTrue(took <= ANSWER_MILLIS, took + " ms");
            return reply.type();
        });
    }

    private static boolean isPushed(TestServer server) {
        Reply reply = server.post("/v1/topics/other/jobs", "{}");
        assertTrue(reply.status() == 201 || reply.status() == 503, reply.text());
        return reply.status() == 201;
    }

    /** Our connections for which the log said so; saying it twice fails. */
    private Set<String> said(String word) {
        Pattern pattern = Pattern.compile("redis " + word + " connection=(\\S+) address=\\S+:" + redis.port() + "\\b");
        Map<String, Integer> times = new TreeMap<>();
        for (String line : lines.all()) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.find()) {
                times.merge(matcher.group(1), 1, Integer::sum);
            }
        }
        times.forEach((name, count) -> assertEquals(1, count, name + " was said to be " + word + " too often"));
        return times.keySet();
    }

    @Test
    @SideBySide
    void scripts_that_redis_forgets_ten_times_a_second_are_loaded_again_and_no_client_notices() {
        try (TestServer server = start()) {
            long end = System.nanoTime() + 2_000_000_000L;
            CompletableFuture<Integer> flushes = CompletableFuture.supplyAsync(() -> {
                int count = 0;
                for (; System.nanoTime() < end; count++) {
                    redis.command("SCRIPT", "FLUSH");
                    long until = System.nanoTime() + 100_000_000L;
                    TestRedis.await("the next flush", () -> System.nanoTime() > until);
                }
                return count;
            });
            int jobs = 0;
            while (System.nanoTime() < end) {
                server.push("t", "{}");
                Reply reply = server.reserve("t", 1, "1s");
                assertEquals(200, reply.status(), reply.text());
                assertEquals(204, server.settle("ack", reply.job(0), "").status());
                jobs++;
            }
            assertTrue(TestServer.await(flushes) > 10 && jobs > 10, jobs + " jobs");
        }
    }

    @Test
    @SideBySide
    void a_lost_subscription_loses_no_wake_up() {
        try (TestServer server = start()) {
            for (int i = 0; i < 3; i++) {
                redis.command("CLIENT", "KILL", "TYPE", "pubsub");
                server.push("t", "{\"delay\":\"300ms\"}");
                long pushed = System.nanoTime();
                job(server, "t");
                assertTrue(millisSince(pushed) < 1_500, millisSince(pushed) + " ms");
            }
        }
    }

    @Test
    @SideBySide
    void a_subscription_that_never_holds_costs_at_most_a_second() {
        try (TestServer server = start()) {
            long end = System.nanoTime() + 2_000_000_000L;
            CompletableFuture<Void> kills = CompletableFuture.runAsync(() -> {
                while (System.nanoTime() < end) {
                    redis.command("CLIENT", "KILL", "TYPE", "pubsub");
                    long until = System.nanoTime() + 50_000_000L;
                    TestRedis.await("the next kill", () -> System.nanoTime() > until);
                }
            });
            long worst = worstLateness(server, end);
            TestServer.await(kills);
            System.out.println("subscription cut every 50 ms: at most " + worst + " ms late");
            assertTrue(worst <= 1_200, worst + " ms late");
            TestRedis.await("the subscriptions up", () -> said("up").equals(Set.of("hints", "presence")));
            assertEquals(Set.of("hints", "presence"), said("down"));
        }
    }

    @Test
    @Alone
    void hints_that_are_never_sent_cost_a_look_for_the_alarm_and_one_for_the_ready_topic_and_no_job() throws Exception {
        PlantedScripts.during("local function tell()", "local function tell() do return end", () -> {
            try (TestServer server = start()) {
                long worst = worstLateness(server, System.nanoTime() + 2_000_000_000L);
                System.out.println("no hints at all: at most " + worst + " ms late");
                assertTrue(worst <= 3_500, worst + " ms late");
                assertTrue(worst > 50, "the planted fault had no effect: " + worst + " ms late");
            }
        });
    }

    private static long worstLateness(TestServer server, long endNanos) {
        long worst = 0;
        while (System.nanoTime() < endNanos) {
            server.push("t", "{\"delay\":\"130ms\"}");
            worst = Math.max(worst, -job(server, "t").getLong("due") + System.currentTimeMillis());
        }
        return worst;
    }

    @Test
    @Alone
    void a_user_whose_password_changes_is_refused_without_a_leak_and_let_in_again() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")));
        redis.command("ACL", "SETUSER", "app", "on", ">p@ss w+rd", "~*", "&*", "+@all");
        String url = "redis://app:p%40ss%20w%2Brd@127.0.0.1:" + redis.port();
        try (TestServer server = TestServer.start(settings -> settings.withRedisUrl(url))) {
            server.push("t", "{\"id\":\"1\"}");
            assertEquals("1", job(server, "t").getString("id"));
            assertNotEquals(List.of(), redis.command("CLIENT", "LIST"));
            redis.command("ACL", "SETUSER", "app", "resetpass", ">another");
            redis.command("CLIENT", "KILL", "USER", "app");
            TestRedis.await("refused", () -> said("down").containsAll(CONNECTIONS));
            long before = openFiles();
            long watched = System.nanoTime() + 3_000_000_000L;
            TestRedis.await("the watch over", () -> System.nanoTime() > watched);
            long after = openFiles();
            assertTrue(after <= before + said("down").size(), before + " open files became " + after);
            redis.command("ACL", "SETUSER", "app", "resetpass", ">p@ss w+rd");
            TestRedis.await("let in again", Duration.ofSeconds(8), () -> isPushed(server));
        }
    }

    private static long openFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    private static JsonObject job(TestServer server, String topic) {
        Reply reply = server.reserve(topic, 1, "5s");
        assertEquals(200, reply.status(), reply.text());
        assertEquals(1, reply.jobs().size(), "no job came within 5 s");
        return reply.job(0);
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
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
