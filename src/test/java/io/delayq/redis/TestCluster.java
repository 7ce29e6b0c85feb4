package io.delayq.redis;

import io.delayq.config.Settings;
import io.delayq.config.Settings.Mode;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A real Redis Cluster on loopback: masters that share the slots evenly, and a replica of each. Nodes may be killed,
 * frozen and restarted, and slots moved; a dead master's replica takes over within about three seconds.
 */
public final class TestCluster implements AutoCloseable {
    private static final int KEYS_A_STEP = 10;

    private final List<TestRedis> nodes = new ArrayList<>();
    private final int masters;

    private TestCluster(int masters) {
        this.masters = masters;
    }

    /** Three masters, each with a replica. */
    public static TestCluster start() {
        return start(3, 1);
    }

    /** @param replicas of each master */
    public static TestCluster start(int masters, int replicas) {
        TestCluster cluster = new TestCluster(masters);
        try {
            for (int i = 0; i < masters * (1 + replicas); i++) {
                cluster.nodes.add(TestRedis.start(options()));
            }
            cluster.join();
            return cluster;
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    private static TestRedis.Options options() {
        return TestRedis.Options.standalone()
                .with(
                        "cluster-enabled yes",
                        "cluster-port " + RedisConf.freePort(),
                        "cluster-announce-ip 127.0.0.1",
                        "cluster-node-timeout 1000",
                        "cluster-replica-validity-factor 0",
                        // a replica takes over although the AOF of the dead one may have had more
                        "cluster-require-full-coverage no",
                        "cluster-migration-barrier 10",
                        "repl-diskless-sync-delay 0");
    }

    private void join() {
        TestRedis first = nodes.get(0);
        for (int i = 0; i < nodes.size(); i++) {
            // so that no two begin with the same one, which would have to be settled first
            nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            if (i < masters) {
                int from = Keys.SLOTS * i / masters;
                int to = Keys.SLOTS * (i + 1) / masters - 1;
                nodes.get(i).command("CLUSTER", "ADDSLOTSRANGE", Integer.toString(from), Integer.toString(to));
            }
            if (i > 0) {
                String bus = busPort(nodes.get(i));
                first.command(
                        "CLUSTER",
                        "MEET",
                        "127.0.0.1",
                        Integer.toString(nodes.get(i).port()),
                        bus);
            }
        }
        TestRedis.await("all nodes know each other", () -> nodes.stream()
                .allMatch(node -> info(node).contains("cluster_known_nodes:" + nodes.size() + "\r")));
        for (int i = masters; i < nodes.size(); i++) {
            TestRedis replica = nodes.get(i);
            String master = id(nodes.get(i % masters));
            TestRedis.await("its master known", () -> isDone(() -> replica.command("CLUSTER", "REPLICATE", master)));
        }
        awaitWhole();
    }

    /** Waits until every living node has a whole table and every replica is up to date. */
    public void awaitWhole() {
        for (TestRedis node : nodes) {
            if (node.isRunning()) {
                TestRedis.await("cluster whole", () -> isWhole(node));
            }
        }
    }

    private static boolean isWhole(TestRedis node) {
        String info = info(node);
        String replication = node.command("INFO", "replication").toString();
        return info.contains("cluster_state:ok")
                && info.contains("cluster_slots_ok:" + Keys.SLOTS)
                && (replication.contains("role:master") || replication.contains("master_link_status:up"));
    }

    private static String info(TestRedis node) {
        return node.command("CLUSTER", "INFO").toString();
    }

    private static String busPort(TestRedis node) {
        return ((List<?>) node.command("CONFIG", "GET", "cluster-port")).get(1).toString();
    }

    private static String id(TestRedis node) {
        return node.command("CLUSTER", "MYID").toString();
    }

    private static boolean isDone(Runnable command) {
        try {
            command.run();
            return true;
        } catch (RespClient.ErrorReply e) {
            return false;
        }
    }

    /** Some of the nodes, as settings have them. */
    public String url() {
        return nodes.stream().map(TestRedis::url).collect(Collectors.joining(","));
    }

    public Settings.Redis settings() {
        return Settings.defaults().redis().withUrl(url()).withTopology(new Settings.Topology(Mode.CLUSTER, null, null));
    }

    public List<TestRedis> nodes() {
        return nodes;
    }

    /** The master that has the slot, as a living master tells; a replica may have heard of a change only later. */
    public TestRedis masterOf(int slot) {
        for (TestRedis node : masters()) {
            for (Object range : (List<?>) node.command("CLUSTER", "SLOTS")) {
                List<?> fields = (List<?>) range;
                if ((long) fields.get(0) <= slot && slot <= (long) fields.get(1)) {
                    return byPort((long) ((List<?>) fields.get(2)).get(1));
                }
            }
        }
        throw new AssertionError("nobody has slot " + slot);
    }

    /** A replica of the master. */
    public TestRedis replicaOf(TestRedis master) {
        String port = "master_port:" + master.port() + "\r";
        return nodes.stream()
                .filter(node -> node != master && node.isRunning())
                .filter(node -> node.command("INFO", "replication").toString().contains(port))
                .findFirst()
                .orElseThrow();
    }

    /** The masters, as living nodes tell of themselves. */
    public List<TestRedis> masters() {
        return nodes.stream()
                .filter(TestRedis::isRunning)
                .filter(node -> node.command("INFO", "replication").toString().contains("role:master"))
                .toList();
    }

    private TestRedis byPort(long port) {
        return nodes.stream().filter(node -> node.port() == port).findFirst().orElseThrow();
    }

    /** Sends a command to the node that has its key, the second word; KEYS to all masters. */
    public Object commandBytes(byte[]... words) {
        String key = new String(words[1], StandardCharsets.ISO_8859_1);
        if (new String(words[0], StandardCharsets.US_ASCII).equals("KEYS")) {
            return masters().stream()
                    .flatMap(node -> ((List<?>) node.commandBytes(words)).stream())
                    .collect(Collectors.toList());
        }
        return masterOf(slotOf(key)).commandBytes(words);
    }

    public Object command(String... words) {
        return masterOf(slotOf(words[1])).command(words);
    }

    public static int slotOf(String key) {
        return Keys.slot(key.substring(key.indexOf('{') + 1, key.indexOf('}')));
    }

    public static int slotOf(String namespace, int bucket, int buckets) {
        return new Keys(namespace, buckets).slotOf(bucket);
    }

    /** A slot on its way from one master to another. */
    public final class Move {
        public final int slot;
        public final TestRedis from;
        public final TestRedis to;

        private Move(int slot, TestRedis from, TestRedis to) {
            this.slot = slot;
            this.from = from;
            this.to = to;
            to.command("CLUSTER", "SETSLOT", text(), "IMPORTING", id(from));
            from.command("CLUSTER", "SETSLOT", text(), "MIGRATING", id(to));
        }

        private String text() {
            return Integer.toString(slot);
        }

        /** Moves so many keys. Returns whether any were left. */
        public boolean step(int count) {
            List<?> keys = (List<?>) from.command("CLUSTER", "GETKEYSINSLOT", text(), Integer.toString(count));
            if (keys.isEmpty()) {
                return false;
            }
            move(keys.stream().map(Objects::toString).toList());
            return true;
        }

        public void move(List<String> keys) {
            List<String> words = new ArrayList<>(
                    List.of("MIGRATE", "127.0.0.1", Integer.toString(to.port()), "", "0", "5000", "KEYS"));
            words.addAll(keys);
            from.command(words.toArray(String[]::new));
        }

        /** Moves what is left and gives the slot to its new master. */
        public void finish() {
            while (step(KEYS_A_STEP)) {
                // until nothing is left
            }
            to.command("CLUSTER", "SETSLOT", text(), "NODE", id(to));
            from.command("CLUSTER", "SETSLOT", text(), "NODE", id(to));
            for (TestRedis node : masters()) {
                if (node != to && node != from) {
                    isDone(() -> node.command("CLUSTER", "SETSLOT", text(), "NODE", id(to)));
                }
            }
        }
    }

    /** Begins to move a slot to another master. */
    public Move move(int slot, TestRedis to) {
        return new Move(slot, masterOf(slot), to);
    }

    @Override
    public void close() {
        for (TestRedis node : nodes) {
            try {
                node.close();
            } catch (UncheckedIOException e) {
                // it was being restarted; the others are to be closed too
            }
        }
    }
}
