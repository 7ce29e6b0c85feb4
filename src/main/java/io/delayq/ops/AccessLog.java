package io.delayq.ops;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * The id of each request, and a line for each once it is answered. The lines are off unless {@link Logging} switches
 * them on.
 */
public final class AccessLog {
    /** What a request's id is called in the log. */
    static final String REQUEST = "request";

    private static final CharSequence HEADER = HttpHeaders.createOptimized("X-Request-Id");
    private static final int LONGEST_ID = 64;
    private static final int CLIENT_GONE = 499;
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final Logger log = LoggerFactory.getLogger("io.delayq.access");
    private static final Object KEY = AccessLog.class;
    private static final Line NONE = new Line(null);

    private static volatile boolean on;

    private AccessLog() {}

    public static void turn(boolean toOn) {
        on = toOn;
    }

    /** Called on the request's context, before it is served. */
    public static Line begin(HttpServerRequest request) {
        String given = request.getHeader(HEADER);
        request.response().putHeader(HEADER, given != null && isId(given) ? given : newId());
        if (!on) {
            return NONE;
        }
        Line line = new Line(request);
        Context context = Vertx.currentContext();
        if (context != null) {
            context.getLocal(ContextInternal.LOCAL_MAP, ConcurrentHashMap::new).put(KEY, line);
        }
        return line;
    }

    /** Who sent the request that is being served: the name of a token or a user. */
    public static void by(String name) {
        Line line = current();
        if (line != null) {
            line.by = name;
        }
    }

    /** The request that is being served has become a WebSocket, and is not answered in any other way. */
    public static void upgraded() {
        Line line = current();
        if (line != null) {
            line.write("upgraded", SWITCHING_PROTOCOLS);
        }
    }

    /** What is logged meanwhile carries the request's id. */
    public static <T> T during(HttpServerRequest request, Supplier<T> action) {
        MDC.put(REQUEST, request.response().headers().get(HEADER));
        try {
            return action.get();
        } finally {
            MDC.remove(REQUEST);
        }
    }

    private static Line current() {
        Context context = on ? Vertx.currentContext() : null;
        Map<Object, Object> locals = context == null ? null : context.getLocal(ContextInternal.LOCAL_MAP);
        return locals == null ? null : (Line) locals.get(KEY);
    }

    /** From outside: what is taken must not make a mess of headers and logs. */
    private static boolean isId(String text) {
        if (text.isEmpty() || text.length() > LONGEST_ID) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
            boolean digit = c >= '0' && c <= '9';
            if (!letter && !digit && c != '.' && c != '_' && c != '-') {
                return false;
            }
        }
        return true;
    }

    private static String newId() {
        // not negative: those take several times as long to write
        return Long.toString(ThreadLocalRandom.current().nextLong() >>> 1, Character.MAX_RADIX);
    }

    /** One request's line, owned by its event loop. */
    public static final class Line {
        private final HttpServerRequest request;
        private final long begun = System.nanoTime();
        private String by;
        private boolean written;

        private Line(HttpServerRequest request) {
            this.request = request;
        }

        /** The answer is on its way, or the connection has ended without one. */
        public void end() {
            if (request != null) {
                HttpServerResponse response = request.response();
                write(
                        response.ended() ? "answered" : "cut off",
                        response.headWritten() ? response.getStatusCode() : CLIENT_GONE);
            }
        }

        private void write(String message, int status) {
            if (written) {
                return;
            }
            written = true;
            HttpServerResponse response = request.response();
            log.atInfo()
                    .setMessage(message)
                    .addKeyValue("method", request.method().name())
                    .addKeyValue("path", path(request.uri()))
                    .addKeyValue("status", status)
                    .addKeyValue("bytes", response.bytesWritten())
                    .addKeyValue("millis", (System.nanoTime() - begun) / 100_000 / 10.0)
                    .addKeyValue("by", by == null ? "-" : by)
                    .addKeyValue("address", host(request.remoteAddress()))
                    .addKeyValue(REQUEST, response.headers().get(HEADER))
                    .log();
        }

        /** Without the query, which may hold anything. */
        private static String path(String uri) {
            int query = uri.indexOf('?');
            return query < 0 ? uri : uri.substring(0, query);
        }

        private static String host(SocketAddress address) {
            return address == null || address.hostAddress() == null ? "-" : address.hostAddress();
        }
    }
}
