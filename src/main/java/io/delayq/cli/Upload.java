package io.delayq.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.delayq.http.Lines;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One request that is sent while its answer is read: the server reads no further while nobody reads its rows, so one after
 * the other would stand still. Not by Java's own client, which begins to read when all is sent.
 */
final class Upload implements AutoCloseable {
    private static final int CHUNKS_UNDER_WAY = 16;
    private static final int MOST_OF_A_ROW = 1 << 20;
    private static final int MOST_OF_A_PROBLEM = 64 << 10;
    private static final int CONNECT_MILLIS = 3_000;
    private static final int SILENCE_SECONDS = 90;
    private static final long BLANK_MILLIS = 3_000;
    private static final long CLOSE_SECONDS = 5;

    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1));
    private final Consumer<JsonNode> rows;
    private final Lines lines = new Lines(MOST_OF_A_ROW);
    private final Semaphore room = new Semaphore(CHUNKS_UNDER_WAY);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Buffer problem = Buffer.buffer();
    private final HttpClient http;
    private HttpClientRequest request;
    private long lastSent = System.nanoTime();
    private boolean betweenLines = true;
    private boolean allSent;
    private volatile int status;
    private volatile String failure;

    /** @param rows is given each line of the answer, on a thread of its own */
    Upload(Consumer<JsonNode> rows) {
        this.rows = rows;
        this.http = vertx.createHttpClient(new HttpClientOptions()
                .setConnectTimeout(CONNECT_MILLIS)
                .setIdleTimeout(SILENCE_SECONDS)
                .setIdleTimeoutUnit(TimeUnit.SECONDS));
    }

    /** @throws Exception if there is no server */
    void begin(String url, String token) throws Exception {
        RequestOptions options = new RequestOptions().setMethod(HttpMethod.POST).setAbsoluteURI(url + "/v1/jobs");
        options.putHeader("Content-Type", "application/x-ndjson");
        if (token != null) {
            options.putHeader("Authorization", "Bearer " + token);
        }
        request = await(http.request(options));
        request.setChunked(true);
        request.exceptionHandler(error -> over(error.getMessage()));
        request.response().onSuccess(this::answered).onFailure(error -> over(error.getMessage()));
        vertx.runOnContext(v -> keepAlive());
    }

    /**
     * Waits for room.
     *
     * @return false: the answer has ended, there is no use in sending more
     */
    boolean send(byte[] bytes, int length) throws InterruptedException {
        room.acquire();
        if (isOver()) {
            return false;
        }
        write(Buffer.buffer(length).appendBytes(bytes, 0, length)).onComplete(written -> room.release());
        return true;
    }

    private synchronized Future<Void> write(Buffer bytes) {
        lastSent = System.nanoTime();
        betweenLines = bytes.getByte(bytes.length() - 1) == '\n';
        return request.write(bytes);
    }

    /** Nothing more is to be sent; waits for the rest of the answer. */
    void end() throws InterruptedException {
        synchronized (this) {
            allSent = true;
        }
        if (!isOver()) {
            request.end().onFailure(error -> over(error.getMessage()));
        }
        ended.await();
    }

    /** 0: none came. */
    int status() {
        return status;
    }

    /** Why the answer did not come to its end; null if it did. */
    String failure() {
        return failure;
    }

    /** The answer's text, unless its status is 200. */
    String problem() {
        return problem.toString();
    }

    @Override
    public void close() {
        try {
            await(vertx.close());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            // said all there is to say; the process ends anyway
            return;
        }
    }

    private void answered(HttpClientResponse response) {
        status = response.statusCode();
        response.exceptionHandler(error -> over(error.getMessage()));
        response.handler(chunk -> {
            if (status != 200) {
                problem.appendBuffer(chunk.slice(0, Math.min(chunk.length(), MOST_OF_A_PROBLEM - problem.length())));
            } else if (!isOver()) {
                lines.add(chunk.getBytes());
                read();
            }
        });
        response.endHandler(end -> {
            lines.end();
            read();
            over(null);
        });
    }

    private void read() {
        try {
            for (Lines.Line line = lines.next(); line != null; line = lines.next()) {
                rows.accept(Texts.json(line.text() == null ? "" : new String(line.text(), StandardCharsets.UTF_8)));
            }
        } catch (RuntimeException e) {
            over(e.getMessage());
        }
    }

    /** The server gives up on a client that is silent; an input may well pause. */
    private void keepAlive() {
        synchronized (this) {
            if (allSent || isOver()) {
                return;
            }
            if (betweenLines && System.nanoTime() - lastSent >= TimeUnit.MILLISECONDS.toNanos(BLANK_MILLIS)) {
                write(Buffer.buffer("\n"));
            }
        }
        vertx.setTimer(BLANK_MILLIS, timer -> keepAlive());
    }

    private boolean isOver() {
        return ended.getCount() == 0;
    }

    private void over(String why) {
        if (!isOver()) {
            failure = why;
            ended.countDown();
            // whoever waits for room shall see it
            room.release(CHUNKS_UNDER_WAY);
        }
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
