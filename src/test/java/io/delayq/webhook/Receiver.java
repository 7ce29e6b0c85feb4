package io.delayq.webhook;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetSocket;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Someone who is called, on a port and an event loop of its own. */
final class Receiver implements AutoCloseable {
    private final Vertx vertx = Vertx.vertx();
    private final ConcurrentLinkedQueue<Call> calls = new ConcurrentLinkedQueue<>();
    /** Asked for often, and a queue counts its entries each time. */
    private final AtomicInteger count = new AtomicInteger();

    private int port;

    /** What came, and when. */
    record Call(long millis, String method, String target, Map<String, String> headers, Buffer body) {
        String header(String name) {
            return headers.get(name);
        }
    }

    private Receiver() {}

    /** @param answer given the request, the body having come */
    static Receiver http(BiConsumer<HttpServerRequest, Call> answer) {
        Receiver receiver = new Receiver();
        receiver.port = await(receiver.vertx
                        .createHttpServer(new HttpServerOptions().setIdleTimeout(60))
                        .requestHandler(request -> request.body().onSuccess(body -> {
                            Call call = receiver.came(request, body);
                            answer.accept(request, call);
                        }))
                        .listen(0, "127.0.0.1"))
                .actualPort();
        return receiver;
    }

    static Receiver answering(int status, String body) {
        return http((request, call) -> request.response().setStatusCode(status).end(body));
    }

    /** @param answer given the connection, when the first bytes have come */
    static Receiver raw(Consumer<NetSocket> answer) {
        Receiver receiver = new Receiver();
        receiver.port = await(receiver.vertx
                        .createNetServer()
                        .connectHandler(socket -> socket.handler(bytes -> {
                            // the rest of the request is of no interest
                            socket.handler(rest -> {});
                            receiver.calls.add(new Call(System.currentTimeMillis(), "", "", Map.of(), Buffer.buffer()));
                            receiver.count.incrementAndGet();
                            answer.accept(socket);
                        }))
                        .listen(0, "127.0.0.1"))
                .actualPort();
        return receiver;
    }

    private Call came(HttpServerRequest request, Buffer body) {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        request.headers().forEach(headers::put);
        Call call = new Call(System.currentTimeMillis(), request.method().name(), request.uri(), headers, body);
        calls.add(call);
        count.incrementAndGet();
        return call;
    }

    int port() {
        return port;
    }

    String url(String path) {
        return "http://127.0.0.1:" + port + path;
    }

    List<Call> calls() {
        return List.copyOf(calls);
    }

    int count() {
        return count.get();
    }

    Vertx vertx() {
        return vertx;
    }

    @Override
    public void close() {
        await(vertx.close());
    }

    static <T> T await(io.vertx.core.Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
