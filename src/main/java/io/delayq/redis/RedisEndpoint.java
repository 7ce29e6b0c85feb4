package io.delayq.redis;

import io.delayq.config.Settings;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.redis.client.ProtocolVersion;
import io.vertx.redis.client.RedisOptions;

/** Where Redis is and how patient we are with it. */
public final class RedisEndpoint {
    private final Settings.Redis settings;
    private final TrustOptions trust;

    /** Trusts whom Java trusts. */
    public RedisEndpoint(Settings.Redis settings) {
        this(settings, null);
    }

    /** @param trust null: whom Java trusts */
    public RedisEndpoint(Settings.Redis settings, TrustOptions trust) {
        this.settings = settings;
        this.trust = trust;
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

    RedisOptions options() {
        NetClientOptions net = new NetClientOptions()
                .setConnectTimeout((int) settings.tryMillis())
                .setTcpNoDelay(true);
        if (settings.url().startsWith("rediss:")) {
            net.setSsl(true).setHostnameVerificationAlgorithm("HTTPS").setTrustOptions(trust);
        }
        // one connection, held for good: the pool must neither recycle nor share it. RESP2, because the client hands a
        // RESP3 push message to whoever waits for an answer
        return new RedisOptions()
                .setConnectionString(settings.url())
                .setNetClientOptions(net)
                .setPreferredProtocolVersion(ProtocolVersion.RESP2)
                .setMaxPoolSize(1)
                .setMaxPoolWaiting(1)
                .setPoolCleanerInterval(-1)
                .setPoolRecycleTimeout(-1)
                .setMaxWaitingHandlers(callLimit() + 16);
    }
}
