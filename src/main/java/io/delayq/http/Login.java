package io.delayq.http;

import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

/** How a user becomes a caller: a password is checked once, from then on a cookie tells. For any thread. */
public final class Login {
    private final Access access;
    private final Sessions sessions;
    private final Passwords passwords;

    public Login(Settings settings, Sessions sessions) {
        this.access = new Access(settings, sessions);
        this.sessions = sessions;
        this.passwords = new Passwords(settings.users());
    }

    public Access access() {
        return access;
    }

    /** Whether there is anything that takes a login. */
    public boolean isNeeded() {
        return access.asks();
    }

    public boolean knows(String user) {
        return passwords.knows(user);
    }

    /** Fails with the problem to answer. */
    public Future<Settings.User> check(Vertx vertx, String user, String password, String address) {
        return passwords.check(vertx, user, password, address);
    }

    /** Null: nobody. */
    public Settings.User session(HttpServerRequest request) {
        return access.session(request);
    }

    public String cookie(Settings.User user, HttpServerRequest request) {
        return cookie(sessions.open(user), Sessions.LIFE_SECONDS, request);
    }

    /** Makes the browser forget it. */
    public String noCookie(HttpServerRequest request) {
        return cookie("", 0, request);
    }

    private static String cookie(String value, long seconds, HttpServerRequest request) {
        return Sessions.COOKIE + "=" + value + "; Path=/; Max-Age=" + seconds + "; HttpOnly; SameSite=Strict"
                + (Sources.isTls(request) ? "; Secure" : "");
    }
}
