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

    /** @param contentTypes what may be sent; none given counts as the first */
    static Future<byte[]> read(Vertx vertx, HttpServerRequest request, int limit, long stallMillis) {
        Promise<byte[]> promise = Promise.promise();
        Buffer body = Buffer.buffer();
        long[] timer = {-1};
        Runnable rearm = () -> {
            vertx.cancelTimer(timer[0]);
            timer[0] = vertx.setTimer(
                    stallMillis,
                    id -> promise.tryFail(ProblemType.REQUEST_TIMEOUT.with(
                            "the body did not come within " + stallMillis / 1_000 + " s; send it without pauses")));
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
        request.exceptionHandler(promise::tryFail);
        request.endHandler(end -> promise.tryComplete(body.getBytes()));
        return promise.future().onComplete(done -> vertx.cancelTimer(timer[0]));
    }

    private static Problem tooLarge(int limit) {
        return Problem.tooLarge("", "expected at most " + limit / 1024 + " KiB in one request; send it in parts");
    }
}
