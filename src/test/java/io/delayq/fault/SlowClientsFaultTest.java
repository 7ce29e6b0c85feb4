package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.path.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thousand clients that send a byte now and then are closed in time, and others do not notice them. */
@Tag("fault")
class SlowClientsFaultTest {
    private static final Logger log = LoggerFactory.getLogger(SlowClientsFaultTest.class);
    private static final int SOCKETS = 1_000;
    private static final int RUNS = 5;

    private static TestServer server(long headerMillis) {
        return TestServer.start(set -> {
            Settings.Http http = set.http();
            return new Settings(
                    new Settings.Http(http.host(), 0, http.maxConnections(), http.idleMillis(), headerMillis),
                    set.dataDir(),
                    set.redis(),
                    set.namespace(),
                    set.buckets(),
                    set.instances(),
                    set.tokens(),
                    set.insecure());
        });
    }

    @Test
    void all_are_closed_soon_after_their_deadline_while_pushes_go_on() throws IOException {
        long deadline = 1_000;
        try (TestServer server = server(deadline);
                SlowSockets slow = new SlowSockets(server.port(), 100)) {
            slow.headers(SOCKETS / 2);
            slow.headersOfTheSecond(SOCKETS / 4);
            slow.bodies(SOCKETS / 4);
            List<Long> pushes = pushWhile(server, () -> slow.left() > 0, Duration.ofSeconds(20));
            assertEquals(0, slow.left());
            assertTrue(pushes.size() > 50, pushes.size() + " pushes");
            assertInTime(slow.lives(), deadline, 5_000);
        }
    }

    /** With the deadline that is the default, and against runs without slow clients in between. */
    @Test
    @Tag("storm")
    void a_byte_a_second_is_closed_after_ten_seconds_and_costs_pushes_nothing() throws IOException {
        long deadline = 10_000;
        List<Long> alone = new ArrayList<>();
        List<Long> beset = new ArrayList<>();
        try (TestServer server = server(deadline)) {
            pushFor(server, Duration.ofSeconds(5));
            for (int run = 0; run < RUNS; run++) {
                alone.add(p99(pushFor(server, Duration.ofSeconds(12))));
                try (SlowSockets slow = new SlowSockets(server.port(), 1_000)) {
                    slow.headers(SOCKETS / 2);
                    slow.headersOfTheSecond(SOCKETS / 4);
                    slow.bodies(SOCKETS / 4);
                    beset.add(p99(pushWhile(server, () -> slow.left() > 0, Duration.ofSeconds(25))));
                    assertEquals(0, slow.left());
                    assertInTime(slow.lives(), deadline, 10_000);
                }
                log.info("p99 µs alone={} beset={}", alone, beset);
            }
        }
        long without = median(alone);
        long with = median(beset);
        assertTrue(
                with <= without * 1.2 || with <= without + 5_000,
                "p99 of pushes in µs: alone " + alone + ", with slow clients " + beset);
    }

    private static void assertInTime(List<Long> lives, long deadline, long margin) {
        assertEquals(SOCKETS, lives.size());
        long shortest = Collections.min(lives);
        long longest = Collections.max(lives);
        log.info("closed after {} to {} ms", shortest, longest);
        assertTrue(shortest >= deadline / 2, "after " + shortest + " ms");
        assertTrue(longest <= deadline + margin, "after " + longest + " ms");
    }

    private static List<Long> pushFor(TestServer server, Duration time) {
        long end = System.nanoTime() + time.toNanos();
        return pushWhile(server, () -> System.nanoTime() < end, time.plusSeconds(5));
    }

    /** How long each push took, in microseconds. */
    private static List<Long> pushWhile(TestServer server, BooleanSupplier condition, Duration limit) {
        List<Long> micros = new ArrayList<>();
        long end = System.nanoTime() + limit.toNanos();
        while (condition.getAsBoolean() && System.nanoTime() < end) {
            long begin = System.nanoTime();
            server.push("fast", "{\"delay\":\"1h\"}");
            micros.add((System.nanoTime() - begin) / 1_000);
        }
        return micros;
    }

    private static long p99(List<Long> micros) {
        List<Long> sorted = new ArrayList<>(micros);
        Collections.sort(sorted);
        return sorted.get(sorted.size() * 99 / 100);
    }

    private static long median(List<Long> values) {
        List<Long> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }
}
