package io.delayq.ingress;

import io.delayq.http.Answer;
import io.delayq.http.Api;
import io.delayq.http.Call;
import io.delayq.http.JobJson;
import io.delayq.http.JsonReader;
import io.delayq.http.ProblemType;
import io.delayq.http.Right;
import io.delayq.ops.Logging;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** The level of this server's log, which can be changed while it runs and is that of the settings at the next start. */
final class LogRoutes {
    private static final int SMALL = 1024;
    private static final List<String> FIELDS = List.of("level");
    private static final List<String> LEVELS = List.of("debug", "info", "warn", "error");

    private LogRoutes() {}

    static void add(Api api) {
        api.route(HttpMethod.GET, "/v1/log", Right.ADMIN, SMALL, LogRoutes::get)
                .route(HttpMethod.PUT, "/v1/log", Right.ADMIN, SMALL, LogRoutes::put);
    }

    private static Future<Answer> get(Call call) {
        call.refuseQuery();
        call.inPath().throwIfAny();
        return Future.succeededFuture(answer(level()));
    }

    private static Future<Answer> put(Call call) {
        call.refuseQuery();
        String level = read(call.body());
        call.inPath().throwIfAny();
        call.note("before", level());
        call.note("level", level);
        Logging.setLevel(level);
        return Future.succeededFuture(answer(level));
    }

    private static String level() {
        String level = Logging.level();
        if (level == null) {
            throw ProblemType.NOT_FOUND.with(
                    "the log is that of the application around this server; set its level there");
        }
        return level;
    }

    private static String read(byte[] json) {
        AtomicReference<String> level = new AtomicReference<>();
        try (JsonReader in = JsonReader.of(json)) {
            boolean whole = in.wholeObject(FIELDS, name -> {
                if (!name.equals("level")) {
                    return false;
                }
                level.set(in.text("debug, info, warn or error"));
                if (level.get() != null && !LEVELS.contains(level.get())) {
                    in.fault("expected debug, info, warn or error");
                }
                return true;
            });
            if (whole && level.get() == null && in.faults().isEmpty()) {
                in.faultAt("level", "expected debug, info, warn or error");
            }
            in.faults().throwIfAny();
            return level.get();
        }
    }

    private static Answer answer(String level) {
        return Answer.json(200, JobJson.object().text("level", level).end());
    }
}
