package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayq.config.Settings.Durability;
import io.delayq.path.TestServer;
import io.delayq.redis.SentinelFarm;
import io.delayq.redis.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The master that the sentinels name lets nobody in. Counts the open files of this process: nothing runs beside it. */
@Tag("fault")
class SentinelPasswordFaultTest {
    @Test
    void a_wrong_password_costs_no_sockets_and_is_tried_again() throws Exception {
        refusedFor(Duration.ofSeconds(3));
    }

    @Test
    @Tag("storm")
    void a_wrong_password_for_a_minute_costs_no_sockets() throws Exception {
        refusedFor(Duration.ofSeconds(60));
    }

    private static void refusedFor(Duration time) throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")));
        try (SentinelFarm farm = new SentinelFarm(SentinelFarm.master(), 1, 0);
                TestServer server = SentinelFaultTest.start(farm, Durability.replicas(1))) {
            server.push("t", "{}");
            long before = openFiles();
            String all = clients(farm.master);
            long ours = all.lines()
                    .filter(line -> line.contains(" user=" + SentinelFarm.USER + " "))
                    .count();
            assertTrue(ours > 4, all);
            SentinelFarm.allow(farm.master, "another");
            farm.master.command("CLIENT", "KILL", "USER", SentinelFarm.USER);
            long until = System.nanoTime() + time.toNanos();
            AtomicLong most = new AtomicLong();
            TestRedis.await("the watch over", time.plusSeconds(5), () -> {
                most.accumulateAndGet(openFiles(), Math::max);
                return System.nanoTime() > until;
            });
            System.out.println("wrong password for " + time.toSeconds() + " s: " + before + " open files, at most "
                    + most + ", " + openFiles() + " at the end");
            // open files come and go for many reasons; Redis sees what was refused and left open
            long others = all.lines().count() - ours;
            TestRedis.await(
                    "refused connections closed",
                    () -> clients(farm.master).lines().count() <= others + ours / 2);
            assertTrue(most.get() <= before + 10, before + " open files became " + most);
            assertTrue(openFiles() <= before, "more open files without connections than with them");
            SentinelFarm.allow(farm.master, SentinelFarm.PASSWORD);
            TestRedis.await(
                    "let in again",
                    Duration.ofSeconds(8),
                    () -> server.post("/v1/topics/t/jobs", "{}").status() == 201);
        }
    }

    private static String clients(TestRedis redis) {
        return redis.command("CLIENT", "LIST").toString();
    }

    private static long openFiles() {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
