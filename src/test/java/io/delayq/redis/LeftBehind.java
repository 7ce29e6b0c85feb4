package io.delayq.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What is left of a server that a test ran as a process: the embedded Redis of its data directory. */
public final class LeftBehind {
    private LeftBehind() {}

    /** The processes of the Redis servers that run on this data directory. */
    public static List<Long> redisOf(Path dataDir) {
        return processes(dataDir).stream().map(RedisProcess::pid).toList();
    }

    /** Ends them as a crash would. */
    public static void killRedisOf(Path dataDir) {
        List<RedisProcess> processes = processes(dataDir);
        processes.forEach(RedisProcess::kill);
        TestRedis.await("Redis gone", () -> processes.stream().noneMatch(RedisProcess::alive));
    }

    private static List<RedisProcess> processes(Path dataDir) {
        try {
            return Files.exists(dataDir) ? RedisProcess.all(dataDir.toRealPath().resolve("redis")) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
