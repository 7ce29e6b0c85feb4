package io.delayq.path;

import static com.fasterxml.jackson.core.JsonToken.VALUE_STRING;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.delayq.fault.ChildServer;
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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A topic may be huge: looking at it and clearing it neither holds Redis up nor makes another topic's jobs late.
 *
 * <p>The work stands still for a second, scripts that do nothing run for half of one, and the work goes on for a second,
 * in turn, so that whatever else disturbs the machine disturbs all alike. The server is a process of its own, and this
 * one does little.
 */
class MillionPathTest {
    private static final int SLOW_MICROS = 10_000;
    private static final int MORE_MILLIS = 5;
    private static final int JOBS_A_PUSH = 10_000;
    private static final int JOBS_A_LOOK = 5_000;
    private static final long WINDOW_MILLIS = 1_000;
    /** Where nothing is compared. */
    private static final long BRIEF_MILLIS = 200;

    private static final long DAY = 86_400_000;
    /** Half a millisecond, about as long as ours. */
    private static final String NOTHING = "local n = 0 for i = 1, 50000 do n = n + i end return n";

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
        TestRedis.Options options =
                TestRedis.Options.standalone().with("slowlog-log-slower-than " + SLOW_MICROS, "slowlog-max-len 1000");
        try (TestRedis redis = TestRedis.start(options);
                ChildServer server = ChildServer.start(dir.resolve("data"), "--redis.url=" + redis.url());
                Other other = new Other(server.port(), redis, strict ? WINDOW_MILLIS : BRIEF_MILLIS)) {
            Big big = new Big(server.port(), jobs);
            big.push();
            // the pushes are not what is measured here
            pause(WINDOW_MILLIS);
            if (strict) {
                putFirst(redis);
            }
            redis.command("SLOWLOG", "RESET");
            redis.command("CONFIG", "RESETSTAT");
            List<Compared> all = List.of(
                    other.compare("listing", big::list),
                    other.compare("counting and forecasting", big::look),
                    other.compare("purging", big::purge));
            big.checkEnd();
            Scripts ours = Scripts.of(redis, "evalsha");
            Scripts idle = Scripts.of(redis, "eval");
            System.out.printf(
                    "%,d jobs: another topic's p99 %s; ours: %s; that do nothing: %s%n", jobs, all, ours, idle);
            if (strict) {
                assertTrue(ours.areSlowNoMoreOftenThan(idle), "scripts over 10 ms");
                all.forEach(
                        one -> assertTrue(one.during <= one.before + MORE_MILLIS, one + " made another topic late"));
            }
        }
    }

    /**
     * The scripts that were called by one command, and which of them took over 10 ms.
     *
     * <p>The slow log goes by the wall clock, and a shared machine stands still for longer than that by itself, however
     * little a script does. What this costs is seen by scripts of half a millisecond that touch no data.
     */
    private record Scripts(long calls, long micros, List<String> slow) {
        static Scripts of(TestRedis redis, String command) {
            String stats = redis.command("INFO", "commandstats").toString();
            Matcher found = Pattern.compile("cmdstat_" + command + ":calls=(\\d+),usec=(\\d+)")
                    .matcher(stats);
            assertTrue(found.find(), stats);
            return new Scripts(
                    Long.parseLong(found.group(1)),
                    Long.parseLong(found.group(2)),
                    ((List<?>) redis.command("SLOWLOG", "GET", "1000"))
                            .stream()
                                    .map(entry -> (List<?>) entry)
                                    .filter(entry -> command.equalsIgnoreCase(
                                            ((List<?>) entry.get(3)).get(0).toString()))
                                    .map(Scripts::told)
                                    .toList());
        }

        /** How many µs, and the words of the command that tell the script. */
        private static String told(List<?> entry) {
            List<?> words = (List<?>) entry.get(3);
            return entry.get(2) + " " + words.subList(Math.min(7, words.size() - 1), Math.min(15, words.size()));
        }

        /** In the time that Redis gave them; some more are chance. */
        boolean areSlowNoMoreOftenThan(Scripts others) {
            double expected = others.slow.size() * (double) micros / others.micros;
            return slow.size() <= 2 * expected + 5;
        }

        @Override
        public String toString() {
            return "%,d scripts of %d µs, over 10 ms %d %s".formatted(calls, micros / calls, slow.size(), slow);
        }
    }

    /** Redis need not wait for a core while it works, where we may ask for that: other programs' turns are not its time. */
    private static void putFirst(TestRedis redis) throws Exception {
        Process chrt = new ProcessBuilder("chrt", "--fifo", "--pid", "10", Long.toString(redis.pid()))
                .redirectErrorStream(true)
                .start();
        String said = new String(chrt.getInputStream().readAllBytes(), UTF_8);
        System.out.println(chrt.waitFor() == 0 ? "Redis goes first" : "Redis does not go first: " + said);
    }

    private static void pause(long millis) {
        long end = System.currentTimeMillis() + millis;
        TestRedis.await("a while", Duration.ofSeconds(10), () -> System.currentTimeMillis() >= end);
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
        private record Sample(long due, long late) {}

        private record Window(long from, long to) {}

        private final Vertx vertx =
                Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true));
        private final LightClient client;
        private final WsConsumer consumer;
        private final ConcurrentLinkedQueue<Sample> samples = new ConcurrentLinkedQueue<>();
        private final long timer;
        private final TestRedis redis;
        private final long stillMillis;

        Other(int port, TestRedis redis, long stillMillis) {
            this.redis = redis;
            this.stillMillis = stillMillis;
            this.client = new LightClient(port);
            this.consumer = new WsConsumer(vertx, port, "other", 100, jobs -> {
                long now = System.currentTimeMillis();
                for (int i = 0; i < jobs.size(); i++) {
                    long due = jobs.getJsonObject(i).getLong("due");
                    samples.add(new Sample(due, now - due));
                }
            });
            JsonObject job = new JsonObject().put("delay", 500);
            this.timer = vertx.setPeriodic(10, tick -> client.post("/v1/topics/other/jobs", job));
        }

        /** Does the work to its end, with pauses. */
        Compared compare(String name, BooleanSupplier work) {
            samples.clear();
            List<Window> still = new ArrayList<>();
            List<Window> busy = new ArrayList<>();
            boolean more = true;
            while (more) {
                long from = System.currentTimeMillis();
                pause(stillMillis);
                long stood = System.currentTimeMillis();
                doNothing();
                long begun = System.currentTimeMillis();
                still.add(new Window(from, stood));
                while (more && System.currentTimeMillis() < begun + WINDOW_MILLIS) {
                    more = work.getAsBoolean();
                }
                busy.add(new Window(begun, System.currentTimeMillis()));
            }
            // what came due at the very end is still on its way
            pause(stillMillis);
            List<Long> during = within(busy);
            return new Compared(name, p99(within(still)), p99(during), during.size());
        }

        /** Has Redis run scripts for half of the time, as the work does. */
        private void doNothing() {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(stillMillis / 2);
            for (long begun = System.nanoTime(); begun < end; begun = System.nanoTime()) {
                redis.command("EVAL", NOTHING, "0");
                LockSupport.parkNanos(System.nanoTime() - begun);
            }
        }

        private List<Long> within(List<Window> windows) {
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

        @Override
        public void close() {
            vertx.cancelTimer(timer);
            consumer.close();
            TestServer.await(vertx.close().toCompletionStage().toCompletableFuture());
            client.close();
        }
    }
}
