package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Which master has which slot, as one node of the cluster told it. */
final class SlotTable {
    private final String[] owners = new String[Keys.SLOTS];
    private final Set<String> nodes = new LinkedHashSet<>();

    private SlotTable() {}

    /** The address of the slot's master; null if it has none. */
    String owner(int slot) {
        return owners[slot];
    }

    /** Masters and replicas. */
    Set<String> nodes() {
        return nodes;
    }

    List<String> masters() {
        return Arrays.stream(owners).filter(Objects::nonNull).distinct().toList();
    }

    /** How many slots no master has. */
    int uncovered() {
        return (int) Arrays.stream(owners).filter(Objects::isNull).count();
    }

    /** Asks the first of the nodes that answers. */
    static Future<SlotTable> ask(Vertx vertx, RedisEndpoint endpoint, List<String> addresses) {
        Future<SlotTable> first = ask(vertx, endpoint, addresses.get(0));
        return addresses.size() == 1
                ? first
                : first.recover(error -> ask(vertx, endpoint, addresses.subList(1, addresses.size())));
    }

    /** Asks one node, over a connection of its own that is closed again. */
    private static Future<SlotTable> ask(Vertx vertx, RedisEndpoint endpoint, String address) {
        RedisEndpoint node = endpoint.at(address);
        Redis client = Redis.createClient(vertx, node.options());
        return client.connect()
                .compose(connection ->
                        connection.send(Request.cmd(Command.CLUSTER).arg("SLOTS")))
                .timeout(node.tryMillis(), TimeUnit.MILLISECONDS)
                .map(answer -> read(answer, host(address)))
                .eventually(client::close);
    }

    /** @param asked the host that answers, for nodes whose host is not told: they are where it is */
    static SlotTable read(Response answer, String asked) {
        SlotTable table = new SlotTable();
        for (Response range : answer) {
            String master = address(range.get(2), asked);
            for (int slot = range.get(0).toInteger(); slot <= range.get(1).toInteger(); slot++) {
                table.owners[slot] = master;
            }
            for (int i = 2; i < range.size(); i++) {
                table.nodes.add(address(range.get(i), asked));
            }
        }
        // one that was just set up, or has lost its memory
        if (table.nodes.isEmpty()) {
            throw new IllegalArgumentException("the node knows of no slots");
        }
        return table;
    }

    private static String address(Response node, String asked) {
        String host = node.get(0) == null ? "" : node.get(0).toString();
        return address(
                host.isEmpty() || host.equals("?") ? asked : host, node.get(1).toString());
    }

    /** The address in "MOVED slot host:port". */
    static String moved(String text, String from) {
        String to = text.split(" ", 3)[2];
        int colon = to.lastIndexOf(':');
        return address(colon == 0 ? host(from) : to.substring(0, colon), to.substring(colon + 1));
    }

    private static String address(String host, String port) {
        return (host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host) + ":" + port;
    }

    private static String host(String address) {
        return address.substring(0, address.lastIndexOf(':'));
    }
}
