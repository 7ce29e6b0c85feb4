package io.delayq.load.peer;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import io.delayq.load.Children;
import io.delayq.load.Stopwatch;
import io.delayq.load.net.Lateness;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntConsumer;

/**
 * RabbitMQ without its delay plugin, which Debian does not have: a job waits in a queue whose messages live as long as
 * the delay and are then handed on to the queue that is consumed. Only the head of a queue expires, so each delay has
 * a queue of its own.
 */
public final class RabbitMq implements Peer {
    private static final int NUMBER_WIDTH = 10;
    private static final int STEP_MILLIS = 100;
    private static final int PREFETCH = 250;
    private static final int ACK_EVERY = 100;
    private static final byte[] REST = "x".repeat(100 - NUMBER_WIDTH).getBytes(StandardCharsets.US_ASCII);
    private static final BasicProperties PERSISTENT = MessageProperties.MINIMAL_PERSISTENT_BASIC;

    private final Path bin;
    private final Path work;
    private final Set<String> queues = new LinkedHashSet<>();
    private Process epmd;
    private Process server;
    private final List<ProcessHandle> beams = new ArrayList<>();
    private int port;
    private int queueNumber;

    /** @param bin the directory of its scripts; empty if there is none */
    public RabbitMq(String bin, Path work) {
        this.bin = bin.isEmpty() ? null : Path.of(bin);
        this.work = work;
    }

    @Override
    public String name() {
        return "rabbitmq";
    }

    @Override
    public String missing() {
        return bin == null ? "not installed, and its Debian package could not be had (that needs root)" : null;
    }

    @Override
    public void start() throws Exception {
        Path dir = Files.createTempDirectory(work, "rabbitmq");
        port = Children.freePort();
        int epmdPort = Children.freePort();
        Path conf = Files.writeString(dir.resolve("rabbitmq.conf"), "listeners.tcp.1 = 127.0.0.1:" + port + "\n");
        Path plugins = Files.writeString(dir.resolve("plugins"), "[].\n");
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("HOME", dir.toString());
        environment.put("ERL_EPMD_PORT", Integer.toString(epmdPort));
        environment.put("ERL_EPMD_ADDRESS", "127.0.0.1");
        environment.put("RABBITMQ_NODENAME", "load@localhost");
        environment.put("RABBITMQ_DIST_PORT", Integer.toString(Children.freePort()));
        environment.put("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}");
        environment.put("RABBITMQ_MNESIA_BASE", dir.resolve("mnesia").toString());
        environment.put("RABBITMQ_LOG_BASE", dir.resolve("log").toString());
        environment.put("RABBITMQ_CONFIG_FILE", conf.toString());
        environment.put("RABBITMQ_ENABLED_PLUGINS_FILE", plugins.toString());
        environment.put("RABBITMQ_PID_FILE", dir.resolve("pid").toString());
        // Erlang would start one that stays; this one is ours to end
        epmd = Children.start(dir, dir.resolve("epmd.log"), environment, List.of("epmd"));
        Path log = dir.resolve("server.log");
        Children.awaitPort(epmd, epmdPort, log, Duration.ofSeconds(10));
        server = Children.start(
                dir, log, environment, List.of(bin.resolve("rabbitmq-server").toString()));
        try {
            Children.awaitPort(server, port, log, Duration.ofSeconds(90));
        } finally {
            server.descendants()
                    .filter(handle -> handle.info().command().orElse("").contains("beam"))
                    .forEach(handle -> {
                        beams.add(handle);
                        Children.keep(handle);
                    });
        }
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("messages", "persistent, in durable classic queues, with publisher confirms");
        settings.put(
                "delay",
                "TTL and dead-letter exchange, a queue for each delay, in D in steps of " + STEP_MILLIS
                        + " ms; no delay plugin");
        settings.put("batch", "100 publishes, then the confirms of all");
        settings.put("consumers", "prefetch " + PREFETCH + ", every " + ACK_EVERY + "th acks all before it; each in D");
        return settings;
    }

    private Connection connect() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setConnectionTimeout(10_000);
        return factory.newConnection();
    }

    private List<Connection> connect(int count) throws Exception {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(connect());
        }
        return all;
    }

    private static void closeAll(List<Connection> all) {
        all.forEach(connection -> connection.abort(5_000));
    }

    private static byte[] body(int job) {
        byte[] body = new byte[100];
        byte[] number = String.format("%0" + NUMBER_WIDTH + "d", job).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(number, 0, body, 0, NUMBER_WIDTH);
        System.arraycopy(REST, 0, body, NUMBER_WIDTH, REST.length);
        return body;
    }

    private static int number(byte[] body) {
        return Integer.parseInt(new String(body, 0, NUMBER_WIDTH, StandardCharsets.US_ASCII));
    }

    /** The queue where jobs wait that long; the one to consume if it is 0. */
    private String declare(Channel channel, String ready, long delayMillis) throws IOException {
        String name = delayMillis == 0 ? ready : ready + "-" + delayMillis;
        Map<String, Object> arguments = delayMillis == 0
                ? Map.of()
                : Map.of(
                        "x-message-ttl", delayMillis,
                        "x-dead-letter-exchange", "",
                        "x-dead-letter-routing-key", ready);
        channel.queueDeclare(name, true, false, false, arguments);
        queues.add(name);
        return name;
    }

    @Override
    public double push(PushWork work, IntConsumer progress) throws Exception {
        return push(work, "load" + ++queueNumber, progress);
    }

    private double push(PushWork work, String ready, IntConsumer progress) throws Exception {
        List<Connection> connections = connect(work.connections());
        try {
            List<Channel> channels = channels(connections);
            String queue = declare(channels.get(0), ready, work.delayMillis());
            AtomicInteger next = new AtomicInteger();
            double seconds = Threads.run(work.connections(), thread -> {
                Channel channel = channels.get(thread);
                for (int first = next.getAndAdd(work.batch());
                        first < work.jobs();
                        first = next.getAndAdd(work.batch())) {
                    for (int i = 0; i < work.batch(); i++) {
                        channel.basicPublish("", queue, PERSISTENT, body(first + i));
                    }
                    channel.waitForConfirmsOrDie(30_000);
                    progress.accept(first);
                }
            });
            expect(channels.get(0), queue, work.jobs());
            return work.jobs() / seconds;
        } finally {
            closeAll(connections);
        }
    }

    private static List<Channel> channels(List<Connection> connections) throws IOException {
        List<Channel> channels = new ArrayList<>();
        for (Connection connection : connections) {
            Channel channel = connection.createChannel();
            channel.confirmSelect();
            channels.add(channel);
        }
        return channels;
    }

    private static void expect(Channel channel, String queue, int jobs) throws Exception {
        long found = -1;
        // counts lag a little behind confirms and acks
        for (int tries = 0; tries < 50; tries++) {
            found = channel.messageCount(queue);
            if (found == jobs) {
                return;
            }
            Thread.sleep(100);
        }
        throw new IOException("expected " + jobs + " jobs, found " + found);
    }

    @Override
    public double drain(DrainWork work, IntConsumer progress) throws Exception {
        String ready = "load" + ++queueNumber;
        push(new PushWork(work.jobs(), 16, 100, 0, 8), ready, stored -> {});
        AtomicIntegerArray seen = new AtomicIntegerArray(work.jobs());
        AtomicInteger delivered = new AtomicInteger();
        CompletableFuture<Void> all = new CompletableFuture<>();
        List<Connection> connections = connect(work.connections());
        try {
            List<Channel> channels = channels(connections);
            Stopwatch watch = Stopwatch.start();
            for (Channel channel : channels) {
                channel.basicQos(PREFETCH);
                channel.basicConsume(ready, false, new DefaultConsumer(channel) {
                    private int unacked;

                    @Override
                    public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body)
                            throws IOException {
                        if (seen.incrementAndGet(number(body)) > 1) {
                            all.completeExceptionally(new IOException("job " + number(body) + " came twice"));
                        }
                        if (++unacked == ACK_EVERY) {
                            unacked = 0;
                            channel.basicAck(envelope.getDeliveryTag(), true);
                        }
                        int count = delivered.incrementAndGet();
                        progress.accept(count);
                        if (count == work.jobs()) {
                            all.complete(null);
                        }
                    }
                });
            }
            all.get(10, TimeUnit.MINUTES);
            for (Channel channel : channels) {
                channel.basicAck(0, true);
                // an answered call after it: the ack has been taken
                channel.messageCount(ready);
            }
            double seconds = watch.seconds();
            closeAll(connections.subList(1, connections.size()));
            expect(channels.get(0), ready, 0);
            return work.jobs() / seconds;
        } finally {
            closeAll(connections);
        }
    }

    @Override
    public Lateness lateness(PaceWork work, IntConsumer progress) throws Exception {
        String ready = "load" + ++queueNumber;
        int jobs = work.perSecond() * work.seconds();
        long[] delays = new long[work.delaysMillis().length];
        for (int i = 0; i < delays.length; i++) {
            delays[i] = (work.delaysMillis()[i] + STEP_MILLIS / 2) / STEP_MILLIS * STEP_MILLIS;
        }
        List<Connection> pushing = connect(work.connections());
        List<Connection> taking = connect(work.connections());
        try {
            List<Channel> pushers = channels(pushing);
            declare(pushers.get(0), ready, 0);
            for (long delay : java.util.Arrays.stream(delays).distinct().toArray()) {
                declare(pushers.get(0), ready, delay);
            }
            AtomicInteger acked = new AtomicInteger();
            CompletableFuture<Void> all = new CompletableFuture<>();
            Threads.Pace pace = new Threads.Pace(work.perSecond(), jobs, delays);
            for (Connection connection : taking) {
                Channel channel = connection.createChannel();
                channel.basicQos(PREFETCH);
                channel.basicConsume(ready, false, new DefaultConsumer(channel) {
                    @Override
                    public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body)
                            throws IOException {
                        try {
                            pace.arrived(number(body));
                        } catch (IOException e) {
                            all.completeExceptionally(e);
                        }
                        channel.basicAck(envelope.getDeliveryTag(), false);
                        progress.accept(acked.incrementAndGet());
                        if (acked.get() == jobs) {
                            all.complete(null);
                        }
                    }
                });
            }
            AtomicInteger next = new AtomicInteger();
            Threads.run(work.connections(), thread -> {
                Channel channel = pushers.get(thread);
                for (int job = next.getAndIncrement(); job < jobs; job = next.getAndIncrement()) {
                    pace.awaitTurn(job);
                    channel.basicPublish("", ready + "-" + pace.delay(job), PERSISTENT, body(job));
                    channel.waitForConfirmsOrDie(30_000);
                }
            });
            all.get(60, TimeUnit.SECONDS);
            return pace.lateness();
        } finally {
            closeAll(pushing);
            closeAll(taking);
        }
    }

    @Override
    public long memoryBytes() throws IOException {
        return Children.residentBytes(beams.get(0).pid());
    }

    @Override
    public Map<String, Long> processes() {
        return Map.of("server", beams.get(0).pid());
    }

    @Override
    public void clear() throws Exception {
        try (Connection connection = connect()) {
            Channel channel = connection.createChannel();
            for (String queue : queues) {
                channel.queueDelete(queue);
            }
        }
        queues.clear();
    }

    @Override
    public void close() {
        beams.forEach(Children::end);
        Children.end(server);
        Children.end(epmd);
    }
}
