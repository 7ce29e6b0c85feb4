package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What is left of a server that a test ran as a process: the embedded Redis of its data directory. */
public final class LeftBehind {
    private LeftBehind() {}

    /** The processes of the Redis servers that run on this data directory. */
    public static List<Long> redisOf(Path dataDir) {
        return processes(dataDir).stream().map(RedisProcess::pid).toList();
    }

    /** There is none; one that should not be is ended, so that it troubles no other test. */
    public static void assertNoRedisOf(Path dataDir) {
        List<Long> left = redisOf(dataDir);
        killRedisOf(dataDir);
        assertEquals(List.of(), left, "Redis left behind");
    }

    /** Ends them as a crash would. */
    public static void killRedisOf(Path dataDir) {
        List<RedisProcess> processes = processes(dataDir);
        processes.forEach(RedisProcess::kill);
        TestRedis.await("Redis gone", () -> processes.stream().noneMatch(RedisProcess::alive));
    }

    /** That of one of several that share the buckets, from 1. */
    public static void killRedisOf(Path dataDir, int number) {
        List<RedisProcess> processes = processes(EmbeddedRedis.place(dataDir, number), dataDir);
        processes.forEach(RedisProcess::kill);
        TestRedis.await("Redis gone", () -> processes.stream().noneMatch(RedisProcess::alive));
    }

    private static List<RedisProcess> processes(Path dataDir) {
        return Stream.iterate(1, number -> number + 1)
                .map(number -> EmbeddedRedis.place(dataDir, number))
                .takeWhile(place -> Files.exists(place))
                .flatMap(place -> processes(place, dataDir).stream())
                .toList();
    }

    private static List<RedisProcess> processes(Path place, Path dataDir) {
        try {
            return RedisProcess.all(dataDir.toRealPath().resolve(dataDir.relativize(place)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
