package io.delayq.http;

import io.delayq.ops.AccessLog;
import io.delayq.redis.StoreException;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How answers are written, and what becomes of failures. */
public final class Answers {
    private static final Logger log = LoggerFactory.getLogger(Answers.class);
    private static final int RETRY_AFTER_SECONDS = 1;
    private static final long LINGER_MILLIS = 2_000;

    private final Vertx vertx;

    Answers(Vertx vertx) {
        this.vertx = vertx;
    }

    void write(HttpServerRequest request, Throwable cause) {
        write(request, Answer.of(problem(request, cause)));
    }

    /** Nothing if the client has gone, or has an answer already. */
    void write(HttpServerRequest request, Answer answer) {
        HttpServerResponse response = request.response();
        if (response.closed() || response.headWritten()) {
            return;
        }
        response.setStatusCode(answer.status());
        if (answer.mediaType() != null) {
            response.putHeader(HttpHeaders.CONTENT_TYPE, answer.mediaType());
        }
        answer.headers().forEach(response::putHeader);
        if (!request.isEnded() && hasBody(request)) {
            // the rest of the body is not worth waiting for
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
            response.end(answer.body()).onComplete(done -> linger(request));
        } else {
            response.end(answer.body());
        }
    }

    /** To close on a client that still sends would reset the connection, and it might never see its answer. */
    private void linger(HttpServerRequest request) {
        if (request.isEnded()) {
            request.connection().close();
            return;
        }
        long timer = vertx.setTimer(LINGER_MILLIS, late -> request.connection().close());
        request.handler(dropped -> {});
        request.endHandler(end -> {
            vertx.cancelTimer(timer);
            request.connection().close();
        });
        // it may have been left unread
        request.resume();
    }

    static boolean hasBody(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        return request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null || length != null && !length.equals("0");
    }

    /** What is logged of it carries the request's id. */
    static Problem problem(HttpServerRequest request, Throwable cause) {
        return AccessLog.during(request, () -> problem(cause));
    }

    /** How any failure looks to a client. */
    public static Problem problem(Throwable cause) {
        if (cause instanceof Problem problem) {
            return problem;
        }
        if (cause instanceof StoreException store) {
            switch (store.kind()) {
                case UNAVAILABLE, BUSY:
                    return Problem.storeUnavailable(RETRY_AFTER_SECONDS);
                case UNKNOWN:
                    return Problem.outcomeUnknown().retryAfter(RETRY_AFTER_SECONDS);
                case NOT_REPLICATED:
                    return Problem.notReplicated().retryAfter(RETRY_AFTER_SECONDS);
                case FULL:
                    return Problem.storeFull();
                default:
            }
        }
        String errorId = UUID.randomUUID().toString();
        log.error("request failed errorId={}", errorId, cause);
        return Problem.internal(errorId);
    }
}
