package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.job.JobOptions;
import io.delayq.job.NewJob;
import io.delayq.job.TopicCounts;
import io.delayq.job.When;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * No script of a rebucket holds Redis up for long. The slow log keeps every call; it goes by the wall clock, and a shared
 * machine stands still by itself for longer than a script may take, so scripts that do nothing are measured beside.
 */
class RebucketPaceRedisTest {
    private static final long SLOW_MICROS = 10_000;
    private static final int MOST_LOGGED = 1_000_000;
    /** Half a millisecond, about as long as ours. */
    private static final String NOTHING = "local n = 0 for i = 1, 50000 do n = n + i end return n";

    private static final String NAMESPACE = "pace";
    private static final int FROM = 4;
    private static final int TO = 16;
    private static final long HOUR = 3_600_000;

    private final Vertx vertx = Vertx.vertx();

    /** How often, and how long in µs; how many of these over 10 ms. */
    private static final class Calls {
        private int count;
        private long micros;
        private long longest;
        private int slow;
        private long slowMicros;

        void add(long took) {
            count++;
            micros += took;
            longest = Math.max(longest, took);
            if (took > SLOW_MICROS) {
                slow++;
                slowMicros += took;
            }
        }

        /** Of those that are not slow: how many may be is looked at by itself, and one stall is as long as many calls. */
        long usualMicros() {
            return count == slow ? 0 : (micros - slowMicros) / (count - slow);
        }

        @Override
        public String toString() {
            return "%,d of %d µs, longest %,d, over 10 ms %d".formatted(count, micros / count, longest, slow);
        }
    }

    @Test
    void twenty_thousand_jobs_of_a_topic_are_moved_in_short_steps() throws Exception {
        check(20_000, 300);
    }

    @Test
    @Tag("storm")
    void two_hundred_thousand_jobs_of_a_topic_are_moved_in_short_steps() throws Exception {
        check(200_000, 2_000);
    }

    private void check(int jobs, int topics) throws Exception {
        TestRedis.Options options =
                TestRedis.Options.standalone().with("slowlog-log-slower-than -1", "slowlog-max-len " + MOST_LOGGED);
        try (TestRedis redis = TestRedis.start(options);
                StoreHarness store = new StoreHarness(redis, redis.url(), NAMESPACE, FROM)) {
            redis.command("HSET", store.keys.meta(), "schema", "1", "buckets", Integer.toString(FROM));
            fill(store, jobs, topics);
            redis.command("CONFIG", "SET", "slowlog-log-slower-than", "0");
            CompletableFuture<Void> moved = rebucket(redis);
            // the other half of the time, so that both meet what disturbs the machine
            while (!moved.isDone()) {
                redis.command("EVAL", NOTHING, "0");
            }
            moved.get(1, TimeUnit.SECONDS);
            redis.command("CONFIG", "SET", "slowlog-log-slower-than", "-1");
            Map<String, Calls> calls = calls(redis);
            System.out.printf("rebucket of %,d jobs in a topic and %,d topics: %s%n", jobs, topics, calls);
            Calls idle = calls.remove("nothing");
            calls.forEach((script, ours) -> assertTrue(isPunctual(ours, idle), script + ": " + ours + "; " + idle));
            for (String script : List.of("aside", "adopt", "pick", "arrive", "leave")) {
                assertTrue(calls.containsKey(script), script);
            }
            try (StoreHarness after = new StoreHarness(redis, redis.url(), NAMESPACE, TO)) {
                TopicCounts counts = after.call(s -> s.counts(List.of("big"))).get(0);
                assertEquals(jobs, counts.delayed() + counts.ready() + counts.reserved());
            }
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }

    /** Usually far from it, and over it no more often than one that does nothing, in the time that it had. */
    private static boolean isPunctual(Calls ours, Calls idle) {
        double expected = idle.slow * (double) ours.micros / idle.micros;
        return ours.usualMicros() < SLOW_MICROS / 2 && ours.slow <= 2 * expected + 3;
    }

    /** A third ready, two thirds waiting; the other topics have a job in each bucket, and settings. */
    private static void fill(StoreHarness store, int jobs, int topics) throws Exception {
        List<CompletableFuture<?>> pushes = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            pushes.add(push(store, "big", "job-" + i, i % 3 == 0 ? When.NOW : When.in(HOUR + i)));
            if (pushes.size() == 5_000) {
                settle(pushes);
            }
        }
        for (int topic = 0; topic < topics; topic++) {
            for (int i = 0; i < 3; i++) {
                pushes.add(push(store, "topic-" + topic, "t" + i, i == 0 ? When.NOW : When.in(HOUR)));
            }
            if (pushes.size() > 5_000) {
                settle(pushes);
            }
        }
        settle(pushes);
        for (int held = 0; held < jobs / 20; held += 250) {
            store.reserve("big", 250);
        }
    }

    private static CompletableFuture<?> push(StoreHarness store, String topic, String id, When when) {
        Buffer body = Buffer.buffer("\"" + "x".repeat(98) + "\"");
        return store.async(s -> s.push(new NewJob(topic, id, when, JobOptions.NONE, body)));
    }

    private static void settle(List<CompletableFuture<?>> pushes) throws Exception {
        CompletableFuture.allOf(pushes.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        pushes.clear();
    }

    private CompletableFuture<Void> rebucket(TestRedis redis) {
        RedisEndpoint endpoint = new RedisEndpoint(Settings.defaults().redis().withUrl(redis.url()));
        return Rebucket.open(vertx, endpoint, NAMESPACE, 1, Future::succeededFuture)
                .compose(rebucket -> rebucket.plan(TO)
                        .compose(plan -> rebucket.run(plan, moved -> {}))
                        .eventually(rebucket::close))
                .timeout(Duration.ofMinutes(5).toSeconds(), TimeUnit.SECONDS)
                .toCompletionStage()
                .toCompletableFuture();
    }

    /** By script; those that do nothing under that name. */
    private static Map<String, Calls> calls(TestRedis redis) {
        Map<String, String> words = new TreeMap<>();
        for (Script script : Script.values()) {
            words.put(ScriptSha.of(script.word()), script.word());
        }
        Map<String, Calls> calls = new TreeMap<>();
        List<?> logged = (List<?>) redis.command("SLOWLOG", "GET", "-1");
        assertTrue(logged.size() < MOST_LOGGED, "none is missing");
        for (Object one : logged) {
            List<?> entry = (List<?>) one;
            List<?> command = (List<?>) entry.get(3);
            String name = command.get(0).toString().equals("EVAL")
                    ? "nothing"
                    : command.size() > 1 ? words.get(command.get(1).toString()) : null;
            if (name != null) {
                calls.computeIfAbsent(name, first -> new Calls()).add((Long) entry.get(2));
            }
        }
        return calls;
    }
}
