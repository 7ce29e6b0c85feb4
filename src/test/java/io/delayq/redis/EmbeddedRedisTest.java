package io.delayq.redis;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedRedisTest {
    private static final EmbeddedRedis.Limits LIMITS = new EmbeddedRedis.Limits(1_500, 1_000, 5_000);
    private static Vertx vertx;

    @TempDir
    Path dataDir;

    private Process child;
    private boolean always;

    @BeforeAll
    static void openVertx() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void closeVertx() throws Exception {
        done(vertx.close());
    }

    /** Whatever a failed test left, found by the directory that is this test's own. */
    @AfterEach
    void nothingIsLeft() throws Exception {
        if (child != null) {
            child.descendants().forEach(ProcessHandle::destroyForcibly);
            child.destroyForcibly().waitFor();
        }
        List<RedisProcess> left = RedisProcess.all(dataDir.toRealPath().resolve("redis"));
        left.forEach(RedisProcess::kill);
        assertEquals(List.of(), left);
    }

    @Test
    void starts_answers_and_keeps_its_secret_to_its_owner() throws Exception {
        EmbeddedRedis redis = start();
        assertEquals("PONG", ask(redis, "PING"));
        assertEquals(List.of("maxmemory-policy", "noeviction"), ask(redis, "CONFIG", "GET", "maxmemory-policy"));
        assertEquals(List.of("appendonly", "yes"), ask(redis, "CONFIG", "GET", "appendonly"));
        assertThrows(RespClient.ErrorReply.class, () -> {
            try (RespClient stranger = new RespClient(redis.url().replaceFirst("//.*@", "//"))) {
                stranger.command("PING");
            }
        });
        assertEquals("rw-------", mode(dataDir.resolve("redis/redis.conf")));
        assertEquals("rwx------", mode(dataDir.resolve("redis")));
        String password = redis.url().substring(9, redis.url().indexOf('@'));
        assertFalse(ProcessHandle.of(redis.pid())
                .flatMap(handle -> handle.info().commandLine())
                .orElse("")
                .contains(password));
        assertFalse(redis.toString().contains(password));
        done(redis.stop());
    }

    @Test
    void writes_to_disk_as_often_as_it_is_told_also_after_it_died_and_when_it_is_taken_over() throws Exception {
        Ready before = readyChild();
        signal("-KILL", before.pid());
        TestRedis.await("server gone", () -> !child.isAlive());
        always = true;
        EmbeddedRedis redis = start();
        assertEquals(before.redisPid(), redis.pid());
        assertEquals(List.of("appendfsync", "always"), ask(redis, "CONFIG", "GET", "appendfsync"));
        signal("-KILL", redis.pid());
        TestRedis.await("another one", () -> redis.pid() != before.redisPid() && answers(redis));
        assertEquals(List.of("appendfsync", "always"), ask(redis, "CONFIG", "GET", "appendfsync"));
        done(redis.stop());
        always = false;
        EmbeddedRedis other = start();
        assertEquals(List.of("appendfsync", "everysec"), ask(other, "CONFIG", "GET", "appendfsync"));
        done(other.stop());
    }

    private static boolean answers(EmbeddedRedis redis) {
        try {
            return "PONG".equals(ask(redis, "PING"));
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    @Test
    void stop_leaves_no_process_and_frees_the_data() throws Exception {
        EmbeddedRedis redis = start();
        RedisProcess process = process(redis.pid());
        done(redis.stop());
        done(redis.stop());
        assertFalse(process.alive());
        assertFalse(Files.exists(dataDir.resolve("redis/redis.pid")));
        done(start().stop());
    }

    @Test
    void data_survive_a_restart_of_the_server() throws Exception {
        EmbeddedRedis first = start();
        ask(first, "SET", "k", "v");
        done(first.stop());
        EmbeddedRedis second = start();
        assertEquals("v", ask(second, "GET", "k"));
        done(second.stop());
    }

    @Test
    void a_frozen_redis_is_ended_all_the_same() throws Exception {
        EmbeddedRedis redis = start();
        RedisProcess process = process(redis.pid());
        signal("-STOP", redis.pid());
        done(redis.stop());
        assertFalse(process.alive());
    }

    @Test
    void a_second_one_on_the_same_data_is_refused_in_this_process_and_the_first_keeps_its_lock() throws Exception {
        EmbeddedRedis redis = start();
        for (int i = 0; i < 2; i++) {
            String message = refused();
            assertTrue(message.contains(dataDir.toRealPath().toString()), message);
            assertTrue(message.contains("process " + ProcessHandle.current().pid()), message);
        }
        String fromOutside = childOn(dataDir);
        assertTrue(fromOutside.startsWith("FAILED") && fromOutside.contains("in use"), fromOutside);
        assertEquals("PONG", ask(redis, "PING"));
        done(redis.stop());
    }

    @Test
    void a_second_one_on_the_data_of_another_process_is_refused() throws Exception {
        Ready server = readyChild();
        RedisProcess process = process(server.redisPid());
        String message = refused();
        assertTrue(message.contains("process " + server.pid()), message);
        child.getOutputStream().close();
        assertTrue(child.waitFor(10, SECONDS));
        assertFalse(process.alive());
    }

    @Test
    void one_left_behind_by_a_killed_server_is_refused_while_it_is_frozen_and_then_taken_over_with_its_data()
            throws Exception {
        Ready server = readyChild();
        ask(server.url(), "SET", "k", "v");
        signal("-KILL", server.pid());
        TestRedis.await("server gone", () -> !child.isAlive());
        assertTrue(process(server.redisPid()).alive());

        signal("-STOP", server.redisPid());
        String message = refused();
        assertTrue(message.contains("process " + server.redisPid()), message);
        signal("-CONT", server.redisPid());

        EmbeddedRedis redis = start();
        assertEquals(server.redisPid(), redis.pid());
        assertEquals(server.url(), redis.url());
        assertEquals("v", ask(redis, "GET", "k"));
        RedisProcess process = process(redis.pid());
        done(redis.stop());
        assertFalse(process.alive());
    }

    @Test
    void one_that_has_no_pid_file_is_found_in_the_process_list() throws Exception {
        EmbeddedRedis redis = start();
        Path dir = dataDir.toRealPath().resolve("redis");
        Files.delete(dir.resolve("redis.pid"));
        assertEquals(redis.pid(), RedisProcess.leftBehind(dir).orElseThrow().pid());
        done(redis.stop());
        assertTrue(RedisProcess.leftBehind(dir).isEmpty());
    }

    @Test
    void ctrl_c_at_the_server_does_not_reach_redis() throws Exception {
        Ready server = readyChild();
        assertEquals(server.pid(), group(server.pid()));
        assertNotEquals(server.pid(), group(server.redisPid()));
        signal("-INT", -server.pid());
        TestRedis.await("server gone", () -> !child.isAlive());
        assertEquals("PONG", ask(server.url(), "PING"));
        done(start().stop());
    }

    @Test
    void comes_back_on_the_same_port_with_its_data_when_killed() throws Exception {
        EmbeddedRedis redis = start();
        String url = redis.url();
        for (int i = 0; i < 2; i++) {
            String value = "v" + i;
            ask(redis, "SET", "k", value);
            long killed = redis.pid();
            signal("-KILL", killed);
            TestRedis.await("Redis back", () -> redis.pid() != killed && value.equals(askQuietly(url, "GET", "k")));
            assertEquals(url, redis.url());
        }
        done(redis.stop());
    }

    @Test
    void stop_while_it_is_down_leaves_nothing_and_it_does_not_come_back() throws Exception {
        EmbeddedRedis redis = start();
        RedisProcess process = process(redis.pid());
        process.kill();
        TestRedis.await("Redis gone", () -> !process.alive());
        done(redis.stop());
        assertEquals(List.of(), RedisProcess.all(dataDir.toRealPath().resolve("redis")));
        done(start().stop());
    }

    @Test
    void a_pid_file_that_names_a_foreign_process_or_nothing_is_ignored() throws Exception {
        for (String pid : List.of(ProcessHandle.current().pid() + "\n", "4194303\n", "no number\n", "")) {
            Files.createDirectories(dataDir.resolve("redis"));
            Files.writeString(dataDir.resolve("redis/redis.pid"), pid);
            EmbeddedRedis redis = start();
            assertNotEquals(ProcessHandle.current().pid(), redis.pid());
            assertEquals("PONG", ask(redis, "PING"));
            done(redis.stop());
        }
    }

    @Test
    void data_that_cannot_be_read_are_named_and_the_lock_is_free_again() throws Exception {
        EmbeddedRedis redis = start();
        ask(redis, "SET", "k", "v");
        done(redis.stop());
        Path manifest = dataDir.resolve("redis/appendonlydir/appendonly.aof.manifest");
        String good = Files.readString(manifest);
        Files.writeString(manifest, "nonsense\n");
        String message = refused();
        assertTrue(message.contains("redis.log"), message);

        Files.writeString(manifest, good);
        EmbeddedRedis again = start();
        assertEquals("v", ask(again, "GET", "k"));
        done(again.stop());
    }

    private EmbeddedRedis start() throws Exception {
        return done(EmbeddedRedis.start(vertx, dataDir, null, always, LIMITS));
    }

    private String refused() {
        ExecutionException failure = assertThrows(ExecutionException.class, this::start);
        return assertInstanceOf(EmbeddedRedisException.class, failure.getCause())
                .getMessage();
    }

    private record Ready(long pid, long redisPid, String url) {}

    private Ready readyChild() throws IOException {
        String line = childOn(dataDir);
        assertTrue(line.startsWith("READY "), line);
        String[] words = line.split(" ");
        return new Ready(Long.parseLong(words[1]), Long.parseLong(words[2]), words[3]);
    }

    /** In a process group of its own, as a shell would start it, so that a signal to the group spares this process. */
    private String childOn(Path dir) throws IOException {
        child = new ProcessBuilder(
                        "bash",
                        "-c",
                        // heeds SIGINT also where the build was started without it, in the background
                        "set -m; env $(env --default-signal=INT true 2>/dev/null && echo --default-signal=INT) \"$@\" <&0 & wait $!",
                        "child",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        EmbeddedRedisChild.class.getName(),
                        dir.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        while (line != null && !line.startsWith("READY ") && !line.startsWith("FAILED ")) {
            line = lines.readLine();
        }
        return String.valueOf(line);
    }

    private static <T> T done(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(20, SECONDS);
    }

    private static Object ask(EmbeddedRedis redis, String... words) {
        return ask(redis.url(), words);
    }

    private static Object ask(String url, String... words) {
        try (RespClient client = new RespClient(url)) {
            return client.command(words);
        }
    }

    private static Object askQuietly(String url, String... words) {
        try {
            return ask(url, words);
        } catch (UncheckedIOException | RespClient.ErrorReply e) {
            return null;
        }
    }

    private static RedisProcess process(long pid) {
        return ProcessHandle.of(pid)
                .map(handle -> new RedisProcess(handle, true))
                .orElseThrow();
    }

    private static void signal(String name, long pid) throws Exception {
        assertEquals(
                0,
                new ProcessBuilder("kill", name, "--", Long.toString(pid))
                        .start()
                        .waitFor());
    }

    private static long group(long pid) throws Exception {
        Process ps = new ProcessBuilder("ps", "-o", "pgid=", "-p", Long.toString(pid)).start();
        return Long.parseLong(new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
