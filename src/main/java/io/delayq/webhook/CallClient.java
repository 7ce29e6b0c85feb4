package io.delayq.webhook;

import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.ConnectException;
import java.net.InetAddress;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;

/**
 * Makes calls: to the address given, under the url's name, following nothing. Of an answer only the beginning is kept;
 * one that goes on and on is cut off. Owned by one event loop.
 */
final class CallClient {
    /** What is kept of an answer; enough for any that is to say success. */
    static final int KEPT_BYTES = 16 << 10;

    /** A longer answer costs its connection. */
    private static final int READ_BYTES = 64 << 10;

    private static final int CONNECT_MILLIS = 5_000;
    private static final int KEEP_ALIVE_SECONDS = 15;

    private final Vertx vertx;
    private final HttpClient client;

    /** @param retryAfter the header of that name, null if there is none */
    record Answer(int status, String retryAfter, Buffer body) {}

    /** No answer. */
    static final class Failed extends RuntimeException {
        Failed(String message) {
            super(message, null, false, false);
        }
    }

    CallClient(Vertx vertx, HttpClientOptions options, int connectionsPerHost) {
        this.vertx = vertx;
        this.client = vertx.httpClientBuilder()
                .with(options.setConnectTimeout(CONNECT_MILLIS)
                        .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                        .setDecompressionSupported(false))
                .with(new PoolOptions().setHttp1MaxSize(connectionsPerHost).setMaxWaitQueueSize(connectionsPerHost))
                // who made the call is told; without this each bad answer would be an error in the log
                .withConnectHandler(connection -> connection.exceptionHandler(error -> {}))
                .build();
    }

    Future<Void> close() {
        return client.close();
    }

    Future<Answer> call(CallRequest call, InetAddress address, long timeoutMillis) {
        RequestOptions options = new RequestOptions()
                .setServer(SocketAddress.inetSocketAddress(call.port(), address.getHostAddress()))
                .setHost(call.host())
                .setPort(call.port())
                .setSsl(call.isTls())
                .setURI(call.target())
                .setFollowRedirects(false)
                .setMethod(HttpMethod.valueOf(call.method()));
        call.headers().forEach(options::putHeader);
        Promise<Answer> answer = Promise.promise();
        long timer = vertx.setTimer(
                timeoutMillis, late -> answer.tryFail(new Failed("no answer within " + timeoutMillis + " ms")));
        client.request(options)
                .onFailure(error -> answer.tryFail(failed(error)))
                .onSuccess(request -> send(request, call, answer));
        return answer.future().onComplete(over -> vertx.cancelTimer(timer));
    }

    private static void send(HttpClientRequest request, CallRequest call, Promise<Answer> answer) {
        // whatever ends the call otherwise than by the answer's end leaves a connection that nobody can use again
        answer.future().onFailure(error -> request.reset());
        if (answer.future().isComplete()) {
            return;
        }
        request.response()
                .onFailure(error -> answer.tryFail(failed(error)))
                .onSuccess(response -> read(request, response, answer));
        Future<Void> sent = call.body().length() == 0 ? request.end() : request.end(call.body());
        sent.onFailure(error -> answer.tryFail(failed(error)));
    }

    private static void read(HttpClientRequest request, HttpClientResponse response, Promise<Answer> answer) {
        Buffer kept = Buffer.buffer();
        Answer whole = new Answer(response.statusCode(), response.getHeader("retry-after"), kept);
        long[] seen = {0};
        response.exceptionHandler(error -> answer.tryFail(failed(error)));
        response.endHandler(end -> answer.tryComplete(whole));
        response.handler(chunk -> {
            seen[0] += chunk.length();
            int room = KEPT_BYTES - kept.length();
            if (room > 0) {
                kept.appendBuffer(chunk, 0, Math.min(room, chunk.length()));
            }
            if (seen[0] > READ_BYTES && answer.tryComplete(whole)) {
                request.reset();
            }
        });
    }

    private static Failed failed(Throwable error) {
        if (error instanceof Failed known) {
            return known;
        }
        return new Failed(why(error));
    }

    private static String why(Throwable error) {
        if (error instanceof ConnectTimeoutException) {
            return "no connection within " + CONNECT_MILLIS + " ms";
        }
        if (error instanceof ConnectException) {
            return "the connection was refused";
        }
        if (error instanceof SSLException || error.getCause() instanceof SSLException) {
            return "no trusted TLS connection: " + error.getMessage();
        }
        if (error instanceof HttpClosedException || error instanceof ClosedChannelException) {
            return "the connection was closed before the answer ended";
        }
        if (error instanceof java.io.IOException) {
            return "the connection broke before the answer ended";
        }
        return "what came was no HTTP answer";
    }
}
