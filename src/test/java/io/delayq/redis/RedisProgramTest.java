package io.delayq.redis;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The setting redis.program. */
class RedisProgramTest {
    private static final EmbeddedRedis.Limits LIMITS = new EmbeddedRedis.Limits(1_500, 1_000, 1_000);
    private static Vertx vertx;

    @TempDir
    Path dir;

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
    void nothingIsLeft() throws IOException {
        List<RedisProcess> left = RedisProcess.all(redisDir());
        left.forEach(RedisProcess::kill);
        assertEquals(List.of(), left);
    }

    @Test
    void is_what_runs_and_nothing_is_unpacked() throws Exception {
        Path program = copyNamed("redis-server");
        EmbeddedRedis redis = start(program);
        assertEquals(program, executable(redis));
        assertTrue(Files.notExists(redisDir().resolve(RedisBinary.NAME)));
        done(redis.stop());
    }

    @Test
    void may_be_relative_to_the_working_directory() throws Exception {
        Path program = copyNamed("redis-server");
        EmbeddedRedis redis = start(Path.of("").toAbsolutePath().relativize(program));
        assertEquals(program, executable(redis).normalize());
        done(redis.stop());
    }

    /** Debian's is a link to redis-check-rdb, and does what the name says by which it was called. */
    @Test
    void is_known_again_by_a_later_server_when_it_is_a_link_to_a_file_of_another_name() throws Exception {
        Path program = Files.createSymbolicLink(dir.resolve("redis-server"), copyNamed("other-name"));
        EmbeddedRedis redis = start(program);
        Files.delete(redisDir().resolve("redis.pid"));
        assertEquals(
                List.of(redis.pid()),
                RedisProcess.all(redisDir()).stream().map(RedisProcess::pid).toList());
        assertEquals(
                redis.pid(), RedisProcess.leftBehind(redisDir()).orElseThrow().pid());
        done(redis.stop());
    }

    @Test
    void is_what_comes_back_when_it_was_killed() throws Exception {
        Path program = copyNamed("redis-server");
        EmbeddedRedis redis = start(program);
        long killed = redis.pid();
        ProcessHandle.of(killed).orElseThrow().destroyForcibly();
        TestRedis.await("Redis back", () -> redis.pid() != killed && executableOrNull(redis) != null);
        assertEquals(program, executable(redis));
        done(redis.stop());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "echo 'Redis server v=6.2.14 sha=00000000:0 malloc=libc bits=64' | version 6.2.14",
                "echo 'cat (GNU coreutils) 9.1'; echo more                       | cat (GNU coreutils) 9.1",
                "echo 'no libjemalloc.so.2' >&2; exit 127                        | no libjemalloc.so.2",
                "exit 0                                                          | no version",
                "exec sleep 60                                                   | no version",
            })
    void that_is_no_redis_or_too_old_is_refused(String script, String found) throws Exception {
        Path program = executable(Files.writeString(dir.resolve("redis-server"), "#!/bin/sh\n" + script + "\n"));
        assertRefused(program, found);
    }

    @Test
    void that_cannot_be_run_is_refused() throws Exception {
        assertRefused(dir.resolve("missing"), "no such file");
        assertRefused(dir, "a directory");
        Path file = Files.writeString(dir.resolve("file"), "#!/no/such/interpreter\n");
        assertRefused(file, "a file that may not be run");
        assertRefused(executable(file), "cannot run program");
    }

    private void assertRefused(Path program, String found) throws IOException {
        ExecutionException failure = assertThrows(ExecutionException.class, () -> start(program));
        String message = assertInstanceOf(EmbeddedRedisException.class, failure.getCause())
                .getMessage();
        assertTrue(message.startsWith("redis.program is " + program + ": found "), message);
        assertTrue(message.contains(found), message);
        assertTrue(message.endsWith(", expected a redis-server, version 7.0 or newer"), message);
        assertEquals(1, message.lines().count(), message);
    }

    private EmbeddedRedis start(Path program) throws Exception {
        return done(EmbeddedRedis.start(vertx, dir.resolve("data"), program, false, LIMITS));
    }

    private Path redisDir() throws IOException {
        return dir.toRealPath().resolve("data").resolve("redis");
    }

    private Path copyNamed(String name) throws IOException {
        Path unpacked = RedisBinary.unpack(dir);
        return Files.move(
                unpacked,
                Files.createDirectories(dir.toRealPath().resolve("bin")).resolve(name));
    }

    private static Path executable(Path file) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private static Path executable(EmbeddedRedis redis) {
        try (RespClient client = new RespClient(redis.url())) {
            return ((String) client.command("INFO", "server"))
                    .lines()
                    .filter(line -> line.startsWith("executable:"))
                    .map(line -> Path.of(line.substring("executable:".length())))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static Path executableOrNull(EmbeddedRedis redis) {
        try {
            return executable(redis);
        } catch (RuntimeException e) {
            return null;
        }
    }

    private static <T> T done(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(20, SECONDS);
    }
}
