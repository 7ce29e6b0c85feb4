package io.delayq.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.fault.FaultProxy;
import io.delayq.job.Backoff;
import io.delayq.job.JobState;
import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs handled as they come due. */
class HandlingTest extends ClientTestBase {
    private static final Backoff AT_ONCE = new Backoff.Exponential(0, 1, 0, 0);
    private static final HandlerOptions DEFAULTS = new HandlerOptions();

    private final List<Job> seen = new CopyOnWriteArrayList<>();

    @BeforeEach
    void forget() {
        seen.clear();
    }

    private Future<Void> after(long millis) {
        Promise<Void> promise = Promise.promise();
        vertx.setTimer(millis, fired -> promise.complete());
        return promise.future();
    }

    private static void await(String what, java.util.function.BooleanSupplier condition) {
        TestRedis.await(what, Duration.ofSeconds(10), condition);
    }

    @Test
    void acks_what_succeeds() {
        DelayqClient client = client();
        Handling handling = client.handle(topic, DEFAULTS, job -> {
            seen.add(job);
            return Future.succeededFuture();
        });
        Pushed pushed = await(client.push(topic, "{\"n\": 1}", PushOptions.in(Duration.ofMillis(200))));
        await("acked", () -> handling.counts().acked() == 1);
        assertEquals(pushed.id(), seen.get(0).id());
        assertEquals(topic, seen.get(0).topic());
        assertTrue(seen.get(0).isHeld());
        assertTrue(await(client.get(topic, pushed.id())).isEmpty());
    }

    @Test
    void work_that_returns_nothing_is_acked_when_it_returns_and_nacked_when_it_throws() {
        DelayqClient client = client();
        Handling handling = client.handle(topic, DEFAULTS, JobHandler.of(job -> {
            seen.add(job);
            if (job.attempt() == 1) {
                throw new java.io.IOException("no luck");
            }
        }));
        String id = await(client.push(topic, "1", PushOptions.now().backoff(AT_ONCE)))
                .id();
        await("acked", () -> handling.counts().acked() == 1);
        assertEquals(2, seen.size());
        assertEquals(1, handling.counts().nacked());
        assertTrue(await(client.get(topic, id)).isEmpty());
    }

    @Test
    void nacks_what_fails_with_the_reason_and_it_is_tried_again() {
        DelayqClient client = client();
        Handling handling = client.handle(topic, DEFAULTS, job -> {
            seen.add(job);
            return switch (job.attempt()) {
                case 1 -> Future.failedFuture("first reason");
                case 2 -> throw new IllegalStateException("thrown " + "\u20ac".repeat(5_000));
                case 3 -> null;
                default -> Future.succeededFuture();
            };
        });
        String id = await(client.push(topic, 1, PushOptions.now().maxAttempts(3).backoff(AT_ONCE)))
                .id();
        await("dead", () -> state(client, id) == JobState.DEAD);
        assertEquals(List.of(1, 2, 3), seen.stream().map(Job::attempt).toList());
        await("told", () -> handling.counts().nacked() == 3);
        assertEquals(
                "the handler returned null",
                await(client.get(topic, id)).orElseThrow().lastError());

        String other =
                await(client.push(topic, 1, PushOptions.now().backoff(AT_ONCE))).id();
        await("fourth try", () -> await(client.get(topic, other)).isEmpty());
        await("told", () -> handling.counts().acked() == 1);
    }

    @Test
    void a_reason_is_cut_between_characters() {
        assertEquals("x\u20ac".length(), Reasons.shortened("x\u20ac").length());
        String cut = Reasons.shortened("xx" + "\u20ac".repeat(5_000));
        assertEquals("xx" + "\u20ac".repeat(1_364), cut);
        assertEquals("?", Reasons.shortened("\ud800"));
        assertEquals("java.lang.IllegalStateException", Reasons.of(new IllegalStateException()));
    }

    private JobState state(DelayqClient client, String id) {
        return await(client.get(topic, id)).map(JobInfo::state).orElse(null);
    }

    @Test
    void extends_the_lease_while_the_handler_runs() {
        DelayqClient client = client();
        Handling handling = client.handle(topic, DEFAULTS, job -> {
            seen.add(job);
            return after(1_500);
        });
        for (int i = 0; i < 3; i++) {
            await(client.push(
                    topic, i, PushOptions.now().ttr(Duration.ofMillis(500)).backoff(AT_ONCE)));
        }
        await("acked", () -> handling.counts().acked() == 3);
        assertEquals(List.of(1, 1, 1), seen.stream().map(Job::attempt).toList());
        assertEquals(0, handling.counts().stale());
    }

    @Test
    void extends_the_lease_of_jobs_that_wait_their_turn() {
        DelayqClient client = client();
        Handling handling =
                client.handle(topic, new HandlerOptions().concurrency(1).prefetch(10), job -> {
                    seen.add(job);
                    return after(500);
                });
        for (int i = 0; i < 4; i++) {
            await(client.push(
                    topic, i, PushOptions.now().ttr(Duration.ofMillis(500)).backoff(AT_ONCE)));
        }
        await("acked", () -> handling.counts().acked() == 4);
        assertEquals(4, seen.size());
    }

    @Test
    void a_lease_that_was_lost_is_not_settled() {
        DelayqClient client = client();
        Promise<Void> first = Promise.promise();
        Handling handling = client.handle(topic, new HandlerOptions().extendFor(Duration.ZERO), job -> {
            seen.add(job);
            return job.attempt() == 1 ? first.future() : Future.succeededFuture();
        });
        await(client.push(
                topic, 1, PushOptions.now().ttr(Duration.ofMillis(200)).backoff(AT_ONCE)));
        await("second attempt", () -> handling.counts().acked() == 1);
        first.complete();
        await("stale", () -> handling.counts().stale() == 1);
        assertEquals(new Handling.Counts(1, 0, 1, 1, 0), handling.counts());
    }

    @Test
    void a_job_cancelled_while_it_runs_is_lost_to_its_handler() {
        DelayqClient client = client();
        Promise<Void> running = Promise.promise();
        Handling handling = client.handle(topic, DEFAULTS, job -> {
            seen.add(job);
            return running.future();
        });
        for (String id : List.of("probe", "x")) {
            await(client.push(topic, 1, PushOptions.now().id(id).ttr(Duration.ofSeconds(1))));
        }
        await("both run", () -> seen.size() == 2);
        Job x = seen.stream().filter(job -> job.id().equals("x")).findFirst().orElseThrow();
        await(client.cancel(topic, "x"));
        await("found out", () -> !x.isHeld());
        running.complete();
        await(
                "settled",
                () -> handling.counts().acked() == 1 && handling.counts().stale() == 1);
    }

    @Test
    void runs_no_more_at_a_time_than_allowed() {
        DelayqClient client = client();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Push> jobs = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            jobs.add(new Push(topic, i));
        }
        await(client.pushAll(jobs));
        Handling handling =
                client.handle(topic, new HandlerOptions().concurrency(7).prefetch(50), job -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    return after(3).onComplete(done -> running.decrementAndGet());
                });
        await("all", () -> handling.counts().acked() == 200);
        assertEquals(7, most.get());
    }

    @Test
    void five_thousand_jobs_are_handled_once_each() {
        DelayqClient client = client();
        Map<String, AtomicInteger> times = new ConcurrentHashMap<>();
        Handling handling = client.handle(topic, new HandlerOptions().concurrency(100), job -> {
            times.computeIfAbsent(job.id(), id -> new AtomicInteger()).incrementAndGet();
            return job.id().hashCode() % 2 == 0 ? Future.succeededFuture() : after(1);
        });
        List<Push> jobs = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            jobs.add(new Push(topic, i, PushOptions.in(Duration.ofMillis(i % 1_000))));
        }
        List<Pushed> pushed = await(client.pushAll(jobs));
        assertEquals(5_000, pushed.stream().filter(Pushed::isStored).count());
        await("all", () -> handling.counts().acked() == 5_000);
        assertEquals(5_000, times.size());
        assertTrue(times.values().stream().allMatch(count -> count.get() == 1));
        assertEquals(0, count("reserved") + count("ready") + count("delayed"));
    }

    @Test
    void goes_on_after_the_server_was_restarted() {
        DelayqClient client = client();
        Set<String> ids = ConcurrentHashMap.newKeySet();
        Handling handling = client.handle(topic, DEFAULTS, job -> {
            ids.add(job.id());
            return Future.succeededFuture();
        });
        await(client.push(topic, 1));
        await("first", () -> ids.size() == 1);
        restart();
        await(client.push(topic, 2));
        await("second", () -> ids.size() == 2 && handling.counts().acked() == 2);
        assertEquals(2, handling.counts().connections());
    }

    @Test
    void waits_for_a_server_that_is_not_there_yet() {
        int port = server.port();
        server.close();
        DelayqClient client = client(port);
        Handling handling = client.handle(topic, DEFAULTS, job -> Future.succeededFuture());
        server = TestServer.start(settings -> settings.withPort(port));
        await(handling.ready());
        assertEquals(1, handling.counts().connections());
    }

    @Test
    void finishes_what_it_has_when_the_server_drains() {
        DelayqClient client = client();
        Promise<Void> work = Promise.promise();
        Handling handling = client.handle(topic, DEFAULTS, job -> {
            seen.add(job);
            return work.future();
        });
        await(client.push(topic, 1));
        await("running", () -> seen.size() == 1);
        CompletableFuture<Void> restarted = CompletableFuture.runAsync(this::restart);
        await(after(500));
        assertFalse(restarted.isDone(), "the server waits for what is unsettled");
        work.complete();
        TestServer.await(restarted);
        await("back", () -> handling.counts().connections() == 2);
        assertEquals(new Handling.Counts(1, 0, 0, 2, 0), handling.counts());
        assertEquals(0, count("reserved") + count("ready") + count("delayed"));
    }

    @Test
    void a_job_whose_connection_broke_runs_again_and_counts_once() {
        try (FaultProxy proxy = new FaultProxy(server.port(), 1)) {
            DelayqClient client = client(URI.create(proxy.url()).getPort());
            Promise<Void> first = Promise.promise();
            Handling handling = client.handle(topic, DEFAULTS, job -> {
                seen.add(job);
                return job.attempt() == 1 ? first.future() : Future.succeededFuture();
            });
            await(client.push(topic, 1));
            await("running", () -> seen.size() == 1);
            proxy.cut();
            await("again", () -> handling.counts().acked() == 1);
            assertFalse(seen.get(0).isHeld());
            first.complete();
            await("too late", () -> handling.counts().stale() == 1);
            assertEquals(List.of(1, 2), seen.stream().map(Job::attempt).toList());
            await(handling.close());
        }
    }

    @Test
    void closing_waits_for_running_jobs_and_settles_them() {
        DelayqClient client = client();
        Promise<Void> work = Promise.promise();
        Handling handling = client.handle(topic, DEFAULTS, job -> {
            seen.add(job);
            return work.future();
        });
        await(client.push(topic, 1));
        await("running", () -> seen.size() == 1);
        Future<Void> closed = handling.close();
        await("unsubscribed", () -> count("subscribers") == 0);
        await(client.push(topic, 2));
        assertFalse(closed.isComplete());
        work.complete();
        await(closed);
        assertEquals(1, handling.counts().acked());
        assertEquals(1, seen.size());
        assertEquals(1, count("ready"));
        assertEquals(0, count("reserved"));
    }

    @Test
    void closing_does_not_wait_longer_than_it_was_told() {
        DelayqClient client = client();
        Handling handling = client.handle(topic, new HandlerOptions().closeTimeout(Duration.ofMillis(200)), job -> {
            seen.add(job);
            return Promise.promise().future();
        });
        await(client.push(topic, 1));
        await("running", () -> seen.size() == 1);
        await(handling.close());
        await("given back", () -> count("ready") == 1);
    }

    @Test
    void two_handlers_of_one_topic_share_its_jobs() {
        DelayqClient client = client();
        Handling one = client.handle(topic, new HandlerOptions().concurrency(5), job -> after(5));
        Handling two = client.handle(topic, new HandlerOptions().concurrency(5), job -> after(5));
        await(Future.all(one.ready(), two.ready()));
        List<Push> jobs = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            jobs.add(new Push(topic, i));
        }
        await(client.pushAll(jobs));
        await("all", () -> one.counts().acked() + two.counts().acked() == 200);
        assertTrue(one.counts().acked() > 20 && two.counts().acked() > 20);
    }

    @Test
    void handlers_run_on_the_clients_context() {
        Context context = vertx.getOrCreateContext();
        CompletableFuture<DelayqClient> made = new CompletableFuture<>();
        context.runOnContext(v -> made.complete(client()));
        DelayqClient client = TestServer.await(made);
        CompletableFuture<Context> where = new CompletableFuture<>();
        client.handle(topic, DEFAULTS, job -> {
            where.complete(Vertx.currentContext());
            return Future.succeededFuture();
        });
        await(client.push(topic, 1));
        assertSame(context, TestServer.await(where));
    }

    @Test
    void a_server_that_refuses_ends_the_handling() {
        try (TestServer guarded = TestServer.start(settings -> withToken(settings))) {
            DelayqClient stranger = client(options(guarded.port()).token("wrong"));
            Handling handling = stranger.handle(topic, DEFAULTS, job -> Future.succeededFuture());
            assertEquals(
                    401,
                    assertInstanceOf(DelayqException.class, failure(handling.ready()))
                            .status());
            await(handling.close());
            DelayqClient pusher = client(options(guarded.port()).token("secret"));
            assertTrue(await(pusher.push(topic, 1)).isStored());
            Handling forbidden = pusher.handle(topic, DEFAULTS, job -> Future.succeededFuture());
            assertEquals(
                    403,
                    assertInstanceOf(DelayqException.class, failure(forbidden.ready()))
                            .status());
            await(forbidden.close());
        }
    }

    private static Settings withToken(Settings settings) {
        // of the word secret
        String hash = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
        return new Settings(
                settings.http(),
                settings.dataDir(),
                settings.redis(),
                settings.namespace(),
                settings.buckets(),
                settings.instances(),
                List.of(new Settings.Token("pusher", hash, List.of("push"), List.of("*"))),
                settings.insecure());
    }
}
