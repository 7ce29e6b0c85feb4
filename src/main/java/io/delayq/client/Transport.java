package io.delayq.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.Set;

/**
 * Requests over HTTP, repeated while that can help and time is left. Safe from any thread. Long-polls have a pool of their
 * own, lest waiting consumers keep pushes from going out.
 */
final class Transport {
    private static final int CONNECTIONS = 16;
    private static final int POLL_CONNECTIONS = 64;
    private static final int WAITING = 10_000;
    private static final int KEEP_ALIVE_SECONDS = 15;
    private static final int TRIES_IN_TIME = 3;
    private static final long FIRST_WAIT_MILLIS = 50;
    private static final long LONGEST_WAIT_MILLIS = 1_000;
    /** Statuses of proxies, and of our server when it cannot now. */
    private static final Set<Integer> PASSING = Set.of(429, 502, 503, 504);

    private static final Set<String> NOTHING_CHANGED =
            Set.of("/problems/store-unavailable", "/problems/shutting-down", "/problems/rate-limited");
    private static final String NOT_REPLICATED = "/problems/not-replicated";

    private final Vertx vertx;
    private final DelayqOptions options;
    private final HttpClient calls;
    private final HttpClient polls;

    Transport(Vertx vertx, DelayqOptions options) {
        this.vertx = vertx;
        this.options = options;
        this.calls = client(CONNECTIONS);
        this.polls = client(POLL_CONNECTIONS);
    }

    /**
     * @param body null: none
     * @param traceparent null: none
     * @param pollMillis how long the server may wait before it answers; 0 unless it is a long-poll
     * @param repeatable whether it may be sent again when it is not known what became of it
     */
    record Request(
            HttpMethod method, String path, JsonNode body, String traceparent, long pollMillis, boolean repeatable) {
        Request(HttpMethod method, String path, JsonNode body) {
            this(method, path, body, null, 0, true);
        }
    }

    /** @param perhapsDone an earlier try may have taken effect, its answer was lost */
    record Answer(int status, String text, boolean perhapsDone) {
        DelayqException problem() {
            return DelayqException.of(status, Json.problem(text));
        }
    }

    /** Fails only if there was no answer that settles it in time; refusals are answers. */
    Future<Answer> send(Request request) {
        Call call = new Call(request);
        call.attempt();
        return call.promise.future();
    }

    Future<Void> close() {
        return Future.join(calls.close(), polls.close()).mapEmpty();
    }

    private HttpClient client(int connections) {
        HttpClientOptions http = new HttpClientOptions()
                .setDefaultHost(options.host())
                .setDefaultPort(options.port())
                .setSsl(options.ssl())
                .setConnectTimeout((int) options.connectMillis())
                .setTcpNoDelay(true)
                .setKeepAliveTimeout(KEEP_ALIVE_SECONDS);
        PoolOptions pool = new PoolOptions().setHttp1MaxSize(connections).setMaxWaitQueueSize(WAITING);
        return vertx.createHttpClient(http, pool);
    }

    /** One request and its tries, of which there is one at a time. */
    private final class Call {
        private final Request request;
        private final Buffer body;
        private final Promise<Answer> promise = Promise.promise();
        private final Waits waits = new Waits(FIRST_WAIT_MILLIS, LONGEST_WAIT_MILLIS);
        private final long deadline;
        private boolean perhapsDone;
        private volatile boolean sent;

        Call(Request request) {
            this.request = request;
            this.body = request.body == null ? Buffer.buffer() : Json.write(request.body);
            this.deadline = System.nanoTime() + (options.requestMillis() + request.pollMillis) * 1_000_000;
        }

        void attempt() {
            sent = false;
            HttpClient client = request.pollMillis > 0 ? polls : calls;
            // nested, so that the body is asked for on the response's own event loop, in the turn in which its head
            // came:
            // chained, it would be asked for later if the calling thread is slow, and would be gone
            client.request(options())
                    .compose(out -> {
                        sent = true;
                        return out.send(body).compose(in -> in.body()
                                .map(text -> new Tried(in.statusCode(), text.toString(), in.getHeader("Retry-After"))));
                    })
                    .onComplete(this::tried);
        }

        private RequestOptions options() {
            long share = Math.max(1, options.requestMillis() / TRIES_IN_TIME) + request.pollMillis;
            RequestOptions to = new RequestOptions()
                    .setMethod(request.method)
                    .setURI(options.prefix() + request.path)
                    .setFollowRedirects(false)
                    .setConnectTimeout(options.connectMillis())
                    .setIdleTimeout(Math.max(1, Math.min(share, leftMillis())));
            if (request.body != null) {
                to.putHeader(HttpHeaders.CONTENT_TYPE, "application/json");
            }
            if (options.token() != null) {
                to.putHeader(HttpHeaders.AUTHORIZATION, "Bearer " + options.token());
            }
            if (request.traceparent != null) {
                to.putHeader("traceparent", request.traceparent);
            }
            return to;
        }

        private void tried(AsyncResult<Tried> result) {
            if (result.failed()) {
                again(
                        sent,
                        0,
                        () -> promise.fail(DelayqException.noAnswer(
                                "no answer from " + options.host() + ":" + options.port() + ": "
                                        + result.cause().getMessage(),
                                result.cause())));
                return;
            }
            Tried tried = result.result();
            Answer answer = new Answer(tried.status, tried.text, perhapsDone);
            String type = PASSING.contains(tried.status)
                    ? Json.problem(tried.text).path("type").asText("")
                    : NOT_REPLICATED;
            if (type.equals(NOT_REPLICATED)) {
                promise.complete(answer);
            } else {
                again(!NOTHING_CHANGED.contains(type), tried.retryMillis(), () -> promise.complete(answer));
            }
        }

        /** @param end what to do if it cannot be tried again */
        private void again(boolean outcomeUnknown, long leastMillis, Runnable end) {
            long wait = Math.max(leastMillis, waits.nextMillis());
            if (wait >= leftMillis() || (outcomeUnknown && !request.repeatable)) {
                end.run();
                return;
            }
            perhapsDone |= outcomeUnknown;
            vertx.setTimer(wait, fired -> attempt());
        }

        private long leftMillis() {
            return (deadline - System.nanoTime()) / 1_000_000;
        }
    }

    private record Tried(int status, String text, String retryAfter) {
        long retryMillis() {
            return retryAfter != null && retryAfter.matches("[0-9]{1,4}") ? Long.parseLong(retryAfter) * 1_000 : 0;
        }
    }
}
