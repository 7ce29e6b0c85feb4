package io.delayq.web;

import io.delayq.bus.Polls;
import io.delayq.http.Answer;
import io.delayq.http.Api;
import io.delayq.http.Call;
import io.delayq.http.MoreRoutes;
import io.delayq.http.Right;
import io.delayq.job.IdSource;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * The dashboard at {@code /}: a fixed list of files, each a route of its own, so that no path leads anywhere else. Open to
 * all: what it shows it asks from the API, with the rights of whoever looks.
 */
public final class Dashboard implements MoreRoutes {
    private static final int NO_BODY = 1024;

    /** All there is, as named below {@code web}. */
    static final List<String> FILES = List.of(
            "assets/api.js",
            "assets/base.css",
            "assets/charts.js",
            "assets/demo.js",
            "assets/dom.js",
            "assets/events.js",
            "assets/format.js",
            "assets/i18n.js",
            "assets/i18n/en.js",
            "assets/i18n/zh.js",
            "assets/icons.js",
            "assets/json.js",
            "assets/logo.svg",
            "assets/main.js",
            "assets/pages.css",
            "assets/pages/bulk.js",
            "assets/pages/connections.js",
            "assets/pages/dead.js",
            "assets/pages/job.js",
            "assets/pages/joblist.js",
            "assets/pages/login.js",
            "assets/pages/overview.js",
            "assets/pages/push.js",
            "assets/pages/servers.js",
            "assets/pages/settings.js",
            "assets/pages/topic.js",
            "assets/pages/topics.js",
            "assets/parts.css",
            "assets/router.js",
            "assets/scope.js",
            "assets/session.js",
            "assets/shell.js",
            "assets/store.js",
            "assets/theme.js",
            "assets/ui.js",
            "index.html");

    /** Nothing runs, loads or connects but what comes from this server as a file. */
    static final String POLICY = String.join(
            "; ",
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'self'");

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml");

    private record File(String type, Buffer content, Map<String, String> headers) {}

    @Override
    public void add(Vertx vertx, Api api, Store store, Polls polls, IdSource ids) {
        for (String name : FILES) {
            Future<File> file = vertx.executeBlocking(() -> load(name));
            String path = name.equals("index.html") ? "/" : "/" + name;
            api.route(HttpMethod.GET, path, Right.NONE, NO_BODY, call -> file.map(found -> answer(found, call)));
        }
    }

    private static Answer answer(File file, Call call) {
        String known = call.request().getHeader(HttpHeaders.IF_NONE_MATCH);
        boolean same = known != null && known.contains(file.headers.get("ETag"));
        return same
                ? new Answer(304, null, Buffer.buffer(), file.headers)
                : new Answer(200, file.type, file.content, file.headers);
    }

    private static File load(String name) {
        byte[] content = read("/web/" + name);
        return new File(
                TYPES.get(name.substring(name.lastIndexOf('.') + 1)),
                Buffer.buffer(content),
                Map.of(
                        "ETag", "\"" + hash(content) + "\"",
                        // asked for each time, and answered with 304: files of two versions never mix
                        "Cache-Control", "no-cache",
                        "Content-Security-Policy", POLICY,
                        "X-Content-Type-Options", "nosniff",
                        "Referrer-Policy", "no-referrer",
                        "Cross-Origin-Opener-Policy", "same-origin"));
    }

    private static String hash(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content), 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] read(String name) {
        try (InputStream in = Dashboard.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(name, e);
        }
    }
}
