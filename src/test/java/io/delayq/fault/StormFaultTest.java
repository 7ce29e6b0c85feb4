package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.fault.RecordingClients.Load;
import io.delayq.fault.RecordingClients.Target;
import io.delayq.path.TestServer;
import io.delayq.redis.PlantedScripts;
import io.delayq.redis.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two servers on one Redis, one of which is always being killed. */
@Tag("fault")
class StormFaultTest {
    private static final Load SHORT = new Load(120, 10, 1_000, 2_000, 25);
    /** A kill every five to six seconds. */
    private static final Load LONG = new Load(180, 10, 2_000, 2_000, 100);
    /** Just enough to see leases that do not end. */
    private static final Load PLANTED = new Load(200, 10, 500, 1_000, 20);

    private static final long REDELIVERY_MILLIS = 1_000;
    private static final Duration DRAIN = Duration.ofSeconds(20);

    @TempDir
    Path dir;

    @Test
    void ten_kills_of_one_of_two_servers_lose_nothing_and_double_nothing() throws Exception {
        storm("storm-short", SHORT, 10, 2_000);
    }

    @Test
    @Tag("storm")
    @Timeout(1_500)
    void a_hundred_and_fifty_kills_of_one_of_two_servers_lose_nothing_and_double_nothing() throws Exception {
        storm("storm", LONG, 150, 150_000);
    }

    /** A server process and its successors. */
    private final class Place implements AutoCloseable {
        private final String name;
        private final TestRedis redis;
        private ChildServer server;
        private int starts;
        private volatile Target target;
        private CompletableFuture<Void> successor = CompletableFuture.completedFuture(null);

        Place(String name, TestRedis redis) {
            this.name = name;
            this.redis = redis;
            launch();
        }

        private void launch() {
            server = ChildServer.launch(dir.resolve(name), "--redis.url=" + redis.url());
        }

        void listening() {
            server.listening();
            target = new Target(name + "#" + ++starts, server.port());
        }

        void kill(History history) {
            history.fault("kill -9", target.name());
            server.kill9();
            launch();
            successor = CompletableFuture.runAsync(this::listening, task -> new Thread(task, name).start());
        }

        /** Who follows the one that was killed last is there. */
        void awaitSuccessor() throws Exception {
            successor.get();
        }

        @Override
        public void close() {
            server.close();
        }
    }

    private void storm(String name, Load load, int kills, int jobs) throws Exception {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
                Place a = new Place("a", redis);
                Place b = new Place("b", redis)) {
            a.listening();
            b.listening();
            List<Supplier<Target>> targets = List.of(() -> a.target, () -> b.target);
            try (RecordingClients clients = new RecordingClients(load, targets).begin()) {
                long begun = System.nanoTime();
                int share = jobs / (kills + 1);
                for (int kill = 1; kill <= kills; kill++) {
                    int pushed = share * kill;
                    TestRedis.await("jobs taken", Duration.ofMinutes(1), () -> clients.accepted() >= pushed);
                    int delivered = clients.delivered();
                    TestRedis.await("jobs delivered", () -> clients.delivered() > delivered);
                    Place victim = kill % 2 == 0 ? a : b;
                    // jobs go on at the other one meanwhile
                    (victim == a ? b : a).awaitSuccessor();
                    victim.kill(clients.history);
                    if (kill % 10 == 0) {
                        long seconds = (System.nanoTime() - begun) / 1_000_000_000;
                        System.out.printf(
                                "%s: %d of %d kills after %d s, %d jobs accepted, %d deliveries%n",
                                name, kill, kills, seconds, clients.accepted(), clients.delivered());
                    }
                }
                a.awaitSuccessor();
                b.awaitSuccessor();
                TestRedis.await("all jobs taken", Duration.ofMinutes(2), () -> clients.accepted() >= jobs);
                clients.drain(DRAIN);
                Verdict verdict = clients.verdict(name, redis, "dq", 4);
                verdict.assertKept();
                assertTrue(verdict.accepted >= jobs, verdict.line());
                assertEquals(1, verdict.mostAcks);
                assertTrue(verdict.staleRefused > 0 && verdict.duplicated > 0, "no lease ended: that proves nothing");
                assertTrue(verdict.redeliveryMillis <= REDELIVERY_MILLIS, verdict.line());
            }
        }
    }

    /** The same verdict on one server in this process, which is soon there. */
    @Test
    void a_lease_that_never_ends_is_noticed() throws Exception {
        PlantedMain.Fault fault = PlantedMain.Fault.NO_LEASE_ENDS;
        PlantedScripts.during(fault.right(), fault.wrong(), () -> {
            try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
                    TestServer server = TestServer.start(settings -> settings.withRedisUrl(redis.url()))) {
                Target target = new Target("one", server.port());
                try (RecordingClients clients = new RecordingClients(PLANTED, List.of(() -> target)).begin()) {
                    TestRedis.await("jobs taken", () -> clients.accepted() >= 200);
                    clients.drain(Duration.ofSeconds(2));
                    Verdict verdict = clients.verdict(
                            "storm-planted", redis, server.settings.namespace(), server.settings.buckets());
                    AssertionError error = assertThrows(AssertionError.class, verdict::assertKept);
                    assertTrue(error.getMessage().startsWith("lost"), error.getMessage());
                }
            }
        });
    }
}
