package io.delayq.http;

import io.delayq.config.Hosts;
import io.delayq.config.Settings;
import io.delayq.ops.AccessLog;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Who may call what. Without tokens only this machine may: the server then listens on loopback alone, and a loopback
 * {@code Host} is required, so that a web page cannot reach it under a name of its own.
 */
public final class Access {
    private static final String SCHEME = "bearer ";

    private final List<Settings.Token> tokens;
    private final boolean anyHost;
    private final boolean anyHostUnasked;

    public Access(Settings settings) {
        this.tokens = settings.tokens();
        this.anyHost = !tokens.isEmpty() || settings.insecure();
        this.anyHostUnasked =
                settings.insecure() || !Hosts.isLoopback(settings.http().host());
    }

    /** Refuses a foreign {@code Host} or {@code Origin}. */
    void checkSource(HttpServerRequest request) {
        checkSource(request, anyHost);
    }

    /** The same where no token is asked for, so that nothing else keeps pages of other origins out. */
    void checkUnaskedSource(HttpServerRequest request) {
        checkSource(request, anyHostUnasked);
        String site = request.getHeader("Sec-Fetch-Site");
        if ("cross-site".equals(site) || "same-site".equals(site)) {
            throw foreignOrigin();
        }
    }

    private static void checkSource(HttpServerRequest request, boolean anyHost) {
        HostAndPort authority = request.authority();
        if (!anyHost && (authority == null || !Hosts.isLoopback(authority.host()))) {
            throw ProblemType.FORBIDDEN.with(
                    "expected a Host of this machine such as localhost; configure tokens to be called by another name");
        }
        String origin = request.getHeader("Origin");
        if (origin != null && !isSame(origin, request.scheme(), authority)) {
            throw foreignOrigin();
        }
    }

    private static Problem foreignOrigin() {
        return ProblemType.FORBIDDEN.with("requests from pages of another origin are not taken");
    }

    /**
     * The caller of a request.
     *
     * @throws Problem if it may not do this
     */
    Caller check(HttpServerRequest request, Right right) {
        if (right == Right.NONE || tokens.isEmpty()) {
            return Caller.ANYONE;
        }
        String header = request.getHeader("Authorization");
        if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw ProblemType.UNAUTHORIZED.with("expected the header Authorization: Bearer <token>");
        }
        Settings.Token token = find(header.substring(SCHEME.length()).trim());
        if (token == null) {
            throw ProblemType.UNAUTHORIZED.with("the token is not known; check it against the server's tokens");
        }
        AccessLog.by(token.name());
        Caller caller = new Caller(token);
        if (!caller.mayDo(right)) {
            throw Caller.lacks(right);
        }
        return caller;
    }

    /** Compares with every token, in a time that does not tell how much of one was right. */
    private Settings.Token find(String secret) {
        byte[] hash = sha256(secret).getBytes(StandardCharsets.US_ASCII);
        Settings.Token found = null;
        for (Settings.Token token : tokens) {
            if (MessageDigest.isEqual(hash, token.sha256().getBytes(StandardCharsets.US_ASCII))) {
                found = token;
            }
        }
        return found;
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
        } catch (java.net.URISyntaxException e) {
            return false;
        }
    }

    private static int defaultPort(String scheme) {
        return "https".equalsIgnoreCase(scheme) ? 443 : 80;
    }

    static String sha256(String secret) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Someone whose right to a call was checked; which topics is asked as they become known. */
    public static final class Caller {
        public static final Caller ANYONE = new Caller(null);

        private final Settings.Token token;

        private Caller(Settings.Token token) {
            this.token = token;
        }

        /** Who acts as the holder of a token without showing it. */
        public static Caller as(Settings.Token token) {
            return new Caller(token);
        }

        public boolean mayTouch(String topic) {
            return token == null || token.topics().stream().anyMatch(pattern -> Glob.matches(pattern, topic));
        }

        /** Whether the token has the right, apart from topics. */
        public boolean mayDo(Right right) {
            return token == null || right.anyOf().stream().anyMatch(token.rights()::contains);
        }

        /** @throws Problem if the caller may not do this with the topic */
        public void check(Right right, String topic) {
            if (!mayDo(right)) {
                throw lacks(right);
            }
            checkTopic(topic);
        }

        /** Who that is, for a job's attempt log: the token's name if there is one, and where it calls from. */
        String by(Object address) {
            return token == null ? String.valueOf(address) : token.name() + "@" + address;
        }

        public boolean isAdmin() {
            return token == null || token.rights().contains("admin");
        }

        /** @throws Problem if the topic is none of the caller's */
        public void checkTopic(String topic) {
            if (!mayTouch(topic)) {
                throw notForTopic(topic);
            }
        }

        public static Problem lacks(Right right) {
            return ProblemType.FORBIDDEN.with("the token does not have the right " + String.join(" or ", right.anyOf())
                    + ", which this call needs");
        }

        public static Problem notForTopic(String topic) {
            return ProblemType.FORBIDDEN.with("the token is not for topic " + topic);
        }
    }
}
