package io.delayq.redis;

import io.delayq.config.Settings;
import io.delayq.config.Settings.Mode;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.redis.client.ProtocolVersion;
import io.vertx.redis.client.RedisOptions;
import java.net.URI;
import java.util.List;
import java.util.stream.IntStream;

/** Where Redis is and how patient we are with it. */
public final class RedisEndpoint {
    /** What has all the buckets. */
    static final String ALONE = "1/1";

    private static final int DEFAULT_PORT = 6379;

    private final Settings.Redis settings;
    private final TrustOptions trust;
    private final Sockets sockets;
    private final KnownMaster known = new KnownMaster();
    /** Null unless it is a cluster. */
    private final ClusterNodes nodes;
    /** Null: the one that is set, or any of a cluster's. */
    private final String address;
    /** Those that share the buckets, in turn; this one alone if it has them all. */
    private final List<RedisEndpoint> shards;
    /** Which of them this is, {@code 1/2}: the first of two. */
    private final String shard;

    /** Trusts whom Java trusts. */
    public RedisEndpoint(Settings.Redis settings) {
        this(settings, null);
    }

    /** @param trust null: whom Java trusts */
    public RedisEndpoint(Settings.Redis settings, TrustOptions trust) {
        this(settings, trust, Sockets.NONE);
    }

    /** @param sockets nearer ways than the network to some */
    public RedisEndpoint(Settings.Redis settings, TrustOptions trust, Sockets sockets) {
        this(
                settings,
                trust,
                sockets,
                settings.mode() == Mode.CLUSTER ? new ClusterNodes(addresses(settings)) : null,
                null,
                ALONE);
    }

    private RedisEndpoint(
            Settings.Redis settings,
            TrustOptions trust,
            Sockets sockets,
            ClusterNodes nodes,
            String address,
            String shard) {
        this.settings = settings;
        this.trust = trust;
        this.sockets = sockets;
        this.nodes = nodes;
        this.address = address;
        this.shard = shard;
        this.shards = settings.mode() == Mode.SHARDS ? shards(settings, trust, sockets) : List.of(this);
    }

    private static List<RedisEndpoint> shards(Settings.Redis settings, TrustOptions trust, Sockets sockets) {
        List<String> urls = settings.urls();
        return IntStream.range(0, urls.size())
                .mapToObj(i -> new RedisEndpoint(
                        settings.withShard(urls.get(i)), trust, sockets, null, null, (i + 1) + "/" + urls.size()))
                .toList();
    }

    /** The servers that know nothing of each other: bucket b is on that of number b modulo their number. */
    List<RedisEndpoint> shards() {
        return shards;
    }

    /** Which of them this is. */
    String shard() {
        return shard;
    }

    /** Whether keys that are in no bucket may be elsewhere than a bucket. */
    boolean isSpread() {
        return isCluster() || shards.size() > 1;
    }

    /** That node of the cluster. */
    RedisEndpoint at(String node) {
        return new RedisEndpoint(settings, trust, sockets, nodes, node, ALONE);
    }

    boolean isCluster() {
        return nodes != null;
    }

    ClusterNodes nodes() {
        return nodes;
    }

    private static List<String> addresses(Settings.Redis settings) {
        return settings.urls().stream()
                .map(URI::create)
                .map(uri -> uri.getHost() + ":" + (uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort()))
                .toList();
    }

    /** Where to connect if no master is sought; with the next node's address if any will do. */
    String url() {
        if (nodes == null) {
            return settings.url();
        }
        URI first = URI.create(settings.urls().get(0));
        String user = first.getRawUserInfo() == null ? "" : first.getRawUserInfo() + "@";
        return first.getScheme() + "://" + user + (address == null ? nodes.next() : address);
    }

    Settings.Topology topology() {
        return settings.topology();
    }

    /** Whether the master may be now this node and now that one, and has to be looked for. */
    boolean isMasterSought() {
        return settings.mode() == Mode.SENTINEL || settings.mode() == Mode.REPLICATION;
    }

    /** What all connections that were made with this endpoint know of the master. */
    KnownMaster known() {
        return known;
    }

    Settings.Durability durability() {
        return settings.durability();
    }

    boolean mayEvict() {
        return settings.allowEviction();
    }

    long tryMillis() {
        return settings.tryMillis();
    }

    public long deadlineMillis() {
        return settings.deadlineMillis();
    }

    int callLimit() {
        return Math.min(1_000, settings.queue());
    }

    public int queue() {
        return settings.queue();
    }

    String redacted() {
        return address == null ? settings.redacted() : address;
    }

    List<String> urls() {
        return settings.urls();
    }

    /** Not where a master is sought: {@link MasterFinder} says where that is. */
    RedisOptions options() {
        return options(url());
    }

    RedisOptions options(String url) {
        NetClientOptions net = new NetClientOptions()
                .setConnectTimeout((int) settings.tryMillis())
                .setTcpNoDelay(true);
        if (url.startsWith("rediss:")) {
            net.setSsl(true).setHostnameVerificationAlgorithm("HTTPS").setTrustOptions(trust);
        }
        // one connection, held for good: the pool must neither recycle nor share it. RESP2, because the client hands a
        // RESP3 push message to whoever waits for an answer
        return new RedisOptions()
                .setConnectionString(sockets.nearest(url))
                .setNetClientOptions(net)
                .setPreferredProtocolVersion(ProtocolVersion.RESP2)
                .setMaxPoolSize(1)
                .setMaxPoolWaiting(1)
                .setPoolCleanerInterval(-1)
                .setPoolRecycleTimeout(-1)
                .setMaxWaitingHandlers(callLimit() + 16);
    }
}
