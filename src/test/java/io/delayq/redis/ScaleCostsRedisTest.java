package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.JobOptions;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What scripts cost Redis, by what they have to do. */
@Tag("storm")
class ScaleCostsRedisTest extends ScaleTestBase {
    private static final int BODY = 100;

    private final Keys keys = new Keys("dq", 1);
    private long numbers;

    @BeforeEach
    void load() {
        for (Script script : Script.values()) {
            redis.commandBytes(Bytes.of("SCRIPT"), Bytes.of("LOAD"), script.text());
        }
    }

    private Object call(Script script, List<byte[]> args) {
        List<byte[]> all = new ArrayList<>();
        all.addAll(List.of(Bytes.of("EVALSHA"), script.sha(), Bytes.of(script.numbered() ? 5 : 4)));
        for (String key : keys.ofBucket(0)) {
            all.add(Bytes.of(key));
        }
        if (script.numbered()) {
            all.add(Bytes.of(keys.call(0, "me", script.word())));
        }
        all.addAll(List.of(Bytes.of(keys.hints()), Bytes.of(0)));
        if (script.numbered()) {
            all.add(Bytes.of(++numbers));
        }
        all.addAll(args);
        return redis.commandBytes(all.toArray(byte[][]::new));
    }

    private Gauge measured(int times, IntConsumer work) {
        Gauge before = gauge();
        for (int i = 0; i < times; i++) {
            work.accept(i);
        }
        return gauge().since(before);
    }

    private static String id(int i) {
        return String.format(Locale.ROOT, "2roawa%07d", i);
    }

    private void push(String topic, int from, int count, long delay) {
        byte[] record = JobRecord.encode(JobOptions.NONE, Buffer.buffer("\"" + "x".repeat(BODY - 2) + "\""));
        List<byte[]> args = new ArrayList<>(List.of(Bytes.of(topic), Bytes.of(count)));
        for (int i = from; i < from + count; i++) {
            args.addAll(List.of(Bytes.of(id(i)), Bytes.of(delay), record));
        }
        call(Script.PUSH, args);
    }

    /** One topic of one bucket, calls of 1 to 250 jobs, each sent when the one before is answered. */
    @Test
    void a_life() {
        for (int batch : new int[] {1, 250, 1, 10, 100, 250}) {
            life(batch, batch == 1 ? 8_000 : 50_000 / batch);
        }
    }

    private void life(int batch, int calls) {
        report("push", batch, calls, measured(calls, i -> push("t", i * batch, batch, 1)));
        report("due", batch, calls, measured(calls, i -> call(Script.DUE, List.of(Bytes.of(batch)))));
        List<List<byte[]>> held = new ArrayList<>();
        report("reserve", batch, calls, measured(calls, i -> {
            List<?> answer = (List<?>) call(
                    Script.RESERVE, List.of(Bytes.of("token" + i), Bytes.of(1 << 20), Bytes.of("t"), Bytes.of(batch)));
            List<byte[]> acks = new ArrayList<>(List.of(Bytes.of("t"), Bytes.of(batch)));
            for (int job = 0; job < batch; job++) {
                byte[] told = (byte[]) answer.get(3 + 2 * job + 1);
                int place = (told[0] & 0xff) << 8 | told[1] & 0xff;
                acks.addAll(List.of(
                        (byte[]) answer.get(3 + 2 * job), Bytes.of("token" + i + place), Bytes.of(""), Bytes.of("")));
            }
            held.add(acks);
        }));
        report("ack", batch, calls, measured(calls, i -> {
            List<?> answer = (List<?>) call(Script.ACK, held.get(i));
            assertTrue(answer.stream().allMatch(Long.valueOf(1)::equals), "acked");
        }));
    }

    private static void report(String what, int batch, int calls, Gauge cost) {
        double jobs = (double) batch * calls;
        say(
                "%-8s %3d jobs a call: %6.1f µs a call, %5.2f a job; bytes a job: in %.0f, out %.0f, log %.0f",
                what,
                batch,
                cost.cpuMicros() / calls,
                cost.cpuMicros() / jobs,
                cost.received() / jobs,
                cost.sent() / jobs,
                cost.appended() / jobs);
    }

    @Test
    void a_look() {
        List<byte[]> limit = List.of(Bytes.of(1_000));
        say(
                "look, nothing ready: %.1f µs",
                measured(10_000, i -> call(Script.LOOK, limit)).cpuMicros() / 10_000);
        for (int i = 0; i < 10_000; i++) {
            redis.command("SADD", keys.ofBucket(0)[3], "topic-" + i);
        }
        Gauge cost = measured(500, i -> call(Script.LOOK, limit));
        say("look, 10,000 topics ready: %.0f µs, %.0f bytes", cost.cpuMicros() / 500, cost.sent() / 500);
    }

    @Test
    void a_heartbeat() {
        // and what it has done so far
        String about = "ingress,scanner,dispatcher,gateway,webhook http://10.20.30.40:9277 0.1.0\n"
                + "12345678,12345678,12345678,12345,123,1,"
                + "12345678,1234567,123456,12345,1234,123,12,1,0,0,0,0,0,0,0 -";
        int there = 0;
        for (int servers : new int[] {1, 10, 100, 500}) {
            for (; there < servers; there++) {
                beat("00000000-0000-0000-0000-00000000" + there, about);
            }
            Gauge cost = measured(1_000, i -> beat("00000000-0000-0000-0000-000000000", about));
            say("beat, %d servers: %.1f µs, %.0f bytes", servers, cost.cpuMicros() / 1_000, cost.sent() / 1_000);
        }
    }

    private void beat(String id, String about) {
        call(Script.BEAT, List.of(Bytes.of(id), Bytes.of(about), Bytes.of(0), Bytes.of(600_000)));
    }

    @Test
    void a_hint_for_each_listener() throws Exception {
        String publish = "for i = 1, 20 do redis.call('PUBLISH', KEYS[1], 'r1023 ' .. ARGV[1]) end";
        double none = 0;
        for (int listeners : new int[] {0, 10, 100, 300}) {
            try (Listeners all = new Listeners(embedded.url(), listeners, keys.hints())) {
                Gauge cost = measured(500, i -> redis.command("EVAL", publish, "1", keys.hints(), "order.created"));
                double one = cost.cpuMicros() / 10_000;
                none = listeners == 0 ? one : none;
                say(
                        "hint, %d listeners: %.2f µs, %.2f for each listener, %.0f bytes for each",
                        listeners,
                        one,
                        (one - none) / Math.max(1, listeners),
                        cost.sent() / 10_000 / Math.max(1, listeners));
                assertTrue(all.heard.get() > 0 || listeners == 0, "somebody listens");
            }
        }
    }

    /** Connections that listen and throw away what they hear. */
    private static final class Listeners implements AutoCloseable {
        private final Selector selector = Selector.open();
        private final Thread reader = new Thread(this::read, "listeners");
        private final AtomicLong heard = new AtomicLong();

        Listeners(String url, int count, String channel) throws IOException {
            URI at = URI.create(url);
            String password = at.getUserInfo().substring(at.getUserInfo().indexOf(':') + 1);
            String hello = "AUTH " + password + "\r\nSUBSCRIBE " + channel + "\r\n";
            for (int i = 0; i < count; i++) {
                SocketChannel socket = SocketChannel.open(new InetSocketAddress(at.getHost(), at.getPort()));
                socket.write(ByteBuffer.wrap(hello.getBytes(StandardCharsets.US_ASCII)));
                socket.configureBlocking(false);
                socket.register(selector, SelectionKey.OP_READ);
            }
            reader.start();
        }

        private void read() {
            ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
            try {
                while (selector.isOpen()) {
                    selector.select(key -> {
                        try {
                            heard.addAndGet(((SocketChannel) key.channel()).read(buffer.clear()));
                        } catch (IOException e) {
                            key.cancel();
                        }
                    });
                }
            } catch (java.nio.channels.ClosedSelectorException | IOException e) {
                // closed
            }
        }

        @Override
        public void close() throws IOException {
            List<SelectionKey> keys = List.copyOf(selector.keys());
            selector.close();
            for (SelectionKey key : keys) {
                key.channel().close();
            }
        }
    }

    @Test
    void memory() {
        int jobs = 200_000;
        Gauge waiting = measured(jobs / 100, i -> push("t", 100 * i, 100, 3_600_000));
        say("waiting: %.0f bytes a job", waiting.memory() / jobs);
        for (int topics : new int[] {1_000, 10_000}) {
            Gauge first = measured(topics, i -> push("topic-of-some-" + topics + "-" + i, i, 1, 3_600_000));
            say("the first job of a topic in a bucket: %.0f bytes", first.memory() / topics);
        }
        Gauge ready = measured(jobs / 100, i -> push("r", 100 * i, 100, 0));
        say("ready at once: %.0f bytes a job", ready.memory() / jobs);
        Gauge leased = measured(
                jobs / 100,
                i -> call(
                        Script.RESERVE,
                        List.of(Bytes.of("somerandomtoken" + i), Bytes.of(1 << 20), Bytes.of("r"), Bytes.of(100))));
        say("reserved: %.0f bytes a job more", leased.memory() / jobs);
        String info = redis.command("INFO", "everything").toString();
        redis.command("BGREWRITEAOF");
        TestRedis.await(
                "the log rewritten",
                () -> redis.command("INFO", "persistence").toString().contains("aof_rewrite_in_progress:0"));
        String after = redis.command("INFO", "everything").toString();
        say(
                "rewrite: %.0f MB in memory, fork %.1f ms, log %.0f MB before and %.0f MB after, in %.0f s",
                number(info, "used_memory") / 1e6,
                number(after, "latest_fork_usec") / 1e3,
                number(info, "aof_current_size") / 1e6,
                number(after, "aof_base_size") / 1e6,
                number(after, "aof_last_rewrite_time_sec"));
    }

    /** What a hint costs the other nodes of a cluster, none of which has a listener. */
    @Test
    void a_hint_in_a_cluster() {
        try (TestCluster cluster = TestCluster.start(3, 0)) {
            TestRedis one = cluster.masters().get(0);
            TestRedis other = cluster.masters().get(1);
            double[] before = {cpu(one), cpu(other), received(other)};
            String publish = "for i = 1, 20 do redis.call('PUBLISH', ARGV[1], 'r1023 order.created') end";
            for (int i = 0; i < 1_000; i++) {
                one.command("EVAL", publish, "0", "{dq}:hints");
            }
            after(Duration.ofSeconds(1));
            say(
                    "hint in a cluster of 3: %.1f µs where it is sent, %.1f µs at each other node, %.2f messages each",
                    (cpu(one) - before[0]) / 20_000,
                    (cpu(other) - before[1]) / 20_000,
                    (received(other) - before[2]) / 20_000);
        }
    }

    private static double cpu(TestRedis node) {
        String info = node.command("INFO", "cpu").toString();
        return 1e6 * (number(info, "used_cpu_user_main_thread") + number(info, "used_cpu_sys_main_thread"));
    }

    private static double received(TestRedis node) {
        return number(node.command("CLUSTER", "INFO").toString(), "cluster_stats_messages_received");
    }
}
