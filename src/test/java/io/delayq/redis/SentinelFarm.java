package io.delayq.redis;

import io.delayq.config.Settings;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A master, its replicas and three sentinels that watch them, all ready for a failover. */
public final class SentinelFarm implements AutoCloseable {
    public static final String USER = "app";
    public static final String PASSWORD = "p@ss";
    private static final String SENTINEL_PASSWORD = "s3ntinel";
    private static final int SENTINELS = 3;
    private static final int SOON_MILLIS = 100;
    private static final int USUAL_MILLIS = 2_000;
    private static final int NEVER_MILLIS = 600_000;

    public final TestRedis master;
    public final List<TestRedis> replicas = new ArrayList<>();
    public final List<TestSentinel> sentinels = new ArrayList<>();

    /** @param masterPort where the replicas find the master, 0: where it is */
    public SentinelFarm(TestRedis master, int replicaCount, int masterPort) {
        this.master = master;
        allow(master, PASSWORD);
        for (int i = 0; i < replicaCount; i++) {
            TestRedis replica = replica(master.port());
            replicas.add(replica);
            allow(replica, PASSWORD);
        }
        replicas.forEach(SentinelFarm::awaitLinked);
        for (int i = 0; i < SENTINELS; i++) {
            sentinels.add(new TestSentinel(master.port(), 2, SENTINEL_PASSWORD));
        }
        sentinels.forEach(sentinel -> sentinel.tellEvery(SOON_MILLIS));
        sentinels.forEach(sentinel ->
                TestRedis.await("a sentinel that knows all", () -> sentinel.knows(replicaCount, SENTINELS - 1)));
        if (masterPort != 0) {
            // a replica that follows the master by way of something else is made to follow it directly after four times
            // that
            sentinels.forEach(sentinel -> sentinel.tellEvery(NEVER_MILLIS));
            replicas.forEach(replica -> replica.command("REPLICAOF", "127.0.0.1", Integer.toString(masterPort)));
            replicas.forEach(SentinelFarm::awaitLinked);
        } else {
            sentinels.forEach(sentinel -> sentinel.tellEvery(USUAL_MILLIS));
        }
    }

    public static TestRedis master() {
        return TestRedis.start(
                TestRedis.Options.standalone().with("repl-diskless-sync-delay 0", "repl-ping-replica-period 1"));
    }

    public static TestRedis replica(int masterPort) {
        return TestRedis.start(TestRedis.Options.standalone()
                .with("repl-diskless-sync-delay 0", "repl-ping-replica-period 1", "replicaof 127.0.0.1 " + masterPort));
    }

    public static void awaitLinked(TestRedis replica) {
        TestRedis.await(
                "a replica that is up to date",
                () -> replica.command("INFO", "replication").toString().contains("master_link_status:up"));
    }

    public static boolean isMaster(TestRedis redis) {
        try {
            return ((List<?>) redis.command("ROLE")).get(0).equals("master");
        } catch (UncheckedIOException e) {
            // sentinels cut the connections of a node whose role they change
            return false;
        }
    }

    /** The user that the server comes as has this password from now on. */
    public static void allow(TestRedis redis, String password) {
        redis.command("ACL", "SETUSER", USER, "on", "resetpass", ">" + password, "~*", "&*", "+@all");
    }

    /** For a server that asks the sentinels. */
    public Settings.Redis settings(Settings.Redis defaults) {
        String urls = sentinels.stream()
                .map(sentinel -> "redis://" + USER + ":p%40ss@127.0.0.1:" + sentinel.port())
                .collect(Collectors.joining(","));
        return defaults.withUrl(urls)
                .withTopology(new Settings.Topology(Settings.Mode.SENTINEL, "mymaster", SENTINEL_PASSWORD));
    }

    @Override
    public void close() {
        sentinels.forEach(TestSentinel::close);
        replicas.forEach(TestRedis::close);
        master.close();
    }
}
