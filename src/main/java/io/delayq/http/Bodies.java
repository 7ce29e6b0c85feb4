package io.delayq.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;

/** Reads request bodies: at most so many bytes, and not from clients that stall. */
final class Bodies {
    private Bodies() {}

    static Future<byte[]> read(Vertx vertx, HttpServerRequest request, int limit, long stallMillis) {
        Promise<byte[]> promise = Promise.promise();
        Buffer body = Buffer.buffer();
        long[] timer = {-1};
        Runnable rearm = () -> {
            vertx.cancelTimer(timer[0]);
            timer[0] = vertx.setTimer(
                    stallMillis,
                    id -> promise.tryFail(ProblemType.REQUEST_TIMEOUT.with(
                            "nothing of the body came for " + stallMillis + " ms; send it without pauses")));
        };
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (length != null && (length.length() > 18 || Long.parseLong(length) > limit)) {
            return Future.failedFuture(tooLarge(limit));
        }
        rearm.run();
        request.handler(chunk -> {
            if (promise.future().isComplete()) {
                return;
            }
            if (body.length() + chunk.length() > limit) {
                promise.tryFail(tooLarge(limit));
            } else {
                body.appendBuffer(chunk);
                rearm.run();
            }
        });
        request.exceptionHandler(error -> promise.tryFail(
                Problem.invalid("", "expected the whole body; it was cut off, or its chunks are not well formed")));
        request.endHandler(end -> promise.tryComplete(body.getBytes()));
        return promise.future().onComplete(done -> vertx.cancelTimer(timer[0]));
    }

    private static Problem tooLarge(int limit) {
        return Problem.tooLarge("", "expected at most " + limit / 1024 + " KiB in one request; send it in parts");
    }
}
