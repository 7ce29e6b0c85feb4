package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.config.Settings;
import io.delayq.fault.ChildServer;
import io.delayq.job.Ids;
import io.delayq.path.TestServer;
import io.delayq.path.WsConsumer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What servers cost, themselves and their Redis, by what they hear and what they are. */
@Tag("storm")
class ScaleServersRedisTest extends ScaleTestBase {
    /** An id that the server draws for the bucket whose call is next. */
    @Test
    void an_id() {
        Ids ids = new Ids();
        for (int buckets : new int[] {64, 4, 64, 1_024}) {
            Keys of = new Keys("dq", buckets);
            int count = 2_000_000 / buckets;
            long began = System.nanoTime();
            for (int i = 0; i < count; i++) {
                ids.nextIn(i / 20 % buckets, of::bucketOf);
            }
            double micros = (System.nanoTime() - began) / 1e3 / count;
            say("an id for one of %d buckets: %.2f µs, %.3f a draw", buckets, micros, micros / buckets);
        }
    }

    /** A whole server that has nothing to do, and one that hears hints of no use to it. */
    @Test
    void an_idle_server() throws Exception {
        for (int buckets : new int[] {4, 64, 1_024}) {
            Settings base = TestServer.settings(embedded.url());
            try (TestServer server = TestServer.start(ignored -> new Settings(
                    base.http(),
                    base.dataDir(),
                    base.redis(),
                    base.namespace(),
                    buckets,
                    base.instances(),
                    base.tokens(),
                    base.insecure()))) {
                after(Duration.ofSeconds(3));
                double own = ownMicros();
                Gauge before = gauge();
                after(Duration.ofSeconds(5));
                Gauge cost = gauge().since(before);
                double idle = (ownMicros() - own) / 5;
                say(
                        "idle server, %d buckets: Redis %.2f %% of a core, itself %.2f %%; bytes a second out %.0f",
                        buckets, cost.cpuMicros() / 5e4, idle / 1e4, cost.sent() / 5);
                for (int round = 0; round < 4; round++) {
                    hearHints(server, buckets, "r3 nobody", idle, round == 3);
                    hearHints(server, buckets, "l3", idle, round == 3);
                }
            }
        }
    }

    /** So many a second that none is lost between the rooms: a consumer of the bus holds 1,000 messages. */
    private void hearHints(TestServer server, int buckets, String hint, double idle, boolean warm) {
        String publish = "for i = 1, 100 do redis.call('PUBLISH', KEYS[1], ARGV[1]) end";
        String channel = new Keys(server.settings.namespace(), buckets).hints();
        long began = System.nanoTime();
        double own = ownMicros();
        for (int i = 1; i <= 200; i++) {
            redis.command("EVAL", publish, "1", channel, hint);
            long next = began + i * 10_000_000L;
            TestRedis.await("the next", () -> System.nanoTime() > next);
        }
        if (warm) {
            double more = ownMicros() - own - idle * (System.nanoTime() - began) / 1e9;
            say("the hint %s costs a server %.1f µs", hint, more / 20_000);
        }
    }

    /** How many hints are sent for jobs that come due one by one, and are taken at once. */
    @Test
    void hints_of_a_job() {
        for (int topics : new int[] {1, 100}) {
            for (int perSecond : new int[] {500, 2_000, 8_000}) {
                try (TestServer server = TestServer.start(set -> set.withRedisUrl(embedded.url()))) {
                    AtomicLong got = new AtomicLong();
                    List<WsConsumer> consumers = new ArrayList<>();
                    for (int i = 0; i < topics; i++) {
                        consumers.add(new WsConsumer(
                                server.vertx, server.port(), "t" + i, 1_000, jobs -> got.addAndGet(jobs.size())));
                    }
                    long before = published();
                    long began = System.nanoTime();
                    int jobs = 4 * perSecond;
                    for (int i = 0; i < jobs; i += 100) {
                        pushed(server, topics, i);
                        long next = began + (i + 100) * 1_000_000_000L / perSecond;
                        TestRedis.await("the next", () -> System.nanoTime() > next);
                    }
                    TestRedis.await("all jobs", () -> got.get() == jobs);
                    double looks = 4 * (System.nanoTime() - began) / 1e9;
                    say(
                            "%,d jobs a second over %d topics: %.2f hints a job",
                            perSecond, topics, (published() - before - looks) / jobs);
                    consumers.forEach(WsConsumer::close);
                }
            }
        }
    }

    private static void pushed(TestServer server, int topics, int from) {
        Random random = new Random(from);
        JsonArray jobs = new JsonArray();
        for (int i = 0; i < 100; i++) {
            jobs.add(new JsonObject()
                    .put("topic", "t" + random.nextInt(topics))
                    .put("delay", 500 + random.nextInt(1_000)));
        }
        assertEquals(100, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
    }

    private long published() {
        String stats = redis.command("INFO", "commandstats").toString();
        Matcher found = Pattern.compile("cmdstat_publish:calls=(\\d+)").matcher(stats);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    /** What waits for jobs and gets none. */
    @Test
    void a_consumer() throws Exception {
        int count = 500;
        List<WsConsumer> consumers = new ArrayList<>();
        try (ChildServer server = ChildServer.start(dir.resolve("child"), "--redis.url=" + embedded.url())) {
            long bare = server.heapBytes();
            for (int i = 0; i < count; i++) {
                consumers.add(new WsConsumer(vertx, server.port(), "t" + i, 100, jobs -> {}));
            }
            after(Duration.ofSeconds(3));
            Duration before = cpu(server);
            after(Duration.ofSeconds(5));
            say(
                    "%d consumers of a topic each: %.1f kB of heap each; they and the rest take %.2f %% of a core",
                    count,
                    (server.heapBytes() - bare) / 1e3 / count,
                    cpu(server).minus(before).toNanos() / 5e7);
            consumers.forEach(WsConsumer::close);
        }
    }

    private static Duration cpu(ChildServer server) {
        return ProcessHandle.of(server.pid())
                .orElseThrow()
                .info()
                .totalCpuDuration()
                .orElseThrow();
    }

    private static double ownMicros() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                        .getProcessCpuTime()
                / 1e3;
    }
}
