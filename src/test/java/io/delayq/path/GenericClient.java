package io.delayq.path;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A WebSocket client that knows nothing of delayq: the one that comes with Java, driven by hand. */
final class GenericClient implements AutoCloseable, WebSocket.Listener {
    static final String SUBPROTOCOL = "delayq.v1.json";
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final long LIMIT_SECONDS = 10;

    /** Everything that went over the connection, as text. */
    final List<String> sent = new CopyOnWriteArrayList<>();

    final List<String> received = new CopyOnWriteArrayList<>();

    /** The code the server closed with; -1 if the connection just ended. */
    final CompletableFuture<Integer> closed = new CompletableFuture<>();

    private final BlockingQueue<JsonObject> messages = new LinkedBlockingQueue<>();
    private final StringBuilder parts = new StringBuilder();
    /** The first message that was not as asyncapi.yaml says; null if none was. */
    private volatile AssertionError wrong;

    private WebSocket socket;

    static GenericClient connect(TestServer server) {
        return connect(server, HTTP.newWebSocketBuilder());
    }

    static GenericClient connect(TestServer server, String token) {
        return connect(server, HTTP.newWebSocketBuilder().header("Authorization", "Bearer " + token));
    }

    static GenericClient connect(TestServer server, WebSocket.Builder builder) {
        GenericClient client = new GenericClient();
        client.socket = TestServer.await(dial(server, builder, client));
        return client;
    }

    static WebSocket.Builder builder() {
        return HTTP.newWebSocketBuilder();
    }

    /** Fails with the server's answer if the handshake does. */
    static CompletableFuture<WebSocket> dial(
            TestServer server, WebSocket.Builder builder, WebSocket.Listener listener) {
        return builder.buildAsync(URI.create("ws://127.0.0.1:" + server.port() + "/v1/ws"), listener);
    }

    String subprotocol() {
        return socket.getSubprotocol();
    }

    GenericClient send(String text) {
        sent.add(text);
        TestServer.await(socket.sendText(text, true));
        return this;
    }

    void sendPart(String text, boolean last) {
        TestServer.await(socket.sendText(text, last));
    }

    void sendBinary(byte[] bytes) {
        TestServer.await(socket.sendBinary(ByteBuffer.wrap(bytes), true));
    }

    private void check(String text) {
        List<String> faults = AsyncApi.faults(text);
        if (!faults.isEmpty() && wrong == null) {
            wrong = new AssertionError("not as asyncapi.yaml says: " + faults + "\n" + text);
        }
    }

    private void failIfWrong() {
        if (wrong != null) {
            throw wrong;
        }
    }

    /** The next message, of whatever kind. */
    JsonObject next() {
        failIfWrong();
        try {
            JsonObject message = messages.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (message == null) {
                throw new AssertionError("no message came" + (closed.isDone() ? ", closed " + closed.join() : ""));
            }
            return message;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The next message, which must be of this kind. */
    JsonObject expect(String op) {
        JsonObject message = next();
        if (!message.getString("op").equals(op)) {
            throw new AssertionError("expected " + op + ", got " + message.encode());
        }
        return message;
    }

    /** The problem of the next message, which must be an error. */
    JsonObject problem() {
        return expect("error").getJsonObject("problem");
    }

    /** The next so many jobs, in one message or more. */
    List<JsonObject> jobs(int count) {
        List<JsonObject> jobs = new ArrayList<>();
        while (jobs.size() < count) {
            JsonArray list = expect("jobs").getJsonArray("jobs");
            for (int i = 0; i < list.size(); i++) {
                jobs.add(list.getJsonObject(i));
            }
        }
        if (jobs.size() != count) {
            throw new AssertionError("expected " + count + " jobs, got " + jobs.size());
        }
        return jobs;
    }

    JsonObject job() {
        return jobs(1).get(0);
    }

    GenericClient subscribe(String topic, int prefetch) {
        send("{\"op\":\"subscribe\",\"topic\":\"" + topic + "\",\"prefetch\":" + prefetch + "}");
        expect("subscribed");
        return this;
    }

    /** Nothing but the answer to this comes, so nothing else was on its way before it. */
    void expectNothingElse() {
        send("{\"op\":\"ping\",\"ref\":\"nothing else\"}");
        expect("pong");
    }

    /** Text of a message that settles these jobs. */
    static String settling(String op, String topic, List<JsonObject> jobs, String ref) {
        JsonArray settled = new JsonArray();
        jobs.forEach(job ->
                settled.add(new JsonObject().put("id", job.getString("id")).put("lease", job.getString("lease"))));
        JsonObject message = new JsonObject().put("op", op).put("topic", topic).put("jobs", settled);
        return (ref == null ? message : message.put("ref", ref)).encode();
    }

    int closeCode() {
        return TestServer.await(closed);
    }

    /** With a close frame. */
    @Override
    public void close() {
        if (!socket.isOutputClosed()) {
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "").exceptionally(gone -> null);
        }
        failIfWrong();
    }

    /** Without one. */
    void abort() {
        socket.abort();
    }

    @Override
    public void onOpen(WebSocket opened) {
        opened.request(Long.MAX_VALUE);
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        parts.append(data);
        if (last) {
            received.add(parts.toString());
            check(parts.toString());
            messages.add(new JsonObject(parts.toString()));
            parts.setLength(0);
        }
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.complete(code);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.complete(-1);
    }
}
