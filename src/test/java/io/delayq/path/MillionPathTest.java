package io.delayq.path;

import static com.fasterxml.jackson.core.JsonToken.VALUE_STRING;
import static io.delayq.path.SlowLog.SLOW_MICROS;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.delayq.fault.ChildServer;
import io.delayq.path.SlowLog.Slow;
import io.delayq.path.Witness.Stall;
import io.delayq.redis.TestRedis;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A topic may be huge: looking at it and clearing it neither holds Redis up nor makes another topic's jobs late.
 *
 * <p>The work stands still for a second and goes on for a second in turn, so that whatever else disturbs the machine
 * disturbs both alike. The server is a process of its own, and this one does little.
 *
 * <p>The slow log goes by the wall clock, and a shared machine stands still for longer than 10 ms by itself. So Redis has
 * one core, where no other program keeps it waiting, and each core has a {@link Witness}: what that of Redis' core did not
 * see stand still was Redis' own work, and a job that was on its way while a core stood still says nothing of who else
 * was at work.
 */
class MillionPathTest {
    private static final int MORE_MILLIS = 5;
    private static final int JOBS_A_PUSH = 10_000;
    private static final int JOBS_A_LOOK = 2_000;
    private static final long WINDOW_MILLIS = 1_000;
    /** Where nothing is compared. */
    private static final long BRIEF_MILLIS = 200;

    /** Redis' own in the strict form: the last, for the first has most of the interrupts. */
    private static final int CORE = Runtime.getRuntime().availableProcessors() - 1;

    private static final long DAY = 86_400_000;
    /** Some 20 ms of nothing but computing. */
    private static final String PLANTED = "local n = 0 for i = 1, 2000000 do n = n + i end return n";

    @TempDir
    Path dir;

    @Test
    void a_topic_of_twenty_thousand_jobs_is_listed_counted_forecast_and_purged() throws Exception {
        check(20_000, false);
    }

    @Test
    @Tag("storm")
    void a_topic_of_a_million_jobs_holds_up_nobody() throws Exception {
        check(1_000_000, true);
    }

    private void check(int jobs, boolean strict) throws Exception {
        // a rewrite of the log has each page copied that is written to, at whatever price the machine takes
        TestRedis.Options options = TestRedis.Options.standalone()
                .with(
                        "slowlog-log-slower-than " + SLOW_MICROS,
                        "slowlog-max-len 1000",
                        "auto-aof-rewrite-percentage 0");
        try (TestRedis redis = TestRedis.start(options);
                ChildServer server = ChildServer.start(dir.resolve("data"), "--redis.url=" + redis.url());
                Other other = new Other(server.port(), strict ? WINDOW_MILLIS : BRIEF_MILLIS)) {
            Big big = new Big(server.port(), jobs);
            big.push();
            // the pushes are not what is measured here
            pause(WINDOW_MILLIS);
            try (Witnesses witnesses = strict && hasItsCore(redis.pid()) ? Witnesses.ofAllCores() : Witnesses.none();
                    SlowLog log = new SlowLog(redis.url())) {
                redis.command("CONFIG", "RESETSTAT");
                if (strict) {
                    redis.command("EVAL", PLANTED, "0");
                }
                List<Watched> all = List.of(
                        other.watch("listing", big::list),
                        other.watch("counting and forecasting", big::look),
                        other.watch("purging", big::purge));
                big.checkEnd();
                List<List<Stall>> stalls = witnesses.end();
                List<Compared> compared =
                        all.stream().map(one -> one.compared(stalls)).toList();
                System.out.printf("%,d jobs: another topic's p99 %s; %s%n", jobs, compared, scripts(redis));
                System.out.println("stalls included: "
                        + all.stream().map(one -> one.compared(List.of())).toList());
                List<Slow> slow = slow(log.end(), stalls.isEmpty() ? List.of() : stalls.get(CORE));
                if (strict) {
                    checkOwn(slow);
                    compared.forEach(one ->
                            assertTrue(one.during <= one.before + MORE_MILLIS, one + " made another topic late"));
                }
            }
        }
    }

    private static List<Slow> slow(List<SlowLog.Entry> entries, List<Stall> stalls) {
        if (!stalls.isEmpty()) {
            System.out.printf(
                    "Redis' core stood still %,d times, %,d ms in all%n",
                    stalls.size(),
                    stalls.stream().mapToLong(one -> one.to() - one.from()).sum() / 1_000_000);
        }
        List<Stall> left = new ArrayList<>(stalls);
        List<Slow> slow = entries.stream()
                .sorted(Comparator.comparingLong(SlowLog.Entry::micros).reversed())
                .map(entry -> entry.excusedBy(left))
                .toList();
        slow.forEach(one -> System.out.println("over 10 ms: " + one));
        return slow;
    }

    /** Of what took over 10 ms by its own doing: nothing but what was planted, and that for sure. */
    private static void checkOwn(List<Slow> slow) {
        List<Slow> own =
                slow.stream().filter(one -> one.ownMicros() >= SLOW_MICROS).toList();
        assertTrue(own.stream().anyMatch(MillionPathTest::isPlanted), "what computes is taken for standing still");
        assertEquals(List.of(), own.stream().filter(one -> !isPlanted(one)).toList(), "scripts over 10 ms");
    }

    private static boolean isPlanted(Slow one) {
        return one.entry().words().startsWith("EVAL ");
    }

    private static String scripts(TestRedis redis) {
        String stats = redis.command("INFO", "commandstats").toString();
        Matcher found =
                Pattern.compile("cmdstat_evalsha:calls=(\\d+),usec=(\\d+)").matcher(stats);
        assertTrue(found.find(), stats);
        long calls = Long.parseLong(found.group(1));
        return "%,d scripts of %d µs".formatted(calls, Long.parseLong(found.group(2)) / calls);
    }

    /**
     * Gives Redis a core where no other program's turn is part of its time. False where we may not, which is said: there
     * the wall clock alone counts.
     */
    private static boolean hasItsCore(long redis) throws InterruptedException {
        String pid = Long.toString(redis);
        return did("chrt", "--fifo", "--pid", "10", pid)
                && did("taskset", "--pid", "--cpu-list", Integer.toString(CORE), pid);
    }

    private static boolean did(String... command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (process.waitFor() == 0) {
                return true;
            }
            System.out.println("the wall clock alone counts: " + said);
        } catch (IOException e) {
            System.out.println("the wall clock alone counts: " + e.getMessage());
        }
        return false;
    }

    private static void pause(long millis) {
        long end = System.currentTimeMillis() + millis;
        TestRedis.await("a while", Duration.ofSeconds(10), () -> System.currentTimeMillis() >= end);
    }

    /** One for each core, or none at all. */
    private record Witnesses(List<Witness> all) implements AutoCloseable {
        static Witnesses none() {
            return new Witnesses(List.of());
        }

        static Witnesses ofAllCores() throws IOException {
            List<Witness> all = new ArrayList<>();
            for (int core = 0; core <= CORE; core++) {
                Witness one = Witness.of(core);
                if (one == null) {
                    all.forEach(Witness::close);
                    return none();
                }
                all.add(one);
            }
            return new Witnesses(all);
        }

        /** What each of them noted. */
        List<List<Stall>> end() {
            return all.stream().map(Witness::end).toList();
        }

        @Override
        public void close() {
            all.forEach(Witness::close);
        }
    }

    private record Sample(long due, long late, long gotNanos) {
        private static final long NOTED_NANOS = 1_000_000;

        /** Whether one of a core's stalls, which are in the order of time, fell into the time it was on its way. */
        boolean isHitBy(List<Stall> stalls) {
            long dueNanos = gotNanos - Math.max(1, late) * 1_000_000;
            int low = 0;
            for (int high = stalls.size(); low < high; ) {
                int middle = (low + high) / 2;
                if (stalls.get(middle).to() < dueNanos) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            for (int i = low; i < stalls.size() && stalls.get(i).from() < gotNanos; i++) {
                if (stalls.get(i).to() - stalls.get(i).from() >= NOTED_NANOS) {
                    return true;
                }
            }
            return false;
        }
    }

    private record Window(long from, long to) {}

    /** How late the other topic's jobs were, and when the work stood still and when it went on. */
    private record Watched(String work, List<Sample> samples, List<Window> still, List<Window> busy) {
        Compared compared(List<List<Stall>> stalls) {
            List<Sample> counted = samples.stream()
                    .filter(sample -> stalls.stream().noneMatch(sample::isHitBy))
                    .toList();
            List<Long> during = within(counted, busy);
            return new Compared(work, p99(within(counted, still)), p99(during), during.size());
        }

        private static List<Long> within(List<Sample> samples, List<Window> windows) {
            return samples.stream()
                    .filter(sample ->
                            windows.stream().anyMatch(window -> sample.due >= window.from && sample.due < window.to))
                    .map(Sample::late)
                    .sorted()
                    .toList();
        }

        private static long p99(List<Long> sorted) {
            return sorted.isEmpty() ? 0 : sorted.get((int) (sorted.size() * 0.99));
        }
    }

    /** The p99 of lateness in ms while the work stood still, and while it went on. */
    private record Compared(String work, long before, long during, int samples) {
        @Override
        public String toString() {
            return work + " " + before + " -> " + during + " ms of " + samples;
        }
    }

    /** The work, each kind of which can be done in parts: true if there is another. */
    private static final class Big {
        private final HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        private final JsonFactory json = new JsonFactory();
        private final String base;
        private final int jobs;
        private final BitSet seen = new BitSet();
        private String cursor = "";
        private int looks;

        Big(int port, int jobs) {
            this.base = "http://127.0.0.1:" + port;
            this.jobs = jobs;
        }

        private CompletableFuture<String> send(String method, String path, String body) {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                    .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
            if (body != null) {
                request.header("Content-Type", "application/json");
            }
            return http.sendAsync(request.build(), BodyHandlers.ofString()).thenApply(HttpResponse::body);
        }

        private String get(String path) {
            return TestServer.await(send("GET", path, null));
        }

        void push() {
            StringBuilder body = new StringBuilder();
            for (int from = 0; from < jobs; from += JOBS_A_PUSH) {
                body.setLength(0);
                for (int i = from; i < from + JOBS_A_PUSH; i++) {
                    body.append(i == from ? '[' : ',')
                            .append("{\"topic\":\"big\",\"id\":\"job-")
                            .append(i)
                            .append("\",\"delay\":")
                            // many share one millisecond
                            .append(DAY / 24 + i / 1_000 * 60_000L % (DAY / 2))
                            .append(",\"body\":{\"n\":")
                            .append(i)
                            .append("}}");
                }
                String answer = TestServer.await(
                        send("POST", "/v1/jobs", body.append(']').toString()));
                assertEquals(JOBS_A_PUSH, new JsonObject(answer).getInteger("accepted"));
            }
        }

        boolean list() {
            String page = get("/v1/topics/big/jobs?state=delayed&limit=500" + cursor);
            cursor = null;
            // token by token, for reading a page must not take as long as making it
            try (JsonParser in = json.createParser(page)) {
                while (in.nextToken() != null) {
                    if ("id".equals(in.currentName()) && in.currentToken().isScalarValue()) {
                        int number = Integer.parseInt(in.getText().substring("job-".length()));
                        assertFalse(seen.get(number), "listed twice");
                        seen.set(number);
                    } else if ("cursor".equals(in.currentName()) && in.currentToken() == VALUE_STRING) {
                        cursor = "&cursor=" + in.getText();
                    }
                }
            } catch (IOException e) {
                throw new AssertionError(page, e);
            }
            return cursor != null;
        }

        boolean look() {
            assertEquals(jobs, delayed());
            JsonArray due = new JsonObject(get("/v1/topics/big/forecast?window=16h&step=1m")).getJsonArray("due");
            assertEquals(
                    jobs,
                    due.stream().mapToInt(count -> ((Number) count).intValue()).sum());
            return ++looks < jobs / JOBS_A_LOOK;
        }

        private int delayed() {
            return new JsonObject(get("/v1/topics/big")).getInteger("delayed");
        }

        /** One that is cut off stops where it is. */
        boolean purge() {
            int left = delayed();
            CompletableFuture<String> purge = send("DELETE", "/v1/topics/big/jobs", null);
            try {
                String answer = purge.get(WINDOW_MILLIS, TimeUnit.MILLISECONDS);
                assertEquals(left, new JsonObject(answer).getInteger("deleted"));
                return false;
            } catch (TimeoutException e) {
                purge.cancel(true);
                assertTrue(delayed() < left, "nothing was purged");
                return true;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        void checkEnd() {
            assertEquals(jobs, seen.cardinality(), "listed");
            assertEquals(0, delayed());
        }
    }

    /** Another topic with a steady stream of jobs, and how late they come. */
    private static final class Other implements AutoCloseable {
        private final Vertx vertx =
                Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true));
        private final LightClient client;
        private final WsConsumer consumer;
        private final ConcurrentLinkedQueue<Sample> samples = new ConcurrentLinkedQueue<>();
        private final long timer;
        private final long stillMillis;

        Other(int port, long stillMillis) {
            this.stillMillis = stillMillis;
            this.client = new LightClient(port);
            this.consumer = new WsConsumer(vertx, port, "other", 100, jobs -> {
                long now = System.currentTimeMillis();
                long nanos = System.nanoTime();
                for (int i = 0; i < jobs.size(); i++) {
                    long due = jobs.getJsonObject(i).getLong("due");
                    samples.add(new Sample(due, now - due, nanos));
                }
            });
            JsonObject job = new JsonObject().put("delay", 500);
            this.timer = vertx.setPeriodic(10, tick -> client.post("/v1/topics/other/jobs", job));
        }

        /** Does the work to its end, with pauses. */
        Watched watch(String name, BooleanSupplier work) {
            samples.clear();
            List<Window> still = new ArrayList<>();
            List<Window> busy = new ArrayList<>();
            boolean more = true;
            while (more) {
                long from = System.currentTimeMillis();
                pause(stillMillis);
                long begun = System.currentTimeMillis();
                still.add(new Window(from, begun));
                while (more && System.currentTimeMillis() < begun + WINDOW_MILLIS) {
                    more = work.getAsBoolean();
                }
                busy.add(new Window(begun, System.currentTimeMillis()));
            }
            // what came due at the very end is still on its way
            pause(stillMillis);
            return new Watched(name, List.copyOf(samples), still, busy);
        }

        @Override
        public void close() {
            vertx.cancelTimer(timer);
            consumer.close();
            TestServer.await(vertx.close().toCompletionStage().toCompletableFuture());
            client.close();
        }
    }
}
