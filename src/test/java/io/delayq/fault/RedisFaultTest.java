package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayq.SideBySide;
import io.delayq.fault.RecordingClients.Load;
import io.delayq.fault.RecordingClients.Target;
import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is done to Redis under load, and what clients see of it. */
@Tag("fault")
class RedisFaultTest {
    private static final Load LOAD = new Load(600, 10, 500, 1_000, 50);
    private static final Duration DRAIN = Duration.ofSeconds(15);

    @TempDir
    Path dir;

    /** A run on one server in this process. */
    private static final class Run implements AutoCloseable {
        final TestRedis redis;
        final TestServer server;
        final RecordingClients clients;

        Run(TestRedis.Options options) {
            redis = TestRedis.start(options);
            server = TestServer.start(settings -> settings.withRedisUrl(redis.url()));
            clients = new RecordingClients(LOAD, List.of(() -> new Target("one", server.port()))).begin();
        }

        void takes(int more) {
            int before = clients.accepted();
            TestRedis.await("jobs taken", () -> clients.accepted() >= before + more);
        }

        /** So many more pushes, written down as those of the clients are. */
        List<CompletableFuture<Void>> pushes(String prefix, int count) {
            List<CompletableFuture<Void>> pushes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String id = prefix + i;
                String list = new JsonArray().add(clients.job(id)).encode();
                pushes.add(server.sendAsync("POST", "/v1/jobs", list).thenAccept(reply -> {
                    JsonObject row = reply.json().getJsonArray("results").getJsonObject(0);
                    clients.pushed(id, row.getInteger("status"), row);
                }));
            }
            return pushes;
        }

        Verdict end(String name) throws Exception {
            clients.drain(DRAIN);
            return clients.verdict(name, redis, server.settings.namespace(), server.settings.buckets());
        }

        @Override
        public void close() {
            clients.close();
            server.close();
            redis.close();
        }
    }

    @Test
    @SideBySide
    void redis_killed_three_times_at_always_loses_nothing() throws Exception {
        killed("redis-killed-short", 3);
    }

    @Test
    @Tag("storm")
    void redis_killed_twenty_times_at_always_loses_nothing() throws Exception {
        killed("redis-killed", 20);
    }

    private static void killed(String name, int kills) throws Exception {
        try (Run run = new Run(TestRedis.Options.standalone().with("appendfsync always"))) {
            for (int i = 0; i < kills; i++) {
                run.takes(200);
                run.clients.history.fault("Redis killed", "redis");
                run.redis.kill();
                // the clients' own pushes may all be on their way: these are not begun before it is gone
                List<CompletableFuture<Void>> meanwhile = run.pushes("gone" + i + "-", 10);
                run.redis.restart();
                meanwhile.forEach(TestServer::await);
            }
            run.takes(200);
            run.end(name).assertKept();
        }
    }

    @Test
    @SideBySide
    void scripts_flushed_each_second_are_noticed_by_no_client() throws Exception {
        flushed("scripts-flushed-short", 4);
    }

    @Test
    @Tag("storm")
    void scripts_flushed_each_second_for_a_minute_are_noticed_by_no_client() throws Exception {
        flushed("scripts-flushed", 60);
    }

    private static void flushed(String name, int seconds) throws Exception {
        try (Run run = new Run(TestRedis.Options.standalone())) {
            for (int i = 0; i < seconds; i++) {
                long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
                run.takes(1);
                run.clients.history.fault("SCRIPT FLUSH", "redis");
                run.redis.command("SCRIPT", "FLUSH");
                TestRedis.await("the next flush", () -> System.nanoTime() > until);
            }
            Verdict verdict = run.end(name);
            verdict.assertKept();
            assertEquals(0, verdict.indeterminate + verdict.refused, "pushes that were not taken");
        }
    }

    @Test
    @SideBySide
    void redis_at_its_memory_limit_refuses_pushes_and_every_delivery_and_ack_works() throws Exception {
        try (Run run = new Run(TestRedis.Options.standalone())) {
            run.takes(600);
            run.clients.history.fault("full", "redis");
            run.redis.command("CONFIG", "SET", "maxmemory", "1");
            int held = run.clients.accepted();
            int before = run.clients.delivered();
            TestRedis.await("deliveries while full", () -> run.clients.delivered() > before + 100);
            TestRedis.await(
                    "all done while full",
                    () -> run.server
                                    .get("/v1/topics/" + RecordingClients.TOPIC)
                                    .json()
                                    .getInteger("delayed")
                            == 0);
            // those under way when it became full
            assertTrue(run.clients.accepted() <= held + 2 * LOAD.batch(), "pushes were taken while Redis was full");
            run.redis.command("CONFIG", "SET", "maxmemory", "0");
            run.clients.history.fault("room again", "redis");
            run.takes(100);
            Verdict verdict = run.end("redis-full");
            verdict.assertKept();
            assertTrue(verdict.refused > 0, "no push was refused");
            assertEquals(0, verdict.indeterminate, "pushes of unknown outcome");
        }
    }

    @Test
    @SideBySide
    void two_scanners_at_once_deliver_each_job_once() throws Exception {
        try (Run run = new Run(TestRedis.Options.standalone());
                TestServer second = TestServer.start(any -> run.server.settings)) {
            run.takes(900);
            assertTrue(second.get("/health/ready").status() == 200);
            run.end("two-scanners").assertKept();
        }
    }

    @Test
    @SideBySide
    void a_full_disk_refuses_pushes_and_loses_nothing() throws Exception {
        Path disk = Files.createDirectories(dir.resolve("disk"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk.toString()), "mounting is refused here");
        try (Run run = new Run(TestRedis.Options.standalone().in(disk).with("appendfsync everysec"))) {
            run.takes(300);
            run.clients.history.fault("disk full", "redis");
            Path filler = fill(disk);
            int before = run.clients.accepted();
            TestRedis.await(
                    "refused",
                    () -> run.redis.command("INFO", "persistence").toString().contains("aof_last_write_status:err"));
            System.out.println("disk full: " + (run.clients.accepted() - before)
                    + " pushes taken before Redis noticed, then "
                    + run.server.post("/v1/topics/other/jobs", "{}").text());
            assertEquals(503, run.server.post("/v1/topics/other/jobs", "{}").status());
            Files.delete(filler);
            run.clients.history.fault("room again", "redis");
            run.takes(200);
            run.clients.stopPushing();
            // what was taken is on the disk too
            run.redis.restart();
            run.end("disk-full").assertKept();
        } finally {
            run("umount", disk.toString());
        }
    }

    private static Path fill(Path disk) throws IOException {
        Path filler = disk.resolve("filler");
        try (var out = Files.newOutputStream(filler)) {
            byte[] block = new byte[4_096];
            for (int i = 0; i < 10_000; i++) {
                out.write(block);
            }
            throw new AssertionError("the disk never became full");
        } catch (IOException full) {
            return filler;
        }
    }

    private static boolean run(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    }
}
