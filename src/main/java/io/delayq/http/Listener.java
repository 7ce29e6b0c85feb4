package io.delayq.http;

import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The port, with limits on what a client may take up. Owned by one event loop. */
public final class Listener {
    private static final int MAX_HEADER_BYTES = 8 * 1024;
    private static final int MAX_LINE_BYTES = 4 * 1024;

    private static final String SUBPROTOCOL = "delayq.v1.json";
    private static final int WEBSOCKET_CLOSING_SECONDS = 2;

    private final Vertx vertx;
    private final Settings.Http settings;
    private final int maxConnections;
    private final Map<HttpConnection, Long> silent = new HashMap<>();
    private HttpServer server;
    private int connections;

    /** @param instances how many listeners share the port and its limit on connections */
    public Listener(Vertx vertx, Settings.Http settings, int instances) {
        this.vertx = vertx;
        this.settings = settings;
        this.maxConnections = Math.max(1, settings.maxConnections() / instances);
    }

    public Future<?> listen(Api api, int port) {
        HttpServerOptions options = new HttpServerOptions()
                .setHost(settings.host())
                .setPort(port)
                .setMaxHeaderSize(MAX_HEADER_BYTES)
                .setMaxInitialLineLength(MAX_LINE_BYTES)
                .setIdleTimeout((int) settings.idleMillis())
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
                .invalidRequestHandler(api::invalid)
                .requestHandler(request -> {
                    spoke(request.connection());
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
        if (connections >= maxConnections) {
            connection.close();
            return;
        }
        connections++;
        silent.put(connection, vertx.setTimer(settings.headerMillis(), timer -> connection.close()));
        connection.closeHandler(closed -> {
            connections--;
            spoke(connection);
        });
    }

    /** The first headers are here; the idle time-out does the rest. */
    private void spoke(HttpConnection connection) {
        Long timer = silent.remove(connection);
        if (timer != null) {
            vertx.cancelTimer(timer);
        }
    }
}
