package io.delayq.http;

import io.delayq.ops.AccessLog;
import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
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
    private static final int STREAMED = 200;
    /** How long streams under way may go on once the server is stopping. */
    private static final long STREAM_GRACE_MILLIS = 1_500;

    /** A client may read nothing for so many times as long as it may send nothing. */
    private static final int READ_STALLS = 6;

    /** Serves one call. Throwing a {@link Problem} is as good as returning a failed future. */
    public interface Handler {
        Future<Answer> handle(Call call);
    }

    /**
     * Serves one call whose answer is written as a stream. A failure before anything was written is answered as a problem;
     * after that the answer is cut off.
     */
    public interface StreamHandler {
        Future<Void> handle(Call call, Outflow out);
    }

    /**
     * @param method null: any
     * @param bodyLimit most bytes of a request that is not a stream
     * @param handler null: only streams are served here
     * @param stream null: no streams are served here
     * @param unasked whom callers act as without being asked for a token; null: they are asked
     * @param pattern the path's parts
     */
    public record Route(
            HttpMethod method,
            String path,
            Right right,
            int bodyLimit,
            Handler handler,
            StreamHandler stream,
            Consumer<Visitor> door,
            Access.Caller unasked,
            String[] pattern) {
        public Route {
            Objects.requireNonNull(right, "every route names its right");
        }

        private Route(
                HttpMethod method,
                String path,
                Right right,
                int bodyLimit,
                Handler handler,
                StreamHandler stream,
                Consumer<Visitor> door,
                Access.Caller unasked) {
            this(
                    method,
                    path,
                    right,
                    bodyLimit,
                    handler,
                    stream,
                    door,
                    unasked,
                    path.substring(1).split("/", -1));
        }
    }

    private final Vertx vertx;
    private final Access access;
    private final long stallMillis;
    private final Bodies bodies;
    private final Answers answers;
    private final List<Route> routes = new ArrayList<>();
    private final Set<Future<?>> underWay = new HashSet<>();
    private final Set<Outflow> streams = new HashSet<>();
    private boolean draining;

    public Api(Vertx vertx, Access access, long stallMillis) {
        this.vertx = vertx;
        this.access = access;
        this.stallMillis = stallMillis;
        this.bodies = new Bodies(vertx, stallMillis);
        this.answers = new Answers(vertx);
    }

    public Api route(HttpMethod method, String path, Right right, int bodyLimit, Handler handler) {
        routes.add(new Route(method, path, right, bodyLimit, handler, null, null, null));
        return this;
    }

    /** A path whose answer is a stream of lines. */
    public Api stream(HttpMethod method, String path, Right right, int bodyLimit, StreamHandler stream) {
        routes.add(new Route(method, path, right, bodyLimit, null, stream, null, null));
        return this;
    }

    /** A path that takes JSON and answers with JSON, or takes lines, unread and paused, and answers with lines. */
    public Api routeOrStream(
            HttpMethod method, String path, Right right, int bodyLimit, Handler handler, StreamHandler stream) {
        routes.add(new Route(method, path, right, bodyLimit, handler, stream, null, null));
        return this;
    }

    /**
     * A path of another contract, whose clients know nothing of tokens and media types. Its handler answers in its own
     * form; only what keeps a request from being read is answered as a problem.
     *
     * @param method null: any
     * @param caller whom they act as
     */
    public Api foreign(HttpMethod method, String path, int bodyLimit, Access.Caller caller, Handler handler) {
        routes.add(new Route(method, path, Right.PUSH_OR_CONSUME, bodyLimit, handler, null, null, caller));
        return this;
    }

    /** A path that takes WebSockets and nothing else. */
    public Api webSocket(String path, Right right, Consumer<Visitor> door) {
        routes.add(new Route(HttpMethod.GET, path, right, 0, null, null, door, null));
        return this;
    }

    public List<Route> routes() {
        return List.copyOf(routes);
    }

    public Router router() {
        Router router = Router.router(vertx);
        router.route().handler(this::dispatch);
        // what vertx-web cannot even split
        router.errorHandler(
                400,
                context -> answers.write(
                        context.request(), Problem.invalid("", "expected a valid path and a valid Host")));
        // a target that is no path at all, such as *
        router.errorHandler(404, context -> answers.write(context.request(), nothingHere()));
        router.errorHandler(500, context -> answers.write(context.request(), context.failure()));
        return router;
    }

    /** What the server could not even read as a request. */
    public void invalid(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        boolean headers = cause instanceof io.netty.handler.codec.http.TooLongHttpHeaderException;
        answers.write(
                request,
                headers
                        ? ProblemType.HEADERS_TOO_LARGE.with("expected at most 8 KiB of headers")
                        : Problem.invalid("", "expected an HTTP request with a line of at most 4 KiB"));
        request.connection().close();
    }

    /** From now on refuses requests. Completes when those under way are answered. */
    public Future<Void> drain() {
        if (!draining && !streams.isEmpty()) {
            vertx.setTimer(STREAM_GRACE_MILLIS, over -> List.copyOf(streams).forEach(Outflow::cut));
        }
        draining = true;
        return underWay.isEmpty()
                ? Future.succeededFuture()
                : Future.join(List.copyOf(underWay)).transform(done -> drain());
    }

    public boolean isDraining() {
        return draining;
    }

    /** By our own table: vertx-web would try one pattern after the other for every request. */
    private void dispatch(RoutingContext context) {
        HttpServerRequest request = context.request();
        List<String> segments;
        try {
            segments = Paths.segments(request.path());
        } catch (Problem e) {
            unmatched(request);
            return;
        }
        Route route = find(request.method(), segments);
        if (route == null) {
            unmatched(request);
        } else {
            serve(route, request, segments);
        }
    }

    /** Null if there is none. */
    private Route find(HttpMethod method, List<String> segments) {
        if (Paths.isUntidy(segments)) {
            return null;
        }
        for (Route route : routes) {
            boolean takes = route.method() == null || route.method().equals(method);
            if (takes && Paths.fits(route.pattern(), segments)) {
                return route;
            }
        }
        return null;
    }

    private void serve(Route route, HttpServerRequest request, List<String> segments) {
        if (route.door() != null && isUpgrade(request)) {
            upgrade(route, request);
            return;
        }
        Audit audit = new Audit();
        Future<Answer> answer = answer(route, request, segments, audit);
        underWay.add(answer);
        answer.onComplete(result -> {
            underWay.remove(answer);
            Answer given = result.failed() ? Answer.of(Answers.problem(request, result.cause())) : result.result();
            audit.ends(route, given == null ? STREAMED : given.status());
            if (given != null) {
                answers.write(request, given);
            }
        });
    }

    /** Null: written as a stream. */
    private Future<Answer> answer(Route route, HttpServerRequest request, List<String> segments, Audit audit) {
        try {
            boolean foreign = route.unasked() != null;
            Access.Caller caller =
                    foreign ? access.checkUnasked(request, route.unasked()) : access.check(request, route.right());
            if (draining && route.right() != Right.NONE) {
                throw Problem.shuttingDown(RETRY_AFTER_SECONDS);
            }
            if (route.door() != null) {
                throw Problem.invalid("", "expected a WebSocket handshake (Connection: Upgrade, Upgrade: websocket)");
            }
            boolean lines = !foreign && checkMediaType(request, route.handler() != null && route.stream() != null);
            Faults inPath = Paths.faults(route.pattern(), segments);
            boolean ofTopic = inPath.isEmpty() && route.path().contains("/:topic");
            if (ofTopic) {
                caller.checkTopic(segments.get(2));
            }
            audit.begins(caller, request.remoteAddress(), ofTopic ? segments.get(2) : null);
            if (lines) {
                request.pause();
                return stream(route, new Call(request, segments, inPath, new byte[0], caller, audit));
            }
            return bodies.read(request, route.bodyLimit()).compose(body -> {
                Call call = new Call(request, segments, inPath, body, caller, audit);
                return route.handler() != null ? handle(route, call) : stream(route, call);
            });
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private void upgrade(Route route, HttpServerRequest request) {
        try {
            Access.Caller caller = access.check(request, route.right());
            if (draining) {
                throw Problem.shuttingDown(RETRY_AFTER_SECONDS);
            }
            // a handshake that fails is answered by Vert.x
            Channel channel = ((ConnectionBase) request.connection()).channel();
            request.toWebSocket().onSuccess(socket -> {
                AccessLog.upgraded();
                route.door().accept(new Visitor(socket, channel, caller));
            });
        } catch (RuntimeException e) {
            answers.write(request, e);
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

    private Future<Answer> stream(Route route, Call call) {
        if (call.request().version() == HttpVersion.HTTP_1_0) {
            throw Problem.invalid(
                    "", "expected HTTP/1.1; the end of a stream cannot be told apart from its loss before");
        }
        Outflow out = new Outflow(vertx, call.request(), READ_STALLS * stallMillis, this::isDraining);
        streams.add(out);
        return Future.<Void>future(done -> route.stream().handle(call, out).onComplete(done))
                .recover(error -> {
                    if (!out.isBegun()) {
                        return Future.failedFuture(error);
                    }
                    log.warn("stream cut off status={}", Answers.problem(error).status());
                    out.cut();
                    return Future.succeededFuture();
                })
                .onComplete(done -> streams.remove(out))
                .map(done -> null);
    }

    private void unmatched(HttpServerRequest request) {
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
            answers.write(request, Answer.of(problem).with("Allow", list));
        } catch (RuntimeException e) {
            answers.write(request, e);
        }
    }

    private Problem notFound(HttpServerRequest request) {
        List<String> segments = Paths.segments(request.path());
        if (Paths.isUntidy(segments)) {
            // most likely a name that was left out or is none
            return Problem.invalid("", "in the path: expected a name between the slashes, not an empty one or dots");
        }
        String near = Paths.nearest(routes.stream().map(Route::pattern).toList(), segments);
        return near == null
                ? nothingHere()
                : ProblemType.NOT_FOUND.with("there is nothing at this path; did you mean " + near + "?");
    }

    private static Problem nothingHere() {
        return ProblemType.NOT_FOUND.with("there is nothing at this path; the API begins with /v1");
    }

    /** Whether the body is lines, which are taken only {@code orLines}. */
    private static boolean checkMediaType(HttpServerRequest request, boolean orLines) {
        if (request.getHeader(HttpHeaders.CONTENT_ENCODING) != null) {
            throw ProblemType.UNSUPPORTED_MEDIA_TYPE.with("expected a body without Content-Encoding");
        }
        String header = request.getHeader(HttpHeaders.CONTENT_TYPE);
        if (header == null || !Answers.hasBody(request)) {
            return false;
        }
        String type = header.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        boolean lines = orLines && type.equals(Outflow.LINES);
        if (!lines && !type.equals(Answer.JSON)) {
            throw ProblemType.UNSUPPORTED_MEDIA_TYPE.with("expected Content-Type: application/json, or none"
                    + (orLines ? ", or " + Outflow.LINES + " for one job a line" : "")
                    + "; with curl use --json instead of -d");
        }
        return lines;
    }
}
