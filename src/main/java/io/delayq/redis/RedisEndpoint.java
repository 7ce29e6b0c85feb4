package io.delayq.redis;

import io.delayq.config.Settings;
import io.delayq.config.Settings.Mode;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.redis.client.ProtocolVersion;
import io.vertx.redis.client.RedisOptions;
import java.util.List;

/** Where Redis is and how patient we are with it. */
public final class RedisEndpoint {
    private final Settings.Redis settings;
    private final TrustOptions trust;
    private final KnownMaster known = new KnownMaster();

    /** Trusts whom Java trusts. */
    public RedisEndpoint(Settings.Redis settings) {
        this(settings, null);
    }

    /** @param trust null: whom Java trusts */
    public RedisEndpoint(Settings.Redis settings, TrustOptions trust) {
        this.settings = settings;
        this.trust = trust;
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
        return settings.redacted();
    }

    List<String> urls() {
        return settings.urls();
    }

    RedisOptions options() {
        return options(settings.url());
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
                .setConnectionString(url)
                .setNetClientOptions(net)
                .setPreferredProtocolVersion(ProtocolVersion.RESP2)
                .setMaxPoolSize(1)
                .setMaxPoolWaiting(1)
                .setPoolCleanerInterval(-1)
                .setPoolRecycleTimeout(-1)
                .setMaxWaitingHandlers(callLimit() + 16);
    }
}
