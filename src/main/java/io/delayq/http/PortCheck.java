package io.delayq.http;

import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.HashSet;

/**
 * Whether the port can be had, asked before anything is started that a refusal would leave in vain. Fails with a message
 * for whoever starts the server. The port is free again afterwards, so another program may still be faster.
 */
public final class PortCheck {
    private static final int FIRST_FOR_ALL = 1024;

    private PortCheck() {}

    public static Future<Void> run(Vertx vertx, Settings settings) {
        return vertx.executeBlocking(() -> {
            bind(settings.http().host(), settings.http().port(), new Names("http.host", "http.port"));
            for (Settings.Address own :
                    new HashSet<>(settings.frontEnds().listen().values())) {
                bind(own.host(), own.port(), new Names("compatListen", "compatListen"));
            }
            return null;
        });
    }

    /** What an address is set by. */
    private record Names(String host, String port) {}

    private static void bind(String host, int port, Names names) throws IOException {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new UnknownHostException(
                    names.host + " " + host + " is not known; expected an address of this machine");
        }
        try (ServerSocket socket = new ServerSocket()) {
            // as the server itself does: connections of an earlier one that are not yet over do not count
            socket.setReuseAddress(true);
            socket.bind(address);
        } catch (SocketException e) {
            throw new BindException(refused(address, host, names, e));
        }
    }

    private static String refused(InetSocketAddress address, String host, Names names, SocketException e) {
        String place = (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
        String why = String.valueOf(e.getMessage());
        if (why.contains("in use")) {
            return place + " is in use by another program; stop it, or choose another with --" + names.port;
        }
        if (why.contains("assign")) {
            return names.host + " " + host + " is no address of this machine; choose another with --" + names.host;
        }
        return why.contains("ermission") && address.getPort() < FIRST_FOR_ALL
                ? place + " may not be used by this user; choose a port from " + FIRST_FOR_ALL + " on with --"
                        + names.port
                : place + " cannot be used: " + why + "; choose another with --" + names.host + " or --" + names.port;
    }
}
