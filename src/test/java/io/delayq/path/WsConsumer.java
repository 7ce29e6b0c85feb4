package io.delayq.path;

import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.internal.http.WebSocketInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.function.Consumer;

/** A WebSocket consumer for load: subscribes to one topic and acks what it gets, unless told otherwise. */
public final class WsConsumer implements AutoCloseable {
    private final WebSocketClient client;
    private final WebSocket socket;
    private volatile Consumer<JsonArray> onJobs = jobs -> {};
    private volatile boolean acking = true;

    public WsConsumer(Vertx vertx, int port, String topic, int prefetch, Consumer<JsonArray> onJobs) {
        this.onJobs = onJobs;
        this.client = vertx.createWebSocketClient(
                new WebSocketClientOptions().setMaxFrameSize(2 << 20).setMaxMessageSize(2 << 20));
        this.socket = TestServer.await(
                client.connect(port, "127.0.0.1", "/v1/ws").toCompletionStage().toCompletableFuture());
        socket.textMessageHandler(text -> received(topic, text));
        send(new JsonObject().put("op", "subscribe").put("topic", topic).put("prefetch", prefetch));
    }

    public void send(JsonObject message) {
        socket.writeTextMessage(message.encode());
    }

    /** From now on holds what it gets. */
    public void stopAcking() {
        acking = false;
    }

    /** From now on does not read. */
    public void freeze() {
        socket.pause();
    }

    /** The connection is cut, without a word. */
    public void kill() {
        ((WebSocketInternal) socket).channelHandlerContext().channel().close();
    }

    @Override
    public void close() {
        if (!socket.isClosed()) {
            socket.close();
        }
        client.close();
    }

    private void received(String topic, String text) {
        JsonObject message = new JsonObject(text);
        switch (message.getString("op")) {
            case "jobs" -> {
                JsonArray jobs = message.getJsonArray("jobs");
                onJobs.accept(jobs);
                if (acking) {
                    JsonArray acks = new JsonArray();
                    for (int i = 0; i < jobs.size(); i++) {
                        JsonObject job = jobs.getJsonObject(i);
                        acks.add(new JsonObject().put("id", job.getString("id")).put("lease", job.getString("lease")));
                    }
                    send(new JsonObject().put("op", "ack").put("topic", topic).put("jobs", acks));
                }
            }
            case "acked" -> {
                if (!message.getJsonArray("stale").isEmpty()) {
                    stale += message.getJsonArray("stale").size();
                }
            }
            case "error" -> throw new AssertionError(text);
            default -> {}
        }
    }

    private volatile int stale;

    /** How many of its acks came too late. */
    public int stale() {
        return stale;
    }
}
