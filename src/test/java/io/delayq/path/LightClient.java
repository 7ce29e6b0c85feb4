package io.delayq.path;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.CompletableFuture;

/** Kept-alive HTTP on one event loop, so that measuring does not take the cores from what is measured. */
final class LightClient implements AutoCloseable {
    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(true));
    private final Context context = vertx.getOrCreateContext();
    private final HttpClient http = vertx.createHttpClient();
    private final int port;

    LightClient(int port) {
        this.port = port;
    }

    CompletableFuture<JsonObject> post(String path, JsonObject json) {
        CompletableFuture<JsonObject> answer = new CompletableFuture<>();
        context.runOnContext(v -> send(path, json).onComplete(result -> {
            if (result.succeeded()) {
                answer.complete(result.result());
            } else {
                answer.completeExceptionally(result.cause());
            }
        }));
        return answer;
    }

    private Future<JsonObject> send(String path, JsonObject json) {
        return http.request(HttpMethod.POST, port, "127.0.0.1", path)
                .compose((HttpClientRequest request) ->
                        request.putHeader("Content-Type", "application/json").send(json.toBuffer()))
                .compose(HttpClientResponse::body)
                .map(body -> body.toJsonObject());
    }

    @Override
    public void close() {
        TestServer.await(vertx.close().toCompletionStage().toCompletableFuture());
    }
}
