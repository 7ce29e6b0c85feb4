package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayq.Alone;
import io.delayq.SideBySide;
import io.delayq.fault.RecordingClients.Load;
import io.delayq.fault.RecordingClients.Target;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.TestRedis;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server process needs while Redis is frozen or lets nobody in, and whose clock counts. */
@Tag("fault")
class ChildFaultTest {
    private static final int AT_ONCE = 100;
    private static final String BODY = "x".repeat(10_000);
    private static final long MOST_GROWTH = 20_000_000;
    private static final int MOST_FILES = 10;
    private static final int APART_SECONDS = 300;

    @TempDir
    Path dir;

    private final TestRedis redis = TestRedis.start(TestRedis.Options.standalone());

    @AfterEach
    void close() {
        redis.close();
    }

    @Test
    @Alone
    void redis_frozen_for_2_s() throws Exception {
        frozen(2);
    }

    @Test
    @Tag("storm")
    void redis_frozen_for_10_s() throws Exception {
        frozen(10);
    }

    private void frozen(int seconds) throws Exception {
        try (ChildServer server = ChildServer.start(dir.resolve("data"), "--redis.url=" + redis.url())) {
            Pushes pushes = new Pushes(server);
            pushes.during(Duration.ofSeconds(1));
            assertEquals(0, pushes.refused.get(), "refused before anything happened");
            long before = server.heapBytes();
            redis.freeze();
            pushes.frozen = true;
            Thread pushing = new Thread(() -> pushes.during(Duration.ofSeconds(seconds)), "pushes");
            pushing.start();
            TestRedis.await("some refused", () -> pushes.refused.get() > AT_ONCE || !pushes.wrong.isEmpty());
            long grown = server.heapBytes() - before;
            pushing.join();
            redis.thaw();
            long thawed = System.nanoTime();
            TestRedis.await("a push taken", () -> isTaken(server));
            long first = (System.nanoTime() - thawed) / 1_000_000;
            System.out.printf(
                    "Redis frozen for %d s: %d pushes answered 503, the last after %d ms; heap grew by %.1f MB; first"
                            + " push taken %d ms after the thaw%n",
                    seconds, pushes.refused.get(), pushes.slowest.get(), grown / 1e6, first);
            assertEquals(List.of(), List.copyOf(pushes.wrong));
            assertTrue(pushes.refused.get() >= AT_ONCE, "only " + pushes.refused + " refused");
            assertTrue(pushes.slowest.get() <= 2_000, pushes.slowest + " ms");
            assertTrue(grown <= MOST_GROWTH, grown + " bytes");
            assertTrue(first <= 1_000, first + " ms");
        }
    }

    private static boolean isTaken(ChildServer server) {
        try {
            return server.push("t", "{\"delay\":\"1h\"}").status() == 201;
        } catch (IOException e) {
            return false;
        }
    }

    /** So many pushes at once, for a time. */
    private static final class Pushes {
        final AtomicInteger refused = new AtomicInteger();
        final AtomicLong slowest = new AtomicLong();
        final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
        volatile boolean frozen;
        private final ChildServer server;

        Pushes(ChildServer server) {
            this.server = server;
        }

        void during(Duration time) {
            Semaphore free = new Semaphore(AT_ONCE);
            long end = System.nanoTime() + time.toNanos();
            while (System.nanoTime() < end) {
                free.acquireUninterruptibly();
                long sent = System.nanoTime();
                server.sendAsync("POST", "/v1/topics/t/jobs", "{\"delay\":\"1h\",\"body\":\"" + BODY + "\"}")
                        .whenComplete((reply, error) -> {
                            free.release();
                            answered(reply, error, (System.nanoTime() - sent) / 1_000_000);
                        });
            }
            free.acquireUninterruptibly(AT_ONCE);
        }

        private void answered(Reply reply, Throwable error, long millis) {
            if (error != null || reply.status() != (frozen ? 503 : 201)) {
                wrong.add(error == null ? reply.text() : error.toString());
            } else if (frozen) {
                refused.incrementAndGet();
                slowest.accumulateAndGet(millis, Math::max);
            }
        }
    }

    @Test
    @SideBySide
    void a_wrong_password_for_3_s_leaks_no_files() throws Exception {
        refused(3);
    }

    @Test
    @Tag("storm")
    void a_wrong_password_for_a_minute_leaks_no_files() throws Exception {
        refused(60);
    }

    private void refused(int seconds) throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "no /proc to count open files in");
        redis.command("ACL", "SETUSER", "app", "on", ">right", "~*", "&*", "+@all");
        String url = "--redis.url=redis://app:right@127.0.0.1:" + redis.port();
        try (ChildServer server = ChildServer.start(dir.resolve("data"), url)) {
            assertTrue(isTaken(server));
            long before = server.openFiles();
            redis.command("ACL", "SETUSER", "app", "resetpass", ">wrong");
            redis.command("CLIENT", "KILL", "USER", "app");
            long most = 0;
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            while (System.nanoTime() < end) {
                assertEquals(503, server.push("t", "{}").status());
                most = Math.max(most, server.openFiles());
            }
            System.out.println("wrong password for " + seconds + " s: " + before + " open files became " + most);
            assertTrue(most <= before + MOST_FILES, before + " open files became " + most);
            redis.command("ACL", "SETUSER", "app", "resetpass", ">right");
            TestRedis.await("let in again", () -> isTaken(server));
        }
    }

    @Test
    @SideBySide
    void clocks_of_two_servers_300_s_apart_deliver_nothing_early() throws Exception {
        Path library = fakeTime();
        assumeTrue(library != null, "no libfaketime here (Debian: faketime; or DELAYQ_FAKETIME names the library)");
        Map<String, String> ahead = Map.of(
                "LD_PRELOAD",
                library.toString(),
                "FAKETIME",
                "+" + APART_SECONDS + "s",
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1",
                "DONT_FAKE_MONOTONIC",
                "1",
                // else Java's waits last longer
                "FAKETIME_FORCE_MONOTONIC_FIX",
                "0");
        String url = "--redis.url=" + redis.url();
        try (ChildServer right = ChildServer.launch(dir.resolve("right"), url);
                ChildServer wrong = ChildServer.launchIn(ahead, dir.resolve("wrong"), url)) {
            right.listening();
            wrong.listening();
            long apart = Duration.between(right.clock(), wrong.clock()).toSeconds();
            assertTrue(Math.abs(apart - APART_SECONDS) < 60, "the clocks are " + apart + " s apart");
            long at = System.currentTimeMillis() + 1_000;
            assertEquals(
                    at,
                    wrong.push("exact", "{\"id\":\"1\",\"at\":" + at + "}")
                            .json()
                            .getLong("due"));
            Load load = new Load(400, 10, 1_000, 1_000, 50);
            Target one = new Target("right", right.port());
            Target other = new Target("wrong", wrong.port());
            try (RecordingClients clients = new RecordingClients(load, List.of(() -> one, () -> other)).begin()) {
                clients.history.fault("300 s ahead", "wrong clock");
                TestRedis.await("jobs", () -> clients.accepted() >= 800);
                assertEquals("1", right.reserve("exact", 1, "5s").job(0).getString("id"));
                assertTrue(System.currentTimeMillis() >= at, "early");
                assertEquals(
                        204,
                        right.send("DELETE", "/v1/topics/exact/jobs/1", null).status());
                clients.drain(Duration.ofSeconds(15));
                Verdict verdict = clients.verdict("clocks-apart", redis, "dq", 4);
                verdict.assertKept();
                assertTrue(verdict.redeliveryMillis <= 1_000, verdict.line());
            }
        }
    }

    /** The library for programs with threads; null: it is not here. */
    private static Path fakeTime() throws IOException {
        String named = System.getenv("DELAYQ_FAKETIME");
        if (named != null) {
            return Path.of(named);
        }
        Path root = Path.of("/usr/lib");
        if (Files.isDirectory(root)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(root, "*-linux-gnu*")) {
                for (Path one : all) {
                    Path library = one.resolve("faketime/libfaketimeMT.so.1");
                    if (Files.exists(library)) {
                        return library;
                    }
                }
            }
        }
        return null;
    }
}
