package io.delayq.client;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;

/** Opens WebSockets to the server. */
final class SocketMaker {
    private static final int MAX_MESSAGE = 1 << 20;
    private static final int MAX_SOCKETS = 1_000;
    private static final int CLOSING_SECONDS = 2;

    private final DelayqOptions options;
    private final WebSocketClient client;

    SocketMaker(Vertx vertx, DelayqOptions options) {
        this.options = options;
        this.client = vertx.createWebSocketClient(new WebSocketClientOptions()
                .setSsl(options.ssl())
                .setConnectTimeout((int) options.connectMillis())
                .setMaxConnections(MAX_SOCKETS)
                .setMaxFrameSize(MAX_MESSAGE)
                .setMaxMessageSize(MAX_MESSAGE)
                .setTryUsePerFrameCompression(false)
                .setTryUsePerMessageCompression(false)
                .setClosingTimeout(CLOSING_SECONDS)
                .setTcpNoDelay(true));
    }

    Waits waits() {
        return options.reconnect();
    }

    /** Fails with a {@link DelayqException} that has a status if the server said no. */
    Future<WebSocket> open() {
        WebSocketConnectOptions to = new WebSocketConnectOptions()
                .setHost(options.host())
                .setPort(options.port())
                .setSsl(options.ssl())
                .setURI(options.prefix() + "/v1/ws")
                .setAllowOriginHeader(false)
                .setTimeout(options.connectMillis())
                .addSubProtocol("delayq.v1.json");
        if (options.token() != null) {
            to.putHeader("Authorization", "Bearer " + options.token());
        }
        return client.connect(to).recover(cause -> Future.failedFuture(translated(cause)));
    }

    Future<Void> close() {
        return client.close();
    }

    private static DelayqException translated(Throwable cause) {
        if (cause instanceof UpgradeRejectedException rejected) {
            String body = rejected.getBody() == null ? "" : rejected.getBody().toString();
            return DelayqException.of(rejected.getStatus(), Json.problem(body));
        }
        return DelayqException.noAnswer("no connection: " + cause.getMessage(), cause);
    }
}
