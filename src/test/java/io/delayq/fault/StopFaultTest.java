package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.SideBySide;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.LeftBehind;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server is asked to stop: what it says, what it leaves, and when. */
@Tag("fault")
class StopFaultTest {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    @TempDir
    Path dir;

    @Test
    @SideBySide
    void sigterm_under_load_answers_what_is_under_way_and_leaves_nothing_and_a_hangup_before_changes_nothing()
            throws Exception {
        check(dir, server -> {
            server.hangUp();
            TestRedis.await("the hangup noticed", () -> server.log().contains("SIGHUP"));
            assertServes(server);
            server.terminate();
        });
    }

    @Test
    @SideBySide
    void sigint_to_the_whole_group_under_load_answers_what_is_under_way_and_leaves_nothing() throws Exception {
        check(dir, ChildServer::interruptGroup);
    }

    /** Stops a server under load and looks at every answer, and at what a server started again knows. */
    static void check(Path dir, Consumer<ChildServer> stop) throws Exception {
        Path data = dir.resolve("data");
        Load load;
        try (ChildServer server = ChildServer.start(data)) {
            load = new Load(server);
            load.begin();
            List<CompletableFuture<Reply>> polls = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                polls.add(server.sendAsync("POST", "/v1/topics/none/reserve", "{\"wait\":\"30s\"}"));
            }
            TestRedis.await("load", () -> load.accepted.size() > 300 && load.handed.size() > 100);
            long began = System.nanoTime();
            stop.accept(server);
            assertEquals(0, server.exitCode(STOP_LIMIT), server.log());
            long took = (System.nanoTime() - began) / 1_000_000;
            load.end();
            for (CompletableFuture<Reply> poll : polls) {
                Reply reply = poll.get(1, TimeUnit.SECONDS);
                assertEquals("200 {\"jobs\":[]}", reply.status() + " " + reply.text());
            }
            assertEquals(List.of(), LeftBehind.redisOf(data), "Redis left behind");
            assertFalse(server.log().contains("ERROR") || server.log().contains("not closed"), server.log());
            System.out.printf(
                    "stop: %d ms, %d pushed, %d handed over, %d refused as shutting down, %d cut, %d refused%n",
                    took,
                    load.accepted.size(),
                    load.handed.size(),
                    load.shutting.size(),
                    load.cut.size(),
                    load.refused.get());
        }
        try (ChildServer server = ChildServer.start(data)) {
            load.checkAfterwards(server);
        }
    }

    /** Pushers and pollers, each request of whom has an outcome. */
    private static final class Load {
        private final ChildServer server;
        private final Set<String> accepted = ConcurrentHashMap.newKeySet();
        private final Set<String> shutting = ConcurrentHashMap.newKeySet();
        private final Set<String> cut = ConcurrentHashMap.newKeySet();
        private final Set<String> handed = ConcurrentHashMap.newKeySet();
        private final AtomicInteger refused = new AtomicInteger();
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicInteger pollsCut = new AtomicInteger();
        private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
        private final List<Thread> threads = new ArrayList<>();

        Load(ChildServer server) {
            this.server = server;
        }

        void begin() {
            for (int i = 0; i < 4; i++) {
                threads.add(new Thread(this::push, "pusher-" + i));
                threads.add(new Thread(this::poll, "poller-" + i));
            }
            threads.forEach(Thread::start);
        }

        void end() throws InterruptedException {
            for (Thread thread : threads) {
                thread.join(5_000);
                assertFalse(thread.isAlive(), thread.getName() + " has no answer");
            }
            assertEquals(List.of(), List.copyOf(wrong));
        }

        private void push() {
            while (true) {
                String id = "s" + next.getAndIncrement();
                try {
                    Reply reply = server.push("stop", "{\"id\":\"" + id + "\"}");
                    if (reply.status() == 201) {
                        accepted.add(id);
                    } else if (isShuttingDown(reply)) {
                        shutting.add(id);
                    } else {
                        wrong.add("push of " + id + ": " + reply.text());
                    }
                } catch (ConnectException e) {
                    refused.incrementAndGet();
                    return;
                } catch (IOException e) {
                    cut.add(id);
                }
            }
        }

        private void poll() {
            while (true) {
                try {
                    Reply reply = server.reserve("stop", 3, "5s");
                    if (reply.status() == 200) {
                        for (int i = 0; i < reply.jobs().size(); i++) {
                            handed.add(reply.job(i).getString("id"));
                        }
                    } else if (!isShuttingDown(reply)) {
                        wrong.add("reserve: " + reply.text());
                    }
                } catch (ConnectException e) {
                    return;
                } catch (IOException e) {
                    pollsCut.incrementAndGet();
                }
            }
        }

        private static boolean isShuttingDown(Reply reply) {
            return reply.status() == 503 && reply.type().equals("/problems/shutting-down");
        }

        /**
         * A push that had no whole answer, or a refusal, was not begun: a connection that was idle when the door closed.
         * What was pushed and reached no consumer is there, and was never tried.
         */
        void checkAfterwards(ChildServer again) throws IOException {
            for (Set<String> none : List.of(shutting, cut)) {
                for (String id : none) {
                    assertEquals(
                            404,
                            again.send("GET", "/v1/topics/stop/jobs/" + id, null)
                                    .status(),
                            id + " was stored without a word");
                }
            }
            Set<String> missing = ConcurrentHashMap.newKeySet();
            missing.addAll(accepted);
            missing.removeAll(handed);
            List<String> tried = new ArrayList<>();
            for (Reply reply = again.reserve("stop", 500, "1s");
                    !reply.jobs().isEmpty();
                    reply = again.reserve("stop", 500, "500ms")) {
                for (int i = 0; i < reply.jobs().size(); i++) {
                    JsonObject job = reply.job(i);
                    missing.remove(job.getString("id"));
                    if (job.getInteger("attempt") != 1) {
                        tried.add(job.getString("id"));
                    }
                }
            }
            assertEquals(Set.of(), missing, "pushed, reached nobody, and not there");
            assertEquals(List.of(), tried, "released with the attempt counted");
        }
    }

    private static void assertServes(ChildServer server) {
        try {
            assertEquals(201, server.push("alive", "{}").status());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @SideBySide
    void a_long_poll_whose_body_arrives_after_the_stop_began_is_answered_at_once() throws Exception {
        try (ChildServer server = ChildServer.start(dir.resolve("data"));
                Socket socket = new Socket("127.0.0.1", server.port())) {
            socket.setSoTimeout(5_000);
            String body = "{\"wait\":\"30s\"}";
            socket.getOutputStream()
                    .write(("POST /v1/topics/t/reserve HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                                    + "Content-Length: " + body.length() + "\r\n\r\n{")
                            .getBytes(StandardCharsets.US_ASCII));
            assertServes(server);
            server.terminate();
            TestRedis.await("the stop begun", () -> isRefusing(server));
            socket.getOutputStream().write(body.substring(1).getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(answer.startsWith("HTTP/1.1 200") && answer.endsWith("{\"jobs\":[]}"), answer);
            assertEquals(0, server.exitCode(STOP_LIMIT), server.log());
        }
    }

    private static boolean isRefusing(ChildServer server) {
        try {
            return server.send("GET", "/v1/topics/t", null).status() == 503;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    @Tag("storm")
    void a_stop_while_redis_is_frozen_ends_in_time_and_takes_redis_along() throws Exception {
        Path data = dir.resolve("data");
        try (ChildServer server = ChildServer.start(data)) {
            CompletableFuture<Reply> poll = server.sendAsync("POST", "/v1/topics/t/reserve", "{\"wait\":\"30s\"}");
            assertServes(server);
            ChildServer.signal("-STOP", server.redisPid());
            CompletableFuture<Reply> push = server.sendAsync("POST", "/v1/topics/t/jobs", "{}");
            server.terminate();
            long began = System.nanoTime();
            assertEquals(0, server.exitCode(STOP_LIMIT), server.log());
            System.out.println("stop with Redis frozen: " + (System.nanoTime() - began) / 1_000_000 + " ms");
            assertTrue(
                    poll.get(1, TimeUnit.SECONDS).status() == 200 || poll.get().status() == 503);
            // refused if the stop was there first
            push.handle((reply, error) -> {
                        assertTrue(
                                error == null ? reply.status() == 503 : error.getCause() instanceof IOException,
                                reply == null ? String.valueOf(error) : reply.text());
                        return null;
                    })
                    .get(1, TimeUnit.SECONDS);
            assertEquals(List.of(), LeftBehind.redisOf(data), server.log());
        }
    }

    @Test
    @SideBySide
    void a_stop_in_the_middle_of_the_start_leaves_nothing() throws Exception {
        Path data = dir.resolve("data");
        try (ChildServer server = ChildServer.launch(data)) {
            TestRedis.await("Redis launched", () -> Files.exists(data.resolve("redis/redis.pid")));
            server.terminate();
            assertEquals(0, server.exitCode(STOP_LIMIT), server.log());
            assertEquals(List.of(), LeftBehind.redisOf(data), "Redis left behind: " + server.log());
            assertNoNoise(server.log());
        }
    }

    /** As at a terminal, where somebody changes their mind at any moment of the start. */
    @Test
    @SideBySide
    void ctrl_c_at_any_moment_of_the_start_makes_no_noise() throws Exception {
        Path data = dir.resolve("data");
        for (int millis : List.of(0, 40, 150)) {
            try (ChildServer server = ChildServer.launch(data)) {
                TestRedis.await("Redis up", () -> server.log().contains("embedded redis up"));
                TimeUnit.MILLISECONDS.sleep(millis);
                server.interruptGroup();
                assertEquals(0, server.exitCode(STOP_LIMIT), server.log());
                if (!server.log().contains("listening on")) {
                    assertNoNoise(server.log());
                }
                assertEquals(List.of(), LeftBehind.redisOf(data), "Redis left behind: " + server.log());
            }
        }
    }

    private static void assertNoNoise(String log) {
        for (String noise : List.of("WARN", "ERROR", "Main stopping", "Main stopped", "\tat ")) {
            assertFalse(log.contains(noise), noise + " is in: " + log);
        }
    }

    @Test
    @SideBySide
    void a_second_server_on_the_same_data_says_who_has_them_and_leaves_the_first_alone() throws Exception {
        Path data = dir.resolve("data");
        try (ChildServer first = ChildServer.start(data)) {
            ChildServer second = ChildServer.launch(data);
            assertEquals(1, second.exitCode(STOP_LIMIT), second.log());
            assertTrue(
                    second.log().contains("is in use by another server (process " + first.pid() + ")"), second.log());
            assertFalse(second.log().contains("\tat "), second.log());
            assertServes(first);
        }
    }

    @Test
    @SideBySide
    void sigint_stops_and_then_another_number_of_buckets_than_that_of_the_data_is_refused_with_both() throws Exception {
        Path data = dir.resolve("data");
        try (ChildServer server = ChildServer.start(data, "--buckets=3")) {
            server.interrupt();
            assertEquals(0, server.exitCode(STOP_LIMIT));
            assertEquals(List.of(), LeftBehind.redisOf(data), "Redis left behind");
        }
        try (ChildServer server = ChildServer.launch(data, "--buckets=5")) {
            assertEquals(1, server.exitCode(STOP_LIMIT), server.log());
            assertTrue(server.log().contains("buckets is 5, but the data in Redis have 3"), server.log());
            assertNoNoise(server.log());
            assertEquals(List.of(), LeftBehind.redisOf(data), "Redis left behind");
        }
    }
}
