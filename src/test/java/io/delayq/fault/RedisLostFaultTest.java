package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.SideBySide;
import io.delayq.path.TestServer;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Redis is killed, forgetful, or cuts those off who listen. */
@Tag("fault")
class RedisLostFaultTest extends RedisAwayTestBase {
    @Test
    @SideBySide
    void while_redis_is_dead_pushes_are_refused_in_time_and_when_it_is_back_all_goes_on_by_itself() {
        try (TestServer server = start()) {
            server.push("t", "{\"id\":\"before\",\"delay\":\"500ms\"}");
            redis.kill();
            List<CompletableFuture<String>> pushes = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                pushes.add(pushRefusedInTime(server));
            }
            pushes.forEach(TestServer::await);
            redis.restart();
            TestRedis.await("a push taken", Duration.ofSeconds(3), () -> isPushed(server));
            assertEquals("before", job(server, "t").getString("id"));
            server.push("t", "{\"id\":\"after\",\"delay\":\"300ms\"}");
            assertEquals("after", job(server, "t").getString("id"));
            assertTrue(said("down").containsAll(CONNECTIONS), said("down").toString());
            TestRedis.await("every connection up", () -> said("up").equals(said("down")));
        }
    }

    @Test
    @SideBySide
    void scripts_that_redis_forgets_ten_times_a_second_are_loaded_again_and_no_client_notices() {
        try (TestServer server = start()) {
            long end = System.nanoTime() + 2_000_000_000L;
            CompletableFuture<Integer> flushes = CompletableFuture.supplyAsync(() -> {
                int count = 0;
                for (; System.nanoTime() < end; count++) {
                    redis.command("SCRIPT", "FLUSH");
                    long until = System.nanoTime() + 100_000_000L;
                    TestRedis.await("the next flush", () -> System.nanoTime() > until);
                }
                return count;
            });
            int jobs = 0;
            while (System.nanoTime() < end) {
                server.push("t", "{}");
                Reply reply = server.reserve("t", 1, "1s");
                assertEquals(200, reply.status(), reply.text());
                assertEquals(204, server.settle("ack", reply.job(0), "").status());
                jobs++;
            }
            assertTrue(TestServer.await(flushes) > 10 && jobs > 10, jobs + " jobs");
        }
    }

    @Test
    @SideBySide
    void a_lost_subscription_loses_no_wake_up() {
        try (TestServer server = start()) {
            for (int i = 0; i < 3; i++) {
                redis.command("CLIENT", "KILL", "TYPE", "pubsub");
                server.push("t", "{\"delay\":\"300ms\"}");
                long pushed = System.nanoTime();
                job(server, "t");
                assertTrue(millisSince(pushed) < 1_500, millisSince(pushed) + " ms");
            }
        }
    }

    @Test
    @SideBySide
    void a_subscription_that_never_holds_costs_at_most_a_second() {
        try (TestServer server = start()) {
            long end = System.nanoTime() + 2_000_000_000L;
            CompletableFuture<Void> kills = CompletableFuture.runAsync(() -> {
                while (System.nanoTime() < end) {
                    redis.command("CLIENT", "KILL", "TYPE", "pubsub");
                    long until = System.nanoTime() + 50_000_000L;
                    TestRedis.await("the next kill", () -> System.nanoTime() > until);
                }
            });
            long worst = worstLateness(server, end);
            TestServer.await(kills);
            System.out.println("subscription cut every 50 ms: at most " + worst + " ms late");
            assertTrue(worst <= 1_200, worst + " ms late");
            TestRedis.await("the subscriptions up", () -> said("up").equals(Set.of("hints", "presence")));
            assertEquals(Set.of("hints", "presence"), said("down"));
        }
    }
}
