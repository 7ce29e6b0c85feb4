package io.delayq.redis;

import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Looks at a Redis without changing anything: for whoever wants to know whether it is fit for jobs. */
public final class RedisCheckup {
    /** How many entries a hash may have before Redis gives it a table. */
    public static final String LISTPACK = "hash-max-listpack-entries";

    private static final int PINGS = 10;
    private static final long LIMIT_MILLIS = 5_000;

    private RedisCheckup() {}

    /**
     * @param info what INFO says, by name, and some settings
     * @param clockMillis how far Redis's clock is ahead of ours
     * @param pingNanos round trips, shortest first
     */
    public record Facts(Map<String, String> info, long clockMillis, List<Long> pingNanos) {
        public Facts {
            info = Map.copyOf(info);
            pingNanos = pingNanos.stream().sorted().toList();
        }

        public String get(String name) {
            return info.getOrDefault(name, "");
        }
    }

    /**
     * Where an embedded Redis of a data directory is, with its password; empty if it does not run. Blocks briefly.
     *
     * @param number which of several, from 1
     */
    public static Optional<String> embedded(Path dataDir, int number) {
        return RedisConf.read(EmbeddedRedis.place(dataDir, number)).flatMap(conf -> {
            try {
                RedisProbe.ask(conf);
                return Optional.of(conf.url());
            } catch (IOException e) {
                return Optional.empty();
            }
        });
    }

    /**
     * A cluster as one of its nodes tells of it.
     *
     * @param masters their addresses
     * @param uncovered how many slots none of them has
     */
    public record Cluster(List<String> masters, int uncovered) {}

    /** @param settings with urls of a cluster */
    public static Future<Cluster> cluster(Vertx vertx, Settings.Redis settings) {
        return endpoint(vertx, settings)
                .compose(at -> SlotTable.ask(vertx, at, at.nodes().all()))
                .map(table -> new Cluster(table.masters(), table.uncovered()));
    }

    /** @param settings with a url */
    public static Future<Facts> look(Vertx vertx, Settings.Redis settings) {
        return endpoint(vertx, settings).compose(at -> look(vertx, at));
    }

    /** @param address of one node of the cluster that the settings name */
    public static Future<Facts> look(Vertx vertx, Settings.Redis settings, String address) {
        return endpoint(vertx, settings).compose(cluster -> look(vertx, cluster.at(address)));
    }

    private static Future<RedisEndpoint> endpoint(Vertx vertx, Settings.Redis settings) {
        Path ca = settings.ca();
        return ca == null
                ? Future.succeededFuture(new RedisEndpoint(settings))
                : vertx.executeBlocking(() -> new RedisEndpoint(settings, RedisTrust.load(ca)));
    }

    /** Where a master is sought, at that; else at the one that is set. */
    private static Future<Facts> look(Vertx vertx, RedisEndpoint endpoint) {
        return new MasterFinder(vertx, endpoint).find().compose(url -> look(vertx, endpoint, url));
    }

    private static Future<Facts> look(Vertx vertx, RedisEndpoint endpoint, String url) {
        Redis redis = Redis.createClient(vertx, endpoint.options(url));
        return redis.connect()
                .compose(RedisCheckup::facts)
                .timeout(LIMIT_MILLIS, TimeUnit.MILLISECONDS)
                .eventually(redis::close);
    }

    private static Future<Facts> facts(RedisConnection connection) {
        Map<String, String> info = new HashMap<>();
        List<Long> pings = new ArrayList<>();
        return connection
                .send(Request.cmd(Command.INFO))
                .compose(text -> {
                    info.putAll(read(text.toString()));
                    return ping(connection, pings);
                })
                .compose(done -> limits(connection, info))
                .compose(done -> RedisClock.aheadMillis(connection))
                .map(ahead -> new Facts(info, ahead, pings));
    }

    /** Not in INFO. A Redis that lets nobody ask for its settings is none the worse for it. */
    private static Future<Void> limits(RedisConnection connection, Map<String, String> info) {
        return connection
                .send(Request.cmd(Command.CONFIG).arg("GET").arg(LISTPACK))
                .onSuccess(answer -> {
                    if (answer.size() == 2) {
                        info.put(LISTPACK, answer.get(1).toString());
                    }
                })
                .transform(asked -> Future.succeededFuture());
    }

    private static Future<Void> ping(RedisConnection connection, List<Long> pings) {
        if (pings.size() == PINGS) {
            return Future.succeededFuture();
        }
        long began = System.nanoTime();
        return connection.send(Request.cmd(Command.PING)).compose(pong -> {
            pings.add(System.nanoTime() - began);
            return ping(connection, pings);
        });
    }

    /** What INFO says, by name. */
    static Map<String, String> read(String text) {
        Map<String, String> info = new HashMap<>();
        text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                info.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        return info;
    }
}
