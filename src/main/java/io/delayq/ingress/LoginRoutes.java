package io.delayq.ingress;

import io.delayq.config.Settings;
import io.delayq.http.Answer;
import io.delayq.http.Api;
import io.delayq.http.Audit;
import io.delayq.http.Call;
import io.delayq.http.JobJson;
import io.delayq.http.Login;
import io.delayq.http.LoginRequest;
import io.delayq.http.Problem;
import io.delayq.http.Right;
import io.delayq.http.TopicRequest;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.SocketAddress;

/** The dashboard's door: a password for a cookie. */
final class LoginRoutes {
    private static final int SMALL = 4 * 1024;

    private final Vertx vertx;
    private final Login login;

    /** @param login null: only for whoever asks what routes there are */
    LoginRoutes(Vertx vertx, Login login) {
        this.vertx = vertx;
        this.login = login;
    }

    void routes(Api api) {
        api.route(HttpMethod.POST, "/v1/login", Right.NONE, SMALL, this::login)
                .route(HttpMethod.POST, "/v1/logout", Right.NONE, SMALL, this::logout)
                .route(HttpMethod.GET, "/v1/session", Right.NONE, SMALL, this::session);
    }

    private Future<Answer> login(Call call) {
        call.refuseQuery();
        LoginRequest given = LoginRequest.read(call.body());
        call.inPath().throwIfAny();
        SocketAddress from = call.request().remoteAddress();
        String known = login.knows(given.user()) ? given.user() : null;
        return login.check(vertx, given.user(), given.password(), from.hostAddress())
                .onSuccess(user -> Audit.login(known, from, 200))
                .onFailure(error -> Audit.login(known, from, error instanceof Problem told ? told.status() : 500))
                .map(user -> Answer.json(
                                200,
                                JobJson.object()
                                        .text("user", user.name())
                                        .text("role", role(user))
                                        .end())
                        .with("Set-Cookie", login.cookie(user, call.request())));
    }

    private Future<Answer> logout(Call call) {
        call.refuseQuery();
        TopicRequest.nothing(call.body());
        call.inPath().throwIfAny();
        Settings.User user = login.session(call.request());
        if (user != null) {
            Audit.logout(user.name(), call.request().remoteAddress());
        }
        return Future.succeededFuture(Answer.empty().with("Set-Cookie", login.noCookie(call.request())));
    }

    /** Without tokens everyone is an admin. */
    private Future<Answer> session(Call call) {
        call.refuseQuery();
        call.inPath().throwIfAny();
        Settings.User user = login.isNeeded() ? login.session(call.request()) : null;
        String role = user != null ? role(user) : login.isNeeded() ? null : "admin";
        return Future.succeededFuture(Answer.json(
                200,
                JobJson.object()
                        .flag("login", login.isNeeded())
                        .text("user", user == null ? null : user.name())
                        .raw("user", user == null ? "null" : null)
                        .text("role", role)
                        .raw("role", role == null ? "null" : null)
                        .end()));
    }

    private static String role(Settings.User user) {
        return user.admin() ? "admin" : "viewer";
    }
}
