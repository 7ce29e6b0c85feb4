package io.delayq.http;

import io.delayq.config.Hosts;
import io.delayq.config.Settings;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * Keeps pages of other origins out. Without tokens a loopback {@code Host} is required too, so that a page cannot reach
 * the server under a name of its own.
 */
final class Sources {
    private static final String SITE = "Sec-Fetch-Site";

    private final boolean anyHost;
    private final boolean anyHostUnasked;

    Sources(Settings settings) {
        this.anyHost = !settings.tokens().isEmpty() || settings.insecure();
        this.anyHostUnasked =
                settings.insecure() || !Hosts.isLoopback(settings.http().host());
    }

    /** Refuses a foreign {@code Host} or {@code Origin}. */
    void check(HttpServerRequest request) {
        check(request, anyHost);
    }

    /** The same where no token is asked for, so that nothing else keeps pages of other origins out. */
    void checkUnasked(HttpServerRequest request) {
        check(request, anyHostUnasked);
        String site = request.getHeader(SITE);
        if ("cross-site".equals(site) || "same-site".equals(site)) {
            throw foreign();
        }
    }

    /** The same for what a browser adds a cookie to by itself: it must say that a page of ours sent it. */
    void checkOwn(HttpServerRequest request) {
        check(request);
        if (request.getHeader("Origin") == null && !"same-origin".equals(request.getHeader(SITE))) {
            throw ProblemType.FORBIDDEN.with(
                    "expected an Origin, or Sec-Fetch-Site: same-origin, with a session's cookie; use a token instead");
        }
    }

    /**
     * What the client speaks, which a proxy in front may tell. Pages of other origins cannot: it takes a header of their
     * own, and nobody grants them one.
     */
    static boolean isTls(HttpServerRequest request) {
        String told = request.getHeader("X-Forwarded-Proto");
        return "https".equalsIgnoreCase(told == null ? request.scheme() : told);
    }

    private static void check(HttpServerRequest request, boolean anyHost) {
        HostAndPort authority = request.authority();
        if (!anyHost && (authority == null || !Hosts.isLoopback(authority.host()))) {
            throw ProblemType.FORBIDDEN.with(
                    "expected a Host of this machine such as localhost; configure tokens to be called by another name");
        }
        String origin = request.getHeader("Origin");
        if (origin != null && !isSame(origin, isTls(request) ? "https" : "http", authority)) {
            throw foreign();
        }
    }

    private static Problem foreign() {
        return ProblemType.FORBIDDEN.with("requests from pages of another origin are not taken");
    }

    private static boolean isSame(String origin, String scheme, HostAndPort authority) {
        try {
            URI uri = new URI(origin);
            int port = uri.getPort() >= 0 ? uri.getPort() : defaultPort(uri.getScheme());
            int ours = authority == null ? -1 : authority.port() > 0 ? authority.port() : defaultPort(scheme);
            return authority != null
                    && uri.getHost() != null
                    && scheme.equalsIgnoreCase(uri.getScheme())
                    && uri.getHost().equalsIgnoreCase(authority.host())
                    && port == ours;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static int defaultPort(String scheme) {
        return "https".equalsIgnoreCase(scheme) ? 443 : 80;
    }
}
