package io.delayq.http;

import io.delayq.redis.StoreException;
import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes of one verticle instance, each with the right it needs, and what all requests have in common: who may call,
 * how bodies are read, and how an answer or a problem is written.
 */
public final class Api {
    private static final Logger log = LoggerFactory.getLogger(Api.class);
    private static final int RETRY_AFTER_SECONDS = 1;
    private static final long LINGER_MILLIS = 2_000;

    /** Serves one call. Throwing a {@link Problem} is as good as returning a failed future. */
    public interface Handler {
        Future<Answer> handle(Call call);
    }

    /** @param bodyLimit most bytes of a request */
    public record Route(
            HttpMethod method, String path, Right right, int bodyLimit, Handler handler, Consumer<Visitor> door) {
        public Route {
            Objects.requireNonNull(right, "every route names its right");
        }

        String[] pattern() {
            return path.substring(1).split("/", -1);
        }
    }

    private final Vertx vertx;
    private final Access access;
    private final long stallMillis;
    private final List<Route> routes = new ArrayList<>();
    private final Set<Future<?>> underWay = new HashSet<>();
    private boolean draining;

    public Api(Vertx vertx, Access access, long stallMillis) {
        this.vertx = vertx;
        this.access = access;
        this.stallMillis = stallMillis;
    }

    public Api route(HttpMethod method, String path, Right right, int bodyLimit, Handler handler) {
        routes.add(new Route(method, path, right, bodyLimit, handler, null));
        return this;
    }

    /** A path that takes WebSockets and nothing else. */
    public Api webSocket(String path, Right right, Consumer<Visitor> door) {
        routes.add(new Route(HttpMethod.GET, path, right, 0, null, door));
        return this;
    }

    public List<Route> routes() {
        return List.copyOf(routes);
    }

    public Router router() {
        Router router = Router.router(vertx);
        for (Route route : routes) {
            router.route(route.method(), route.path()).handler(context -> serve(route, context));
        }
        router.route().last().handler(this::unmatched);
        // what vertx-web cannot even split
        router.errorHandler(
                400,
                context -> write(context.request(), Problem.invalid("", "expected a valid path and a valid Host")));
        // a target that is no path at all, such as *
        router.errorHandler(404, context -> write(context.request(), nothingHere()));
        router.errorHandler(500, context -> write(context.request(), context.failure()));
        return router;
    }

    /** What the server could not even read as a request. */
    public void invalid(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        boolean headers = cause instanceof io.netty.handler.codec.http.TooLongHttpHeaderException;
        write(
                request,
                headers
                        ? ProblemType.HEADERS_TOO_LARGE.with("expected at most 8 KiB of headers")
                        : Problem.invalid("", "expected an HTTP request with a line of at most 4 KiB"));
        request.connection().close();
    }

    /** From now on refuses requests. Completes when those under way are answered. */
    public Future<Void> drain() {
        draining = true;
        return underWay.isEmpty()
                ? Future.succeededFuture()
                : Future.join(List.copyOf(underWay)).transform(done -> drain());
    }

    public boolean isDraining() {
        return draining;
    }

    private void serve(Route route, RoutingContext context) {
        HttpServerRequest request = context.request();
        if (route.door() != null && isUpgrade(request)) {
            upgrade(route, request);
            return;
        }
        Future<Answer> answer = answer(route, request);
        underWay.add(answer);
        answer.onComplete(result -> {
            underWay.remove(answer);
            if (result.succeeded()) {
                write(request, result.result());
            } else {
                write(request, result.cause());
            }
        });
    }

    private Future<Answer> answer(Route route, HttpServerRequest request) {
        try {
            List<String> segments = Paths.segments(request.path());
            if (!Paths.fits(route.pattern(), segments)) {
                // vertx-web tidied the path before it found the route
                throw notFound(request);
            }
            access.checkSource(request);
            Access.Caller caller = access.check(request, route.right());
            if (draining && route.right() != Right.NONE) {
                throw Problem.shuttingDown(RETRY_AFTER_SECONDS);
            }
            if (route.door() != null) {
                throw Problem.invalid("", "expected a WebSocket handshake (Connection: Upgrade, Upgrade: websocket)");
            }
            checkMediaType(request);
            Faults inPath = Paths.faults(route.pattern(), segments);
            if (inPath.isEmpty() && route.path().contains("/:topic")) {
                caller.checkTopic(segments.get(2));
            }
            return Bodies.read(vertx, request, route.bodyLimit(), stallMillis)
                    .compose(body -> handle(route, new Call(request, segments, inPath, body, caller)));
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private void upgrade(Route route, HttpServerRequest request) {
        try {
            access.checkSource(request);
            Access.Caller caller = access.check(request, route.right());
            if (draining) {
                throw Problem.shuttingDown(RETRY_AFTER_SECONDS);
            }
            // a handshake that fails is answered by Vert.x
            Channel channel = ((ConnectionBase) request.connection()).channel();
            request.toWebSocket().onSuccess(socket -> route.door().accept(new Visitor(socket, channel, caller)));
        } catch (RuntimeException e) {
            write(request, e);
        }
    }

    private static boolean isUpgrade(HttpServerRequest request) {
        String upgrade = request.getHeader(HttpHeaders.UPGRADE);
        String connection = request.getHeader(HttpHeaders.CONNECTION);
        return upgrade != null
                && upgrade.equalsIgnoreCase("websocket")
                && connection != null
                && connection.toLowerCase(Locale.ROOT).contains("upgrade");
    }

    /** Faults of the path are told along with those of the body. */
    private static Future<Answer> handle(Route route, Call call) {
        try {
            return route.handler().handle(call);
        } catch (Problem problem) {
            throw call.inPath().isEmpty() ? problem : call.inPath().and(problem);
        }
    }

    private void unmatched(RoutingContext context) {
        HttpServerRequest request = context.request();
        try {
            access.checkSource(request);
            List<String> segments = Paths.segments(request.path());
            if (Paths.isUntidy(segments)) {
                throw notFound(request);
            }
            Set<String> allowed = routes.stream()
                    .filter(route -> Paths.fits(route.pattern(), segments))
                    .map(route -> route.method().name())
                    .collect(Collectors.toCollection(java.util.TreeSet::new));
            if (allowed.isEmpty()) {
                throw notFound(request);
            }
            String list = String.join(", ", allowed);
            Problem problem = ProblemType.METHOD_NOT_ALLOWED.with("expected " + list);
            write(request, Answer.of(problem).with("Allow", list));
        } catch (RuntimeException e) {
            write(request, e);
        }
    }

    private static Problem notFound(HttpServerRequest request) {
        // most likely a name that was left out or is none
        return Paths.isUntidy(Paths.segments(request.path()))
                ? Problem.invalid("", "in the path: expected a name between the slashes, not an empty one or dots")
                : nothingHere();
    }

    private static Problem nothingHere() {
        return ProblemType.NOT_FOUND.with("there is nothing at this path; the API begins with /v1");
    }

    private static void checkMediaType(HttpServerRequest request) {
        if (request.getHeader(HttpHeaders.CONTENT_ENCODING) != null) {
            throw ProblemType.UNSUPPORTED_MEDIA_TYPE.with("expected a body without Content-Encoding");
        }
        String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
        if (type != null
                && hasBody(request)
                && !type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals(Answer.JSON)) {
            throw ProblemType.UNSUPPORTED_MEDIA_TYPE.with(
                    "expected Content-Type: application/json, or none; with curl use --json instead of -d");
        }
    }

    private void write(HttpServerRequest request, Throwable cause) {
        write(request, Answer.of(problem(cause)));
    }

    private void write(HttpServerRequest request, Answer answer) {
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
    }

    private static boolean hasBody(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        return request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null || length != null && !length.equals("0");
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
