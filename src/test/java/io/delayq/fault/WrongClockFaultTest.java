package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayq.SideBySide;
import io.delayq.fault.RecordingClients.Load;
import io.delayq.fault.RecordingClients.Target;
import io.delayq.redis.TestRedis;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server process whose clock is wrong, or whose password is. */
@Tag("fault")
class WrongClockFaultTest {
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
            assertTrue(ChildFaultTest.isTaken(server));
            long before = server.openFiles();
            long ours = connections();
            assertTrue(ours > 4, ours + " connections");
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
            // a refused connection that is left open takes the place of one that was closed: Redis sees it
            TestRedis.await("refused connections closed", Duration.ofSeconds(10), () -> connections() <= ours / 2);
            assertTrue(server.openFiles() <= before, "more open files without connections than with them");
            redis.command("ACL", "SETUSER", "app", "resetpass", ">right");
            TestRedis.await("let in again", () -> ChildFaultTest.isTaken(server));
        }
    }

    /** As Redis has them, without that of the test. */
    private long connections() {
        return redis.command("CLIENT", "LIST").toString().lines().count() - 1;
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
                // else the archive's jars would seem to be others
                "NO_FAKE_STAT",
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
            Load load = new Load(200, 10, 1_000, 1_000, 25);
            Target one = new Target("right", right.port());
            Target other = new Target("wrong", wrong.port());
            try (RecordingClients clients = new RecordingClients(load, List.of(() -> one, () -> other)).begin()) {
                clients.history.fault("300 s ahead", "wrong clock");
                TestRedis.await("jobs", () -> clients.accepted() >= 400);
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
