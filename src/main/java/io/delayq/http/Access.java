package io.delayq.http;

import io.delayq.config.Settings;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * Who may call what: whoever shows a token, or the cookie of a session. Without tokens only this machine may, as the
 * server then listens on loopback alone. One for all event loops of a server, since what a token may do in a second is
 * counted here.
 */
public final class Access {
    private static final String SCHEME = "bearer ";

    private final List<Holder> holders;
    private final Sources sources;
    private final Sessions sessions;

    /** Whoever shows the secret of this hash. */
    private record Holder(byte[] sha256, Caller caller) {}

    public Access(Settings settings, Sessions sessions) {
        this(
                settings.tokens().stream()
                        .map(token -> new Holder(HexFormat.of().parseHex(token.sha256()), Caller.as(token)))
                        .toList(),
                new Sources(settings),
                sessions);
    }

    private Access(List<Holder> holders, Sources sources, Sessions sessions) {
        this.holders = holders;
        this.sources = sources;
        this.sessions = sessions;
    }

    /** The same callers at an address of its own. */
    public Access at(Settings settings) {
        return new Access(holders, new Sources(settings), sessions);
    }

    /** Whether a token or a session is needed at all. */
    public boolean asks() {
        return !holders.isEmpty();
    }

    /** Refuses a foreign {@code Host} or {@code Origin}. */
    void checkSource(HttpServerRequest request) {
        sources.check(request);
    }

    /** The caller at a route where no token is asked for. */
    Caller checkUnasked(HttpServerRequest request, Caller unasked) {
        sources.checkUnasked(request);
        unasked.spend();
        return unasked;
    }

    /**
     * The caller of a request.
     *
     * @throws Problem if it may not do this
     */
    Caller check(HttpServerRequest request, Right right) {
        sources.check(request);
        String header = request.getHeader("Authorization");
        Cookie cookie = header == null ? cookie(request) : null;
        boolean looks = request.method().equals(HttpMethod.GET) && right != Right.CONNECT;
        if (cookie != null && !looks) {
            sources.checkOwn(request);
        }
        if (right == Right.NONE || !asks()) {
            return Caller.ANYONE;
        }
        Caller caller = cookie != null ? ofSession(cookie) : ofToken(header);
        caller.spend();
        if (!caller.mayDo(right, looks)) {
            throw Caller.lacks(right);
        }
        return caller;
    }

    /** Who logged in; null: nobody. */
    public Settings.User session(HttpServerRequest request) {
        Cookie cookie = cookie(request);
        return cookie == null ? null : sessions.of(cookie.getValue());
    }

    /** Most requests have none at all, which is found out sooner without looking for one. */
    private static Cookie cookie(HttpServerRequest request) {
        return request.headers().contains(HttpHeaders.COOKIE) ? request.getCookie(Sessions.COOKIE) : null;
    }

    private Caller ofSession(Cookie cookie) {
        Settings.User user = sessions.of(cookie.getValue());
        if (user == null) {
            throw ProblemType.UNAUTHORIZED.with("the session is over; log in again");
        }
        return Caller.as(user);
    }

    private Caller ofToken(String header) {
        if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw ProblemType.UNAUTHORIZED.with("expected the header Authorization: Bearer <token>");
        }
        Caller caller = find(header.substring(SCHEME.length()).trim());
        if (caller == null) {
            throw ProblemType.UNAUTHORIZED.with("the token is not known; check it against the server's tokens");
        }
        return caller;
    }

    /** Compares with every token, in a time that does not tell how much of one was right. */
    private Caller find(String secret) {
        byte[] hash = sha256(secret);
        Caller found = null;
        for (Holder holder : holders) {
            if (MessageDigest.isEqual(hash, holder.sha256)) {
                found = holder.caller;
            }
        }
        return found;
    }

    private static byte[] sha256(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Someone whose right to a call was checked; which topics is asked as they become known. For any thread. */
    public static final class Caller {
        public static final Caller ANYONE = new Caller(null, null, null, null, null);

        private static final Set<String> ALL = Set.of("push", "consume", "admin");
        private static final long SECOND = 1_000_000_000;

        private final String kind;
        private final String name;
        /** Null: all; empty: only to look at what there is. */
        private final Set<String> rights;
        /** Null: all. */
        private final List<String> topics;
        /** Null: any number. */
        private final Allowance requests;

        private Caller(String kind, String name, Set<String> rights, List<String> topics, Allowance requests) {
            this.kind = kind;
            this.name = name;
            this.rights = rights;
            this.topics = topics;
            this.requests = requests;
        }

        /** Who acts as the holder of a token without showing it. */
        public static Caller as(Settings.Token token) {
            int most = token.requestsPerSecond();
            return new Caller(
                    "token",
                    token.name(),
                    Set.copyOf(token.rights()),
                    token.topics(),
                    most == 0 ? null : new Allowance(most, SECOND / most));
        }

        static Caller as(Settings.User user) {
            return new Caller("user", user.name(), user.admin() ? ALL : Set.of(), null, null);
        }

        public boolean mayTouch(String topic) {
            return topics == null || topics.stream().anyMatch(pattern -> Glob.matches(pattern, topic));
        }

        /** Whether it has the right, apart from topics. */
        public boolean mayDo(Right right) {
            return mayDo(right, false);
        }

        private boolean mayDo(Right right, boolean looks) {
            return rights == null
                    || looks && isViewer()
                    || right.anyOf().stream().anyMatch(rights::contains);
        }

        private boolean isViewer() {
            return rights != null && rights.isEmpty();
        }

        /** @throws Problem if the caller may not do this with the topic */
        public void check(Right right, String topic) {
            if (!mayDo(right)) {
                throw lacks(right);
            }
            checkTopic(topic);
        }

        /** Who that is, for a job's attempt log: the name if there is one, and where it calls from. */
        String by(Object address) {
            return name == null ? String.valueOf(address) : name + "@" + address;
        }

        /** Who that is, for the audit log. */
        String who(Object address) {
            return name == null ? "from=" + address : kind + "=" + name + " from=" + address;
        }

        /** Whether it gets to see what admins see. */
        public boolean isAdmin() {
            return rights == null || isViewer() || rights.contains("admin");
        }

        /** @throws Problem if the topic is none of the caller's */
        public void checkTopic(String topic) {
            if (!mayTouch(topic)) {
                throw notForTopic(topic);
            }
        }

        /** @throws Problem if there were too many requests in the last second */
        private void spend() {
            long wait = requests == null ? 0 : requests.take(System.nanoTime());
            if (wait > 0) {
                throw Problem.rateLimited((int) ((wait + SECOND - 1) / SECOND));
            }
        }

        /** Counts a message of a connection. @return how many nanoseconds to read no further, 0: read on */
        long owe() {
            return requests == null ? 0 : requests.owe(System.nanoTime());
        }

        public static Problem lacks(Right right) {
            return ProblemType.FORBIDDEN.with("the caller does not have the right " + String.join(" or ", right.anyOf())
                    + ", which this call needs");
        }

        public static Problem notForTopic(String topic) {
            return ProblemType.FORBIDDEN.with("the token is not for topic " + topic);
        }
    }
}
