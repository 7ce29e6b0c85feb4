package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.path.TestServer.Reply;
import io.delayq.redis.TestRedis;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server process needs while Redis is frozen. */
@Tag("fault")
class ChildFaultTest {
    private static final int AT_ONCE = 100;
    private static final String BODY = "x".repeat(10_000);
    private static final long MOST_GROWTH = 20_000_000;

    @TempDir
    Path dir;

    private final TestRedis redis = TestRedis.start(TestRedis.Options.standalone());

    @AfterEach
    void close() {
        redis.close();
    }

    @Test
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

    static boolean isTaken(ChildServer server) {
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
}
