package io.delayq.load.peer;

import io.delayq.load.net.ClosedPush;
import io.delayq.load.net.Lateness;
import io.delayq.load.net.RedisPush;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/** No queue at all: SETs in a Redis like delayq's, to know how fast the machine is. */
public final class BareRedis implements Peer {
    private final RedisProgram program;
    private final Path work;
    private OwnRedis redis;

    public BareRedis(RedisProgram program, Path work) {
        this.program = program;
        this.work = work;
    }

    @Override
    public String name() {
        return "bare redis";
    }

    @Override
    public String missing() {
        return null;
    }

    @Override
    public void start() throws Exception {
        redis = OwnRedis.start(program, Files.createTempDirectory(work, "redis"));
    }

    @Override
    public Map<String, String> settings() throws IOException {
        return Map.of("redis", redis.settings());
    }

    @Override
    public double push(PushWork work, IntConsumer progress) throws IOException {
        List<RedisPush> conns = new ArrayList<>();
        for (int i = 0; i < work.connections(); i++) {
            conns.add(new RedisPush(work.batch()));
        }
        return work.jobs() / ClosedPush.run(redis.port(), conns, 0, work.jobs(), 0, progress);
    }

    /** Nothing is drained: single SETs, which cost about as much. */
    @Override
    public double drain(DrainWork work, IntConsumer progress) throws IOException {
        return push(new PushWork(work.jobs(), work.connections(), 1), progress);
    }

    @Override
    public Lateness lateness(PaceWork work, IntConsumer progress) {
        throw new UnsupportedOperationException("a bare Redis keeps no time");
    }

    @Override
    public long memoryBytes() throws IOException {
        return redis.dataBytes();
    }

    @Override
    public Map<String, Long> processes() {
        return Map.of("redis", redis.pid());
    }

    @Override
    public void clear() throws IOException {
        redis.empty();
    }

    @Override
    public void close() {
        if (redis != null) {
            redis.close();
        }
    }
}
