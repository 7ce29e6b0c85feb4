package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.path.DeliveryPathTest;
import io.delayq.path.TestServer;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.PlantedScripts;
import io.delayq.redis.StoreModelRedisTest;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** For each guarantee a fault with which its check turns red: a check that cannot fail proves nothing. */
class PlantedTest {
    /** Asserts that the check fails with the fault planted, and for that reason. */
    private static void red(String right, String wrong, String because, PlantedScripts.Work check) {
        AssertionError error =
                assertThrows(AssertionError.class, () -> PlantedScripts.during(right, wrong, check), "still green");
        assertBecause(because, error);
    }

    private static void assertBecause(String because, AssertionError error) {
        StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        assertTrue(trace.toString().contains(because), "red, but not because of \"" + because + "\": " + trace);
    }

    private static PlantedScripts.Work onServer(Consumer<TestServer> check) {
        return () -> {
            try (TestServer server = TestServer.start()) {
                check.accept(server);
            }
        };
    }

    @Test
    void jobs_that_become_ready_early_are_noticed() {
        red(
                "local now_text = int(now)",
                "now = now + 500\nlocal now_text = int(now)",
                "early",
                onServer(server -> DeliveryPathTest.checkDelivery(server, 100, 1_000, 20)));
    }

    @Test
    void jobs_that_come_late_because_nobody_is_told_are_noticed() {
        red(
                "local function tell()",
                "local function tell() do return end",
                "p99",
                onServer(server -> DeliveryPathTest.checkDelivery(server, 100, 1_000, 20)));
    }

    @Test
    void jobs_delivered_twice_are_noticed() {
        red(
                "call('LPOP', k[lane], count)",
                "call('LRANGE', k[lane], 0, count - 1)",
                "reserved of",
                () -> StoreModelRedisTest.check(1, 1, 300));
    }

    @Test
    @Tag("storm")
    void jobs_that_do_not_come_back_when_their_lease_ends_are_noticed(@TempDir Path dir) throws Exception {
        KillFaultTest.Load small = new KillFaultTest.Load(60, 200, 1, false, Duration.ofSeconds(3));
        AssertionError error = assertThrows(
                AssertionError.class, () -> KillFaultTest.check(dir, PlantedMain.Fault.NO_LEASE_ENDS, small));
        assertBecause("lost", error);
    }

    @Test
    @Tag("storm")
    void jobs_that_come_back_after_they_were_settled_are_noticed(@TempDir Path dir) throws Exception {
        PlantedMain.Fault fault = new PlantedMain.Fault("  if #gone > 0 then", "  if false then");
        KillFaultTest.Load small = new KillFaultTest.Load(60, 200, 1, false, Duration.ofSeconds(3));
        AssertionError error = assertThrows(AssertionError.class, () -> KillFaultTest.check(dir, fault, small));
        assertBecause("settled, and came back", error);
    }

    @Test
    void an_ack_with_a_lease_that_does_not_hold_is_noticed() {
        red(
                "if not seen[id] and holds(run, lease) then",
                "if not seen[id] and run then",
                "ack of",
                () -> StoreModelRedisTest.check(1, 1, 300));
    }

    @Test
    void an_id_that_fires_early_because_an_earlier_job_of_that_name_was_ready_is_noticed() {
        red(
                "if not haunted_list or call('SREM', k.ghosts, LANE_BYTE[lane] .. id) == 0 then",
                "if true then",
                "(reserve",
                () -> {
                    for (long seed = 1; seed <= 12; seed++) {
                        StoreModelRedisTest.check(seed, 1, 300);
                    }
                });
    }

    @Test
    void what_a_job_leaves_behind_is_noticed() {
        red("call('UNLINK', k.n, k.h, k.l, k.c, k.ghosts)", "", "keys left after a full drain", () -> {
            for (long seed = 1; seed <= 10; seed++) {
                StoreModelRedisTest.check(seed, 1, 100);
            }
        });
    }

    @Test
    void cancelling_a_buckets_first_job_does_not_delay_the_next() throws Exception {
        PlantedScripts.Work check = () -> {
            try (TestServer server = TestServer.start(PlantedTest::inOneBucket)) {
                checkCancelledFirst(server);
            }
        };
        check.run();
        red(
                "answer[#answer + 1] = cancel(",
                "call('ZREM', KEYS[1], 'c' .. group.k.topic) answer[#answer + 1] = cancel(",
                "the next job",
                check);
    }

    static Settings inOneBucket(Settings settings) {
        return new Settings(
                settings.http(),
                settings.dataDir(),
                settings.redis(),
                settings.namespace(),
                1,
                settings.instances(),
                settings.tokens(),
                settings.insecure());
    }

    private static void checkCancelledFirst(TestServer server) {
        server.push("t", "{\"id\":\"first\",\"delay\":\"300ms\"}");
        long due =
                server.push("t", "{\"id\":\"next\",\"delay\":\"600ms\"}").json().getLong("due");
        assertEquals(204, server.send("DELETE", "/v1/topics/t/jobs/first", null).status());
        Reply reply = server.reserve("t", 1, "2s");
        assertEquals(1, reply.jobs().size(), "the next job did not come");
        assertEquals("next", reply.job(0).getString("id"));
        long late = System.currentTimeMillis() - due;
        assertTrue(late < 200, "the next job came " + late + " ms late");
    }

    @Test
    void a_scanner_that_polls_is_noticed() {
        red(
                "left[2] and tonumber(left[2]) or -1, moved}",
                "now + 20, moved}",
                "calls a second",
                onServer(server -> DeliveryPathTest.checkIdle(server, 300, 1_000)));
    }

    @Test
    void a_burst_that_takes_long_is_noticed() {
        red(
                "at = first and tonumber(first) + (at or 0)",
                "at = first and math.max(tonumber(first) + (at or 0), now + 300)",
                "took",
                onServer(DeliveryPathTest::checkBurst));
    }

    @Test
    void answers_that_are_not_remembered_are_noticed() {
        red(
                "local last = call('GET', KEYS[5])",
                "local last = nil",
                "LostAnswersFaultTest",
                () -> LostAnswersFaultTest.check(300));
    }
}
