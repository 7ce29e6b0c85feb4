package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayq.SideBySide;
import io.delayq.config.Settings;
import io.delayq.config.Settings.Durability;
import io.delayq.path.TestServer;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.SentinelFarm;
import io.delayq.redis.TestRedis;
import io.delayq.redis.TestSentinel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The master dies, and sentinels make a replica the next one. */
@Tag("fault")
class SentinelFaultTest {
    private static final long ANSWER_MILLIS = 2_000;

    static TestServer start(SentinelFarm farm, Durability durability) {
        return TestServer.start(
                settings -> settings.withRedis(farm.settings(settings.redis()).withDurability(durability)));
    }

    @Test
    @SideBySide
    void a_failover_to_a_replica_that_was_stalled_loses_nothing_that_was_answered() throws Exception {
        failOverToStalledReplica(Durability.replicas(1));
    }

    @Test
    @Tag("storm")
    void five_failovers_to_a_replica_that_was_stalled_lose_nothing_that_was_answered() throws Exception {
        for (int i = 0; i < 5; i++) {
            failOverToStalledReplica(Durability.replicas(1));
        }
    }

    private static void failOverToStalledReplica(Durability durability) throws Exception {
        TestRedis master = SentinelFarm.master();
        try (FaultProxy between = new FaultProxy(master.port(), 7);
                SentinelFarm farm =
                        new SentinelFarm(master, 1, URI.create(between.url()).getPort());
                TestServer server = start(farm, durability)) {
            TestRedis replica = farm.replicas.get(0);
            Pushers pushers = new Pushers(server);
            try (pushers) {
                TestRedis.await("some jobs taken", () -> pushers.accepted.size() >= 300);
                between.blackhole(true);
                pushers.notReplicated.clear();
                pushers.timed = true;
                int sound = pushers.accepted.size();
                TestRedis.await(
                        "jobs at stake",
                        () -> pushers.notReplicated.size() >= Pushers.COUNT / 2
                                || pushers.accepted.size() > sound + 300
                                || pushers.isBroken());
                assertFalse(pushers.isBroken());
                master.command("SET", "probe", "1");
                assertEquals(0L, master.command("WAIT", "1", "10"), "the replica is not behind");
                master.kill();
                TestRedis.await("another master", () -> SentinelFarm.isMaster(replica));
                master.restart();
                master.command("REPLICAOF", "127.0.0.1", Integer.toString(replica.port()));
                int before = pushers.accepted.size();
                TestRedis.await("jobs taken again", () -> pushers.accepted.size() >= before + 300);
            }
            Set<String> lost = new HashSet<>();
            for (String id : pushers.accepted) {
                // those connections that only read may still be on their way to the new master
                AtomicInteger status = new AtomicInteger();
                TestRedis.await("an answer", () -> {
                    status.set(server.get("/v1/topics/t/jobs/" + id).status());
                    return status.get() != 503;
                });
                if (status.get() != 200) {
                    lost.add(id + ": " + status);
                }
            }
            System.out.printf(
                    "failover to a stalled replica, durability %s: %d accepted, %d not replicated at first, %d lost;"
                            + " the last answer after %d ms%n",
                    durability,
                    pushers.accepted.size(),
                    pushers.notReplicated.size(),
                    lost.size(),
                    pushers.slowest.get());
            assertEquals(Set.of(), lost);
            assertTrue(pushers.slowest.get() <= ANSWER_MILLIS, pushers.slowest + " ms");
        }
    }

    /** Push one job after the other, each again until it is there. */
    private static final class Pushers implements AutoCloseable {
        static final int COUNT = 20;

        final Set<String> accepted = ConcurrentHashMap.newKeySet();
        final Set<String> notReplicated = ConcurrentHashMap.newKeySet();
        final AtomicLong slowest = new AtomicLong();
        private final AtomicInteger next = new AtomicInteger();
        private final List<CompletableFuture<Void>> threads = new ArrayList<>();
        /** Not the first ones, in which a Java that has just begun is slow. */
        volatile boolean timed;

        private volatile boolean over;

        Pushers(TestServer server) {
            for (int i = 0; i < COUNT; i++) {
                threads.add(CompletableFuture.runAsync(() -> push(server), task -> new Thread(task).start()));
            }
        }

        private void push(TestServer server) {
            while (!over) {
                String id = "j" + next.incrementAndGet();
                boolean there = false;
                while (!there && !over) {
                    long began = System.nanoTime();
                    boolean isTimed = timed;
                    Reply reply = server.post("/v1/topics/t/jobs", "{\"id\":\"" + id + "\",\"delay\":\"1h\"}");
                    long millis = millisSince(began);
                    slowest.accumulateAndGet(isTimed ? millis : 0, Math::max);
                    there = reply.status() == 201 || reply.status() == 409;
                    if (there) {
                        accepted.add(id);
                    } else {
                        assertEquals(503, reply.status(), reply.text());
                        if (reply.type().equals("/problems/not-replicated")) {
                            notReplicated.add(id);
                        }
                    }
                }
            }
        }

        boolean isBroken() {
            return threads.stream().anyMatch(CompletableFuture::isCompletedExceptionally);
        }

        @Override
        public void close() {
            over = true;
            threads.forEach(TestServer::await);
        }
    }

    @ParameterizedTest
    @SideBySide
    @ValueSource(booleans = {false, true})
    void pushes_are_taken_within_a_second_of_the_new_master(boolean sentinelDiesFirst) {
        try (SentinelFarm farm = new SentinelFarm(SentinelFarm.master(), 2, 0);
                TestServer server = start(farm, Durability.EVERYSEC);
                LogLines lines = new LogLines("io.delayq.redis.HeldConnection")) {
            server.push("t", "{\"id\":\"before\"}");
            List<TestSentinel> alive = new ArrayList<>(farm.sentinels);
            if (sentinelDiesFirst) {
                alive.remove(0).kill();
            }
            farm.master.kill();
            AtomicLong role = new AtomicLong();
            AtomicLong named = new AtomicLong();
            AtomicLong taken = new AtomicLong();
            List<CompletableFuture<Reply>> pushes = new ArrayList<>();
            TestRedis.await("a push taken after the failover", () -> {
                seen(role, farm.replicas.stream().anyMatch(SentinelFarm::isMaster));
                seen(named, alive.stream().anyMatch(one -> one.masterPort() != farm.master.port()));
                pushes.add(server.sendAsync("POST", "/v1/topics/t/jobs", "{}"));
                pushes.get(pushes.size() - 1).thenAccept(reply -> seen(taken, reply.status() == 201));
                return taken.get() > 0 && named.get() > 0;
            });
            pushes.forEach(TestServer::await);
            System.out.printf(
                    "failover%s: taken %d ms after a sentinel named the new master, %d ms after that said it was one%n",
                    sentinelDiesFirst ? " after the death of a sentinel" : "",
                    (taken.get() - named.get()) / 1_000_000,
                    (taken.get() - role.get()) / 1_000_000);
            assertTrue((taken.get() - named.get()) / 1_000_000 <= 1_000, "too late");
            String sentinel = ":" + farm.sentinels.get(0).port();
            TestRedis.await("all connections up", () -> said(lines, "redis up", sentinel) >= 6);
            String old = ":" + farm.master.port() + " to=";
            assertEquals(
                    1,
                    said(lines, "redis failover", old, "clockAheadMillis="),
                    lines.all().toString());
        }
    }

    /** How often the log of this test's server said so. */
    private static long said(LogLines lines, String begin, String... parts) {
        return lines.all().stream()
                .filter(line -> line.startsWith(begin) && Stream.of(parts).allMatch(line::contains))
                .count();
    }

    private static void seen(AtomicLong at, boolean happened) {
        if (happened) {
            at.compareAndSet(0, System.nanoTime());
        }
    }

    @Test
    @SideBySide
    void where_every_node_is_named_a_demoted_master_is_left_for_the_new_one_by_all_connections() {
        try (TestRedis first = SentinelFarm.master();
                TestRedis second = SentinelFarm.replica(first.port())) {
            SentinelFarm.awaitLinked(second);
            try (TestServer server = TestServer.start(settings -> settings.withRedis(settings.redis()
                    .withUrl(second.url() + "," + first.url())
                    .withTopology(new Settings.Topology(Settings.Mode.REPLICATION, "mymaster", null))))) {
                server.push("t", "{\"id\":\"before\"}");
                // WAIT is about what its own connection has written
                first.command("SET", "probe", "1");
                TestRedis.await(
                        "replicated", () -> first.command("WAIT", "1", "100").equals(1L));
                long began = System.nanoTime();
                second.command("REPLICAOF", "NO", "ONE");
                first.command("REPLICAOF", "127.0.0.1", Integer.toString(second.port()));
                TestRedis.await(
                        "a push taken",
                        Duration.ofSeconds(3),
                        () -> server.post("/v1/topics/t/jobs", "{}").status() == 201);
                System.out.println("demoted master: taken again after " + millisSince(began) + " ms");
                assertTrue(millisSince(began) <= 1_000, millisSince(began) + " ms");
                // a bucket whose connection is not back yet is not waited for
                TestRedis.await(
                        "the job of before",
                        () -> server.reserve("t", 100, "1s").text().contains("\"before\""));
                TestRedis.await(
                        "nobody at the old master",
                        () -> first.command("CLIENT", "LIST", "TYPE", "normal")
                                        .toString()
                                        .lines()
                                        .count()
                                == 1);
            }
        }
    }

    @Test
    @SideBySide
    void a_master_with_another_password_is_tried_again_and_costs_no_connections() {
        withPasswordChanged(() -> {});
    }

    /** Counts the open files of this process: nothing runs beside it. */
    @Test
    @Tag("storm")
    void a_wrong_password_for_a_minute_costs_no_sockets() {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")));
        AtomicLong before = new AtomicLong();
        AtomicLong most = new AtomicLong();
        withPasswordChanged(() -> {
            before.set(openFiles());
            long until = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            TestRedis.await("the watch over", Duration.ofSeconds(65), () -> {
                most.accumulateAndGet(openFiles(), Math::max);
                return System.nanoTime() > until;
            });
        });
        System.out.println("wrong password for 60 s: " + before + " open files, at most " + most);
        assertTrue(most.get() <= before.get() + 10, before + " open files became " + most);
    }

    private static void withPasswordChanged(Runnable meanwhile) {
        try (SentinelFarm farm = new SentinelFarm(SentinelFarm.master(), 1, 0);
                TestServer server = start(farm, Durability.replicas(1))) {
            server.push("t", "{}");
            TestRedis master = farm.master;
            long ours = master.command("CLIENT", "LIST")
                    .toString()
                    .lines()
                    .filter(line -> line.contains(" user=" + SentinelFarm.USER + " "))
                    .count();
            assertTrue(ours > 4, ours + " connections");
            long others = master.connections() - ours;
            long made = master.connectionsMade();
            SentinelFarm.allow(master, "another");
            master.command("CLIENT", "KILL", "USER", SentinelFarm.USER);
            TestRedis.await("tried again", () -> master.connectionsMade() >= made + ours);
            meanwhile.run();
            // those of the sentinels come and go
            TestRedis.await("what was refused closed", () -> master.connections() <= others + ours / 2);
            SentinelFarm.allow(master, SentinelFarm.PASSWORD);
            TestRedis.await(
                    "let in again",
                    Duration.ofSeconds(8),
                    () -> server.post("/v1/topics/t/jobs", "{}").status() == 201);
        }
    }

    private static long openFiles() {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }
}
