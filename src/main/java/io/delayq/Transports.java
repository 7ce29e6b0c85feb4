package io.delayq;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.transport.Transport;

/**
 * How the server talks to sockets: by epoll where that is there, or as {@code -Ddelayq.transport} says. io_uring takes
 * more single requests a second, since what many connections have to send goes to the kernel in one call; it is not the
 * default as long as Netty still mends it.
 */
final class Transports {
    private static final String PROPERTY = "delayq.transport";

    private Transports() {}

    /** @throws IllegalArgumentException if what is asked for cannot be had here, with what can be done */
    static Vertx vertx(VertxOptions options) {
        String name = System.getProperty(PROPERTY);
        if (name == null) {
            return Vertx.vertx(options.setPreferNativeTransport(true));
        }
        return Vertx.builder().with(options).withTransport(named(name)).build();
    }

    private static Transport named(String name) {
        Transport transport =
                switch (name) {
                    case "io_uring" -> Transport.IO_URING;
                    case "epoll" -> Transport.EPOLL;
                    case "nio" -> Transport.NIO;
                    default ->
                        throw new IllegalArgumentException(
                                PROPERTY + ": expected io_uring, epoll or nio, found " + name);
                };
        if (transport == null || !transport.available()) {
            String why = transport == null || transport.unavailabilityCause() == null
                    ? ""
                    : " (" + transport.unavailabilityCause().getMessage() + ")";
            throw new IllegalArgumentException(
                    PROPERTY + ": " + name + " cannot be used on this machine" + why + "; leave it out");
        }
        return transport;
    }
}
