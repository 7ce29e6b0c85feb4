package io.delayq.http;

import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.Router;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * The port, with limits on what a client may take up: the headers of a request must be there in time, counted from the
 * connection or from their first byte. Requests that are under way and WebSockets are none of its business. Owned by one
 * event loop.
 */
public final class Listener {
    private static final int MAX_HEADER_BYTES = 8 * 1024;
    private static final int MAX_LINE_BYTES = 4 * 1024;
    /** Longer than a request may wait for jobs; ends connections whose client does not read its answer. */
    private static final long LONGEST_SILENCE_MILLIS = 75_000;

    private static final long ANSWER_MILLIS = 15_000;

    private static final String SUBPROTOCOL = "delayq.v1.json";
    private static final int WEBSOCKET_CLOSING_SECONDS = 2;
    private static final int LOOKS = 20;

    private final Vertx vertx;
    private final Settings.Http settings;
    private final int maxConnections;
    private final Map<HttpConnection, Guest> guests = new HashMap<>();
    private final long lookMillis;
    private IntConsumer statuses = status -> {};
    private long silenceMillis = LONGEST_SILENCE_MILLIS;
    private HttpServer server;
    private long timer = -1;

    /** What is known of one connection. */
    private static final class Guest {
        /** WebSockets stay so for ever. */
        int underWay;
        /** Something of the next request is there; of the first one as good as. */
        boolean begun = true;
        /** When the headers of its next request must be there, while none is under way. */
        long deadline;
    }

    /** @param instances how many listeners share the port and its limit on connections */
    public Listener(Vertx vertx, Settings.Http settings, int instances) {
        this.vertx = vertx;
        this.settings = settings;
        this.maxConnections = Math.max(1, settings.maxConnections() / instances);
        this.lookMillis = Math.max(1, Math.min(settings.headerMillis(), settings.idleMillis()) / LOOKS);
    }

    /** For requests that are held without an answer for so long. */
    public Listener holding(long millis) {
        silenceMillis = Math.max(silenceMillis, millis + ANSWER_MILLIS);
        return this;
    }

    /** @param status told of every answer */
    public Listener telling(IntConsumer status) {
        statuses = status;
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
        if (settings.tls() != null) {
            options.setSsl(true)
                    .setKeyCertOptions(TlsFiles.options(settings.tls()))
                    .setUseAlpn(false)
                    .setSslHandshakeTimeout(settings.headerMillis())
                    .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS);
        }
        Router router = api.router();
        server = vertx.createHttpServer(options)
                .connectionHandler(this::connected)
                .invalidRequestHandler(api::invalid)
                .requestHandler(request -> {
                    spoke(request);
                    router.handle(request);
                });
        return server.listen().onSuccess(listening -> lookLater());
    }

    public int actualPort() {
        return server.actualPort();
    }

    public Future<Void> close() {
        vertx.cancelTimer(timer);
        return server.close();
    }

    private void connected(HttpConnection connection) {
        if (guests.size() >= maxConnections) {
            connection.close();
            return;
        }
        Guest guest = new Guest();
        guest.deadline = now() + Math.min(settings.headerMillis(), settings.idleMillis());
        guests.put(connection, guest);
        ConnectionBase base = (ConnectionBase) connection;
        FirstByte.of(base.channel().pipeline(), () -> heard(guest));
        // the channel's end, not the connection's: that is not told of an upgrade to a WebSocket
        base.closeFuture().onComplete(closed -> guests.remove(connection));
    }

    private void heard(Guest guest) {
        if (guest.underWay == 0 && !guest.begun) {
            guest.begun = true;
            guest.deadline = now() + settings.headerMillis();
        }
    }

    /** The headers of a request are here. From its answer on the connection may idle. */
    private void spoke(HttpServerRequest request) {
        Guest guest = guests.get(request.connection());
        if (guest != null) {
            guest.underWay++;
            guest.begun = false;
            request.response().endHandler(answered -> {
                statuses.accept(request.response().getStatusCode());
                guest.underWay--;
                guest.deadline = now() + settings.idleMillis();
            });
        }
    }

    /** One timer for all: one for each connection would have to be set anew with each request. */
    private void lookLater() {
        timer = vertx.setTimer(lookMillis, fired -> {
            long now = now();
            List<HttpConnection> late = new ArrayList<>();
            guests.forEach((connection, guest) -> {
                if (guest.underWay == 0 && guest.deadline <= now) {
                    late.add(connection);
                }
            });
            late.forEach(HttpConnection::close);
            lookLater();
        });
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }
}
