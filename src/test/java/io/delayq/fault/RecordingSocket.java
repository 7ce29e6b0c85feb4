package io.delayq.fault;

import io.delayq.fault.History.Ack;
import io.delayq.fault.RecordingClients.Target;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A consumer over WebSocket that connects again whenever its connection ends. Owned by its event loop. */
final class RecordingSocket {
    private static final int AGAIN_MILLIS = 50;
    private static final int CONNECT_MILLIS = 2_000;

    private final Vertx vertx;
    private final Context context;
    private final RecordingClients clients;
    private final String name;
    private final Supplier<Target> target;
    private final WebSocketClient client;
    private final Map<Integer, List<Ack>> sent = new HashMap<>();
    private WebSocket socket;
    private int connections;
    private int refs;

    RecordingSocket(Vertx vertx, RecordingClients clients, String name, Supplier<Target> target) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.clients = clients;
        this.name = name;
        this.target = target;
        this.client = vertx.createWebSocketClient(
                new WebSocketClientOptions().setMaxFrameSize(2 << 20).setMaxMessageSize(2 << 20));
        context.runOnContext(v -> connect());
    }

    private void connect() {
        if (!clients.isConsuming()) {
            return;
        }
        Target to = target.get();
        WebSocketConnectOptions options = new WebSocketConnectOptions()
                .setHost("127.0.0.1")
                .setPort(to.port())
                .setURI("/v1/ws")
                .setTimeout(CONNECT_MILLIS);
        client.connect(options)
                .onFailure(error -> vertx.setTimer(AGAIN_MILLIS, timer -> connect()))
                .onSuccess(open -> opened(to, open));
    }

    private void opened(Target to, WebSocket open) {
        socket = open;
        String connection = name + "#" + ++connections;
        open.textMessageHandler(text -> received(connection, to, new JsonObject(text)));
        open.exceptionHandler(error -> {});
        open.closeHandler(closed -> ended(connection));
        send(new JsonObject()
                .put("op", "subscribe")
                .put("topic", RecordingClients.TOPIC)
                .put("prefetch", 50));
        if (!clients.isConsuming()) {
            open.close();
        }
    }

    private void ended(String connection) {
        clients.history.fault("connection ended", connection);
        sent.values().forEach(acks -> acks.forEach(clients.history::add));
        sent.clear();
        vertx.setTimer(AGAIN_MILLIS, timer -> connect());
    }

    private void received(String connection, Target to, JsonObject message) {
        switch (message.getString("op")) {
            case "jobs" -> clients.taken(connection, to, message.getJsonArray("jobs"), (server, acks) -> ack(acks));
            case "acked" -> clients.acked(sent.remove(message.getInteger("ref")), message.getJsonArray("stale"));
            case "error" -> refused(message);
            default -> {}
        }
    }

    private void ack(List<Ack> acks) {
        int ref = ++refs;
        sent.put(ref, acks);
        send(new JsonObject()
                .put("op", "ack")
                .put("ref", ref)
                .put("topic", RecordingClients.TOPIC)
                .put("jobs", RecordingClients.listed(acks)));
    }

    private void refused(JsonObject message) {
        int status = message.getJsonObject("problem").getInteger("status");
        List<Ack> acks = sent.remove(message.getInteger("ref", 0));
        if (acks != null) {
            acks.forEach(clients.history::add);
        }
        if (status != 503) {
            clients.history.error("socket: " + message.encode());
        }
    }

    private void send(JsonObject message) {
        socket.writeTextMessage(message.encode());
    }

    void close() {
        context.runOnContext(v -> {
            if (socket != null) {
                socket.close();
            }
        });
    }
}
