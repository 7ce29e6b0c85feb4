package io.delayq.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads request bodies: at most so many bytes, and not from clients that stall or dawdle, see {@link Pace}. Whether they
 * do is looked up now and then: a timer for each request would cost more than most bodies. Owned by one event loop.
 */
final class Bodies {
    private static final int LOOKS = 20;

    private final Vertx vertx;
    private final long stallMillis;
    private final Set<Body> open = new LinkedHashSet<>();
    private boolean looking;

    Bodies(Vertx vertx, long stallMillis) {
        this.vertx = vertx;
        this.stallMillis = stallMillis;
    }

    private static final class Body {
        final Buffer bytes = Buffer.buffer();
        final Promise<byte[]> promise = Promise.promise();
        final Pace pace;

        Body(long stallMillis) {
            pace = new Pace(stallMillis);
            pace.listen(true);
        }
    }

    Future<byte[]> read(HttpServerRequest request, int limit) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (length != null && (length.length() > 18 || Long.parseLong(length) > limit)) {
            return Future.failedFuture(tooLarge(limit));
        }
        Body body = new Body(stallMillis);
        open.add(body);
        request.handler(chunk -> {
            if (body.promise.future().isComplete()) {
                return;
            }
            if (body.bytes.length() + chunk.length() > limit) {
                body.promise.tryFail(tooLarge(limit));
            } else {
                body.bytes.appendBuffer(chunk);
                body.pace.heard(chunk.length());
            }
        });
        request.exceptionHandler(error -> body.promise.tryFail(
                Problem.invalid("", "expected the whole body; it was cut off, or its chunks are not well formed")));
        request.endHandler(end -> body.promise.tryComplete(body.bytes.getBytes()));
        if (!looking) {
            lookLater();
        }
        return body.promise.future().onComplete(done -> open.remove(body));
    }

    private void lookLater() {
        looking = true;
        vertx.setTimer(Math.max(1, stallMillis / LOOKS), timer -> {
            looking = false;
            for (Body body : List.copyOf(open)) {
                if (body.pace.isTooSlow()) {
                    body.promise.tryFail(body.pace.problem());
                }
            }
            if (!open.isEmpty()) {
                lookLater();
            }
        });
    }

    private static Problem tooLarge(int limit) {
        return Problem.tooLarge("", "expected at most " + limit / 1024 + " KiB in one request; send it in parts");
    }
}
