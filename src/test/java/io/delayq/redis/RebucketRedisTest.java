package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.SideBySide;
import io.delayq.config.Settings;
import io.delayq.job.Backoff;
import io.delayq.job.Callback;
import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.JobPage;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.TopicCounts;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.OnExpire;
import io.delayq.job.When;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What was there before is there after, whatever happens in between. */
class RebucketRedisTest {
    private static final long HOUR = 3_600_000;
    private static final List<String> TOPICS = List.of("full", "full:g", "paused", "plain");
    /** Also without jobs they are there. */
    private static final List<String> ALL = List.of("configured", "emptied", "full", "full:g", "paused", "plain");

    private final TestRedis redis = TestRedis.shared();
    private final Vertx vertx = Vertx.vertx();
    private final List<StoreHarness> open = new ArrayList<>();
    private final List<Delivery> held = new ArrayList<>();
    private String namespace;

    @AfterEach
    void close() {
        open.forEach(StoreHarness::close);
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    /** What the public views show. */
    private record Seen(
            List<String> names,
            List<TopicCounts> counts,
            Map<String, TopicSettings> settings,
            Map<String, JobView> jobs,
            List<Boolean> held,
            Object version) {}

    @ParameterizedTest
    @SideBySide
    @CsvSource({"4, 16", "16, 3", "1, 64", "4, 5", "3, 1"})
    void everything_is_there_after(int from, int to) {
        StoreHarness before = filled(from, to, 300);
        Seen was = seen(before);
        assertEquals(0, rebucket(to, Long.MAX_VALUE));
        check(was, to);
    }

    /** Killed before its first call, then its second, and so on; each time it goes on from where it was. */
    @ParameterizedTest
    @SideBySide
    @CsvSource({"4, 16", "16, 3", "2, 1"})
    void killed_anywhere_it_goes_on(int from, int to) {
        Seen was = seen(filled(from, to, 120));
        int runs = 0;
        for (int calls = 0; rebucket(to, calls) > 0; calls++) {
            runs++;
        }
        assertTrue(runs > 20, "it was killed " + runs + " times");
        check(was, to);
    }

    @Test
    @Tag("storm")
    void killed_at_random_it_goes_on() {
        Random random = new Random();
        for (int i = 0; i < 40; i++) {
            long seed = random.nextLong();
            Random drawn = new Random(seed);
            int from = 1 + drawn.nextInt(20);
            int to = from + 1 + drawn.nextInt(20);
            try {
                Seen was = seen(filled(from, to, 60));
                for (int n = 0; n < 400 && rebucket(to, drawn.nextInt(150)) > 0; n++) {}
                rebucket(to, Long.MAX_VALUE);
                check(was, to);
            } catch (AssertionError e) {
                throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    @Test
    @SideBySide
    void ready_jobs_stay_in_their_order() {
        StoreHarness before = harness(5, 2);
        int found = 0;
        for (int i = 0; i < 200; i++) {
            String id = "j" + i;
            before.call(s -> s.push(StoreHarness.job("t", id, When.NOW)));
        }
        rebucket(2, Long.MAX_VALUE);
        StoreHarness after = after(2);
        for (int bucket = 0; bucket < 2; bucket++) {
            int at = bucket;
            List<Long> due =
                    after.call(s -> s.reserve(at, List.of(new Store.Want("t", 200)))).leased().get(0).jobs().stream()
                            .map(Delivery::due)
                            .toList();
            // those of one millisecond may have changed places
            assertEquals(due.stream().sorted().toList(), due);
            found += due.size();
        }
        assertEquals(200, found);
    }

    @Test
    @SideBySide
    void alarms_go_off_after() {
        StoreHarness before = harness(4, 16);
        before.call(s -> s.push(StoreHarness.job("t", "soon", When.in(300))));
        before.call(s -> s.push(StoreHarness.job("t", "leased", When.NOW, Retry.INHERITED, 1_000L)));
        assertEquals(1, before.reserve("t", 1).size());
        rebucket(16, Long.MAX_VALUE);
        StoreHarness after = after(16);
        TestRedis.await("both are ready", () -> {
            after.dueAll();
            TopicCounts counts = after.call(s -> s.counts(List.of("t"))).get(0);
            return counts.reserved() == 0 && counts.ready() + counts.delayed() == 2 && counts.ready() >= 1;
        });
        new Recount(after).check(List.of("t"));
    }

    /** No script makes such a job; if there ever is one, it must not be lost. */
    @Test
    @SideBySide
    void a_job_on_no_index_becomes_ready() {
        StoreHarness before = harness(4, 16);
        before.call(s -> s.push(StoreHarness.job("t", "a", When.in(HOUR))));
        redis.command("DEL", before.keys.key(before.keys.bucketOf("a"), "clock:t"));
        rebucket(16, Long.MAX_VALUE);
        assertEquals(JobState.READY, after(16).call(s -> s.get("t", "a")).state());
    }

    @Test
    @SideBySide
    void a_server_does_not_start_midway() throws Exception {
        filled(4, 16, 30);
        assertEquals(1, rebucket(16, 40));
        for (int buckets : new int[] {4, 16}) {
            ExecutionException refused = assertThrows(ExecutionException.class, () -> startCheck(buckets));
            assertEquals(
                    "a rebucket from 4 to 16 is under way; run delayq rebucket --to 16 to finish it",
                    refused.getCause().getMessage());
        }
        rebucket(16, Long.MAX_VALUE);
        assertThrows(ExecutionException.class, () -> startCheck(4));
        startCheck(16);
    }

    @Test
    @SideBySide
    void another_target_is_refused_until_the_first_is_reached() {
        filled(4, 16, 30);
        rebucket(16, 40);
        IllegalStateException refused =
                assertThrows(IllegalStateException.class, () -> with(Long.MAX_VALUE, r -> r.plan(8)));
        assertTrue(refused.getMessage().startsWith("a rebucket from 4 to 16 is under way"), refused.getMessage());
    }

    @Test
    @SideBySide
    void one_that_listens_keeps_it_from_starting() {
        filled(4, 16, 30);
        try (RespClient server = new RespClient(redis.url())) {
            server.command("SUBSCRIBE", new Keys(namespace, 4).hints());
            IllegalStateException refused = assertThrows(IllegalStateException.class, () -> rebucketOrThrow(16));
            assertTrue(refused.getMessage().contains("stop them first"), refused.getMessage());
        }
        assertEquals(List.of("schema", "buckets"), redis.command("HKEYS", new Keys(namespace, 4).meta()));
    }

    /** It may be held up here for any time, and writes by the old number after. */
    @Test
    @SideBySide
    void a_server_that_has_only_passed_its_check_keeps_it_from_starting() throws Exception {
        filled(4, 16, 30);
        StartCheck check = startCheck(4);
        IllegalStateException refused = assertThrows(IllegalStateException.class, () -> rebucketOrThrow(16));
        assertTrue(refused.getMessage().contains("stop them first"), refused.getMessage());
        assertEquals(List.of("schema", "buckets"), redis.command("HKEYS", new Keys(namespace, 4).meta()));
        await(check.abandon());
        assertEquals(0, rebucket(16, Long.MAX_VALUE));
    }

    /** A server that is between two subscriptions is heard by its looks. */
    @Test
    @SideBySide
    void one_that_looks_at_a_bucket_is_heard() {
        StoreHarness before = filled(4, 16, 30);
        with(3_000, Long.MAX_VALUE, rebucket -> {
            CompletableFuture<Void> run = rebucket.plan(16)
                    .compose(plan -> rebucket.run(plan, moved -> {}))
                    .toCompletionStage()
                    .toCompletableFuture();
            TestRedis.await("begun", () -> redis.command("HGET", before.keys.meta(), "rebucket") != null);
            before.call(s -> s.look(0));
            ExecutionException refused = assertThrows(ExecutionException.class, () -> run.get(10, TimeUnit.SECONDS));
            assertTrue(refused.getCause().getMessage().contains("stop them first"));
            return Future.succeededFuture();
        });
        assertEquals(List.of("schema", "buckets"), redis.command("HKEYS", before.keys.meta()));
    }

    @Test
    @SideBySide
    void a_plan_counts_and_changes_nothing() {
        StoreHarness before = filled(4, 16, 100);
        Seen was = seen(before);
        Rebucket.Plan plan = with(Long.MAX_VALUE, r -> r.plan(16));
        long jobs = was.jobs.size();
        assertEquals(new Rebucket.Plan(4, 16, false, jobs, ALL.size()), plan);
        assertTrue(with(Long.MAX_VALUE, r -> r.plan(4)).isNothing());
        new Recount(before).check(TOPICS);
        rebucket(16, 60);
        Rebucket.Plan rest = with(Long.MAX_VALUE, r -> r.plan(16));
        assertTrue(rest.resumed() && rest.jobs() <= jobs, rest.toString());
        redis.command("DEL", before.keys.meta());
        assertTrue(with(Long.MAX_VALUE, r -> r.plan(4)).isNothing(), "no data at all");
    }

    /** A script that took long would hold up Redis; with the largest bodies a call has few jobs. */
    @Test
    @SideBySide
    void large_bodies_go_in_small_calls() {
        StoreHarness before = harness(2, 3);
        Buffer body = Buffer.buffer("\"" + "x".repeat(250_000) + "\"");
        for (int i = 0; i < 30; i++) {
            String id = "j" + i;
            before.call(s -> s.push(new NewJob("t", id, When.in(HOUR), JobOptions.NONE, body)));
        }
        rebucket(3, Long.MAX_VALUE);
        assertEquals(30, after(3).call(s -> s.counts(List.of("t"))).get(0).delayed());
    }

    private StoreHarness harness(int from, int to) {
        // some bucket has the same keys before and after
        do {
            namespace = "r" + UUID.randomUUID().toString().substring(0, 8);
        } while (!shares(from, to));
        StoreHarness harness = new StoreHarness(redis, redis.url(), namespace, from);
        open.add(harness);
        redis.command("HSET", harness.keys.meta(), "schema", "1", "buckets", Integer.toString(from));
        return harness;
    }

    private boolean shares(int from, int to) {
        Keys old = new Keys(namespace, from);
        Keys fresh = new Keys(namespace, to);
        for (int i = 0; i < Math.min(from, to); i++) {
            if (old.key(i, "").equals(fresh.key(i, ""))) {
                return true;
            }
        }
        return false;
    }

    private StoreHarness after(int to) {
        StoreHarness harness = new StoreHarness(redis, redis.url(), namespace, to);
        open.add(harness);
        return harness;
    }

    /** Jobs of every state and option. */
    private StoreHarness filled(int from, int to, int jobs) {
        StoreHarness store = harness(from, to);
        Random random = new Random(jobs);
        store.call(s -> s.topics().configure("configured", settings(5_000L)));
        store.call(s -> s.topics().configure("full", settings(null)));
        store.call(s -> s.topics().configure("full:g", settings(null)));
        store.call(s -> s.push(StoreHarness.job("emptied", "e", When.NOW)));
        store.call(s -> s.cancel("emptied", "e"));
        List<CompletableFuture<?>> pushes = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            String topic = TOPICS.get(random.nextInt(TOPICS.size()));
            When when = random.nextInt(4) == 0 ? When.in(HOUR + random.nextInt(10_000)) : When.NOW;
            NewJob job = new NewJob(topic, "id-" + i + (i % 9 == 0 ? "-größe" : ""), when, options(random), body(i));
            pushes.add(i % 4 == 0 ? store.async(s -> s.byId().own(job, "note", true)) : store.async(s -> s.push(job)));
        }
        pushes.forEach(CompletableFuture::join);
        settleSome(store, random, jobs);
        // a ghost whose job is alive
        for (int i = 1; i < jobs; i += 9) {
            String id = "id-" + i;
            TOPICS.forEach(topic -> store.call(s -> s.reschedule(topic, id, When.in(HOUR))));
        }
        for (int i = 0; i < jobs; i += 11) {
            String id = "id-" + i + (i % 9 == 0 ? "-größe" : "");
            TOPICS.forEach(topic -> store.call(s -> s.cancel(topic, id)));
        }
        held.removeIf(job -> !store.call(s -> s.isHeld(job.topic(), job.id(), job.lease())));
        store.call(s -> s.topics().pause("paused", true));
        new Recount(store).check(TOPICS);
        return store;
    }

    private static Buffer body(int i) {
        return Buffer.buffer("{\"n\":" + i + ",\"pad\":\"" + "x".repeat(i % 50) + "\"}");
    }

    private static JobOptions options(Random random) {
        boolean callback = random.nextInt(8) == 0;
        return new JobOptions(
                HOUR,
                new Retry(random.nextInt(3) == 0 ? 1 : 5, new Backoff.Steps(List.of(0L, HOUR))),
                callback ? new Callback("http://127.0.0.1:1/", "POST", Map.of("a", "b")) : null,
                random.nextBoolean() ? null : Priority.values()[random.nextInt(3)],
                random.nextInt(3) == 0 ? 5 * HOUR : null,
                random.nextInt(3) == 0 ? "g" + random.nextInt(4) : null,
                random.nextInt(5) == 0 ? "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" : null);
    }

    private static TopicSettings settings(Long ttr) {
        return new TopicSettings(
                ttr, Retry.INHERITED, null, null, OnExpire.DEAD, null, null, null, HOUR, 2 * HOUR, null, null);
    }

    /** A third is reserved: of these some are acked, some fail, some stay with their consumer. */
    private void settleSome(StoreHarness store, Random random, int jobs) {
        held.clear();
        for (String topic : TOPICS) {
            for (Delivery job : store.reserve(topic, jobs / 10)) {
                switch (random.nextInt(5)) {
                    case 0 -> store.call(s -> s.ack(topic, job.id(), job.lease(), "me"));
                    case 1, 2 -> store.call(s -> s.nack(topic, job.id(), job.lease(), null, "why", "me"));
                    case 3 -> store.call(s -> s.release(topic, job.id(), job.lease()));
                    default -> held.add(job);
                }
            }
        }
    }

    private Seen seen(StoreHarness store) {
        Map<String, TopicSettings> settings = new HashMap<>();
        Map<String, JobView> jobs = new TreeMap<>();
        for (String topic : ALL) {
            settings.put(topic, store.call(s -> s.topics().settings(topic)));
            String cursor = null;
            do {
                String at = cursor;
                JobPage page = store.call(s -> s.topics().list(JobQuery.all(topic, null, 100, at)));
                page.jobs().forEach(job -> jobs.put(topic + " " + job.id(), job));
                cursor = page.cursor();
            } while (cursor != null);
        }
        return new Seen(
                store.call(s -> s.topics("", null, 100)),
                store.call(s -> s.counts(ALL)),
                settings,
                jobs,
                held.stream()
                        .map(job -> store.call(s -> s.isHeld(job.topic(), job.id(), job.lease())))
                        .toList(),
                version(store, 0));
    }

    /** Of the last change of settings that the bucket has seen. */
    private Object version(StoreHarness store, int bucket) {
        return redis.command("HGET", store.keys.key(bucket, "topics"), "#rev");
    }

    private void check(Seen was, int to) {
        assertTrue(was.jobs.values().stream().map(JobView::state).distinct().count() == 5, "every state");
        assertFalse(was.held.isEmpty() || was.held.contains(false), "every lease holds");
        StoreHarness after = after(to);
        new Recount(after).check(TOPICS);
        Seen is = seen(after);
        assertEquals(was.names, is.names, "topics after");
        assertEquals(was.counts, is.counts, "counts after");
        assertEquals(was.settings, is.settings, "settings after");
        assertEquals(was.held, is.held, "leases after");
        assertEquals(was.jobs.keySet(), is.jobs.keySet(), "jobs after");
        was.jobs.forEach((id, job) -> assertEquals(job, is.jobs.get(id), "job after"));
        assertEquals(List.of("schema", "buckets"), redis.command("HKEYS", after.keys.meta()));
        assertEquals(Integer.toString(to), redis.command("HGET", after.keys.meta(), "buckets"));
        for (int bucket = 0; bucket < to; bucket++) {
            assertEquals(was.version, version(after, bucket), "version after");
        }
        lifeGoesOn(after, was);
    }

    private void lifeGoesOn(StoreHarness after, Seen was) {
        for (Delivery job : held) {
            Boolean acked = after.call(s -> s.ack(job.topic(), job.id(), job.lease(), "me"));
            assertTrue(acked, "ack after");
        }
        after.call(s -> s.topics().cancelGroup("full", "g1", () -> false));
        assertTrue(after.reserve("plain", 10_000).size()
                >= was.counts.get(ALL.indexOf("plain")).ready() / 2);
        new Recount(after).check(TOPICS);
        ALL.forEach(topic -> after.call(s -> s.topics().delete(topic, () -> false)));
        new Recount(after).nothingLeft();
    }

    /** 0: it came to its end; 1: it was killed before that, after so many calls. */
    private int rebucket(int to, long calls) {
        return with(calls, r -> r.plan(to)
                .compose(plan -> plan.isNothing() ? Future.succeededFuture() : r.run(plan, moved -> {}))
                .map(0)
                .recover(error -> error instanceof Killed ? Future.succeededFuture(1) : Future.failedFuture(error)));
    }

    private void rebucketOrThrow(int to) {
        with(Long.MAX_VALUE, r -> r.plan(to).compose(plan -> r.run(plan, moved -> {})));
    }

    private static final class Killed extends RuntimeException {}

    private interface Work<T> {
        Future<T> with(Rebucket rebucket);
    }

    private <T> T with(long calls, Work<T> work) {
        return with(1, calls, work);
    }

    private <T> T with(long silence, long calls, Work<T> work) {
        AtomicLong left = new AtomicLong(calls);
        RedisEndpoint endpoint = new RedisEndpoint(Settings.defaults().redis().withUrl(redis.url()));
        Rebucket rebucket = await(Rebucket.open(
                vertx,
                endpoint,
                namespace,
                silence,
                () -> left.getAndDecrement() > 0 ? Future.succeededFuture() : Future.failedFuture(new Killed())));
        try {
            return await(work.with(rebucket));
        } finally {
            await(rebucket.close());
        }
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private StartCheck startCheck(int buckets) throws Exception {
        RedisEndpoint endpoint = new RedisEndpoint(Settings.defaults().redis().withUrl(redis.url()));
        StartCheck check = new StartCheck(vertx, endpoint, new Keys(namespace, buckets));
        check.passed().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        return check;
    }
}
