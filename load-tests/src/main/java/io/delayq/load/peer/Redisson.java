package io.delayq.load.peer;

import io.delayq.load.net.Lateness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntConsumer;
import org.redisson.api.RBatch;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RFuture;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * Redisson's delayed queue on a Redis like delayq's. Its queues have no acks: a job is moved to a list of its consumer
 * and removed from there, which is how one keeps it from being lost.
 */
@SuppressWarnings("deprecation") // the delayed queue: what came in its place is not in the free edition
public final class Redisson implements Peer {
    private static final int MOST_CONNECTIONS = 64;
    private static final int NUMBER_WIDTH = 10;
    private static final String REST = "x".repeat(100 - NUMBER_WIDTH);

    private final RedisProgram program;
    private final Path work;
    private OwnRedis redis;
    private RedissonClient client;
    private int queueNumber;

    public Redisson(RedisProgram program, Path work) {
        this.program = program;
        this.work = work;
    }

    @Override
    public String name() {
        return "redisson";
    }

    @Override
    public String missing() {
        return null;
    }

    @Override
    public void start() throws Exception {
        redis = OwnRedis.start(program, Files.createTempDirectory(work, "redisson"));
        Config config = new Config();
        config.setCodec(StringCodec.INSTANCE);
        config.setThreads(4).setNettyThreads(4);
        config.useSingleServer()
                .setAddress("redis://127.0.0.1:" + redis.port())
                .setConnectionMinimumIdleSize(16)
                .setConnectionPoolSize(MOST_CONNECTIONS)
                .setTimeout(30_000);
        client = org.redisson.Redisson.create(config);
    }

    @Override
    public Map<String, String> settings() throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("redis", redis.settings());
        settings.put("queue", "RDelayedQueue on RBlockingQueue, StringCodec");
        settings.put("batch", "100 offerAsync, then all awaited");
        settings.put("consumers", "RPOPLPUSH to a list of its own and LREM from it, in one RBatch; blocking in D");
        return settings;
    }

    private static String body(int job) {
        return String.format("%0" + NUMBER_WIDTH + "d", job) + REST;
    }

    private static int number(String body) {
        return Integer.parseInt(body.substring(0, NUMBER_WIDTH));
    }

    @Override
    public double push(PushWork work, IntConsumer progress) throws Exception {
        RDelayedQueue<String> delayed = client.getDelayedQueue(client.getBlockingQueue(queue()));
        AtomicInteger next = new AtomicInteger();
        double seconds = Threads.run(work.connections(), thread -> {
            for (int first = next.getAndAdd(work.batch()); first < work.jobs(); first = next.getAndAdd(work.batch())) {
                if (work.batch() == 1) {
                    delayed.offer(body(first), work.delayMillis(), TimeUnit.MILLISECONDS);
                } else {
                    List<CompletableFuture<?>> all = new ArrayList<>();
                    for (int i = 0; i < work.batch(); i++) {
                        all.add(delayed.offerAsync(body(first + i), work.delayMillis(), TimeUnit.MILLISECONDS)
                                .toCompletableFuture());
                    }
                    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                            .join();
                }
                progress.accept(first);
            }
        });
        int stored = delayed.size();
        delayed.destroy();
        if (stored != work.jobs()) {
            throw new IOException("expected " + work.jobs() + " jobs, found " + stored);
        }
        return work.jobs() / seconds;
    }

    @Override
    public double drain(DrainWork work, IntConsumer progress) throws Exception {
        String queue = queue();
        for (int first = 0; first < work.jobs(); first += 100) {
            List<String> bodies = new ArrayList<>();
            for (int i = first; i < Math.min(work.jobs(), first + 100); i++) {
                bodies.add(body(i));
            }
            client.<String>getDeque(queue).addAll(bodies);
        }
        AtomicIntegerArray seen = new AtomicIntegerArray(work.jobs());
        AtomicInteger acked = new AtomicInteger();
        double seconds = Threads.run(work.connections(), thread -> {
            String held = queue + ":held:" + thread;
            for (String last = null; ; ) {
                RBatch batch = client.createBatch();
                if (last != null) {
                    batch.getDeque(held).removeAsync(last);
                }
                RFuture<Object> taken = batch.getDeque(queue).pollLastAndOfferFirstToAsync(held);
                batch.execute();
                if (last != null) {
                    progress.accept(acked.incrementAndGet());
                }
                last = (String) taken.toCompletableFuture().join();
                if (last == null) {
                    return;
                }
                if (seen.incrementAndGet(number(last)) > 1) {
                    throw new IOException("job " + number(last) + " came twice");
                }
            }
        });
        if (acked.get() != work.jobs()) {
            throw new IOException(acked.get() + " acked of " + work.jobs());
        }
        return work.jobs() / seconds;
    }

    @Override
    public Lateness lateness(PaceWork work, IntConsumer progress) throws Exception {
        String name = queue();
        int jobs = work.perSecond() * work.seconds();
        RBlockingQueue<String> ready = client.getBlockingQueue(name);
        RDelayedQueue<String> delayed = client.getDelayedQueue(ready);
        Threads.Pace pace = new Threads.Pace(work.perSecond(), jobs, work.delaysMillis());
        AtomicInteger next = new AtomicInteger();
        AtomicInteger acked = new AtomicInteger();
        int each = work.connections();
        Threads.run(2 * each, thread -> {
            if (thread < each) {
                for (int job = next.getAndIncrement(); job < jobs; job = next.getAndIncrement()) {
                    pace.awaitTurn(job);
                    delayed.offer(body(job), pace.delay(job), TimeUnit.MILLISECONDS);
                }
                return;
            }
            String held = name + ":held:" + thread;
            while (acked.get() < jobs) {
                String body = ready.pollLastAndOfferFirstTo(held, 1, TimeUnit.SECONDS);
                if (body != null) {
                    pace.arrived(number(body));
                    client.getDeque(held).remove(body);
                    progress.accept(acked.incrementAndGet());
                }
            }
        });
        delayed.destroy();
        return pace.lateness();
    }

    private String queue() {
        return "load" + ++queueNumber;
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
        if (client != null) {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
        if (redis != null) {
            redis.close();
        }
    }
}
