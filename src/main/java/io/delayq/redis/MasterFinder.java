package io.delayq.redis;

import io.delayq.config.Settings.Mode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.net.URI;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Says where the master is, anew for each connection: whoever knew it a moment ago may have died with it. Sentinels are
 * asked one after the other, the one that could say it last time first; without them every node is asked for its role.
 * Each question has a connection of its own, which is closed whatever comes of it.
 */
final class MasterFinder {
    /** A node that is frozen must not use up the time in which another one could have answered. */
    private static final long ASK_MILLIS = 300;

    private final Vertx vertx;
    private final RedisEndpoint endpoint;
    private final List<String> urls;
    private int asked;

    /** What a node says of itself when it is a master. */
    private record Claim(String url, int replicas, long offset) {}

    MasterFinder(Vertx vertx, RedisEndpoint endpoint) {
        this.vertx = vertx;
        this.endpoint = endpoint;
        this.urls = endpoint.urls();
    }

    /** The address of the node to connect to, with its credentials. */
    Future<String> find() {
        Mode mode = endpoint.topology().mode();
        if (mode == Mode.SENTINEL) {
            return bySentinels(urls.size());
        }
        return mode == Mode.REPLICATION ? byRoles() : Future.succeededFuture(endpoint.url());
    }

    /** The node that was found last did not work out: another sentinel may know better. */
    void distrust() {
        endpoint.known().pass(asked);
    }

    /** Fails unless the node says itself that it is the master. */
    static Future<RedisConnection> confirmed(RedisConnection connection) {
        return connection.send(Request.cmd(Command.ROLE)).map(role -> {
            if (!isMaster(role)) {
                throw new NoMaster("the node is no master");
            }
            return connection;
        });
    }

    private Future<String> bySentinels(int left) {
        asked = endpoint.known().turn();
        int mine = asked;
        RedisOptions options = sentinel(urls.get(Math.floorMod(mine, urls.size())));
        Request question = Request.cmd(Command.SENTINEL)
                .arg("GET-MASTER-ADDR-BY-NAME")
                .arg(endpoint.topology().master());
        return ask(options, question)
                .map(address -> {
                    if (address == null) {
                        throw new NoMaster(
                                "no master is called " + endpoint.topology().master());
                    }
                    return at(address.get(0).toString(), address.get(1).toInteger());
                })
                .recover(error -> {
                    endpoint.known().pass(mine);
                    return left > 1 ? bySentinels(left - 1) : Future.failedFuture(error);
                });
    }

    /** The sentinels have a password of their own, and no databases. */
    private RedisOptions sentinel(String url) {
        URI uri = URI.create(url);
        return endpoint.options(uri.getScheme() + "://" + bracketed(uri.getHost()) + ":" + port(uri, 26379))
                .setPassword(endpoint.topology().sentinelPassword());
    }

    /** Of two that claim it the one with more replicas, for an old one that came back has none. */
    private Future<String> byRoles() {
        List<Future<Claim>> answers = urls.stream()
                .map(url -> ask(endpoint.options(url), Request.cmd(Command.ROLE))
                        .map(role -> isMaster(role)
                                ? new Claim(url, role.get(2).size(), role.get(1).toLong())
                                : null))
                .toList();
        return Future.join(answers).transform(all -> answers.stream()
                .filter(Future::succeeded)
                .map(Future::result)
                .filter(Objects::nonNull)
                .max(Comparator.comparingInt(Claim::replicas).thenComparingLong(Claim::offset))
                .map(claim -> Future.succeededFuture(claim.url))
                .orElseGet(() -> Future.failedFuture(
                        answers.stream().allMatch(Future::failed)
                                ? all.cause()
                                : new NoMaster("no node is a master"))));
    }

    private Future<Response> ask(RedisOptions options, Request question) {
        Redis client = Redis.createClient(vertx, options);
        return client.connect()
                .compose(connection -> connection.send(question))
                .timeout(Math.min(ASK_MILLIS, endpoint.tryMillis()), TimeUnit.MILLISECONDS)
                .onComplete(done -> client.close());
    }

    private static boolean isMaster(Response role) {
        return role.get(0).toString().equals("master");
    }

    /** With the scheme, credentials and database that are set. */
    private String at(String host, int port) {
        URI set = URI.create(urls.get(0));
        String user = set.getRawUserInfo() == null ? "" : set.getRawUserInfo() + "@";
        return set.getScheme() + "://" + user + bracketed(host) + ":" + port + set.getRawPath();
    }

    private static int port(URI uri, int otherwise) {
        return uri.getPort() < 0 ? otherwise : uri.getPort();
    }

    private static String bracketed(String host) {
        return host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    }
}
