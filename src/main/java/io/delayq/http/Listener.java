package io.delayq.http;

import io.delayq.config.Settings;
import io.delayq.ops.AccessLog;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.Router;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The port, with limits on what a client may take up. Owned by one event loop. */
public final class Listener {
    private static final int MAX_HEADER_BYTES = 8 * 1024;
    private static final int MAX_LINE_BYTES = 4 * 1024;
    /** Longer than a request may wait for jobs; ends connections whose client does not read its answer. */
    private static final long LONGEST_SILENCE_MILLIS = 75_000;

    private static final long ANSWER_MILLIS = 15_000;

    private static final String SUBPROTOCOL = "delayq.v1.json";
    private static final int WEBSOCKET_CLOSING_SECONDS = 2;

    private final Vertx vertx;
    private final Settings.Http settings;
    private final int maxConnections;
    private final Map<HttpConnection, Guest> guests = new HashMap<>();
    private long silenceMillis = LONGEST_SILENCE_MILLIS;
    private HttpServer server;

    /** What is known of one connection. */
    private static final class Guest {
        int underWay;
        /** When the headers of its next request must be there, while none is under way. */
        long deadline;

        long timer;
    }

    /** @param instances how many listeners share the port and its limit on connections */
    public Listener(Vertx vertx, Settings.Http settings, int instances) {
        this.vertx = vertx;
        this.settings = settings;
        this.maxConnections = Math.max(1, settings.maxConnections() / instances);
    }

    /** For requests that are held without an answer for so long. */
    public Listener holding(long millis) {
        silenceMillis = Math.max(silenceMillis, millis + ANSWER_MILLIS);
        return this;
    }

    public Future<?> listen(Api api, int port) {
        HttpServerOptions options = new HttpServerOptions()
                .setHost(settings.host())
                .setPort(port)
                .setMaxHeaderSize(MAX_HEADER_BYTES)
                .setMaxInitialLineLength(MAX_LINE_BYTES)
                .setIdleTimeout((int) Math.max(settings.idleMillis(), silenceMillis))
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setHandle100ContinueAutomatically(true)
                .setHttp2ClearTextEnabled(false)
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setWebSocketSubProtocols(List.of(SUBPROTOCOL))
                .setMaxWebSocketFrameSize(Visitor.MAX_MESSAGE)
                .setMaxWebSocketMessageSize(Visitor.MAX_MESSAGE)
                .setWebSocketClosingTimeout(WEBSOCKET_CLOSING_SECONDS)
                .setTcpNoDelay(true)
                .setAcceptBacklog(1024);
        Router router = api.router();
        server = vertx.createHttpServer(options)
                .connectionHandler(this::connected)
                .invalidRequestHandler(request -> {
                    AccessLog.Line line = AccessLog.begin(request);
                    request.response().endHandler(answered -> line.end());
                    api.invalid(request);
                })
                .requestHandler(request -> {
                    spoke(request);
                    router.handle(request);
                });
        return server.listen();
    }

    public int actualPort() {
        return server.actualPort();
    }

    public Future<Void> close() {
        return server.close();
    }

    private void connected(HttpConnection connection) {
        if (guests.size() >= maxConnections) {
            connection.close();
            return;
        }
        Guest guest = new Guest();
        guest.deadline = now() + settings.headerMillis();
        guests.put(connection, guest);
        arm(connection, guest, Math.min(settings.headerMillis(), settings.idleMillis()));
        // the channel's end, not the connection's: that is not told of an upgrade to a WebSocket
        ((ConnectionBase) connection).closeFuture().onComplete(closed -> {
            guests.remove(connection);
            vertx.cancelTimer(guest.timer);
        });
    }

    /** The headers of a request are here. From its answer on the connection may idle. */
    private void spoke(HttpServerRequest request) {
        AccessLog.Line line = AccessLog.begin(request);
        Guest guest = guests.get(request.connection());
        if (guest != null) {
            guest.underWay++;
            request.response().endHandler(answered -> {
                line.end();
                guest.underWay--;
                guest.deadline = now() + settings.idleMillis();
            });
        }
    }

    /** One timer for each connection, set again when it fires rather than with each request. */
    private void arm(HttpConnection connection, Guest guest, long millis) {
        guest.timer = vertx.setTimer(millis, fired -> {
            long left = guest.underWay > 0 ? settings.idleMillis() : guest.deadline - now();
            if (left > 0) {
                arm(connection, guest, left);
            } else {
                connection.close();
            }
        });
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }
}
