package io.delayq.ingress;

import io.delayq.http.Answer;
import io.delayq.http.Api;
import io.delayq.http.JobJson;
import io.delayq.http.Right;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Health and metrics. */
public final class OpsRoutes {
    private static final int NO_BODY = 1024;
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry;

    public OpsRoutes(PrometheusMeterRegistry registry) {
        this.registry = registry;
    }

    public void routes(Vertx vertx, Api api, BooleanSupplier redisUp) {
        api.route(HttpMethod.GET, "/health/live", Right.NONE, NO_BODY, call -> health(List.of()))
                .route(
                        HttpMethod.GET,
                        "/health/ready",
                        Right.NONE,
                        NO_BODY,
                        call -> health(List.of(
                                new Check("redis", redisUp.getAsBoolean(), "Redis answers"),
                                new Check("serving", !api.isDraining(), "the server is not stopping"))))
                // written off the event loop: thousands of lines take their time
                .route(HttpMethod.GET, "/metrics", Right.ADMIN, NO_BODY, call -> vertx.executeBlocking(
                                () -> registry.scrape())
                        .map(text -> Answer.text(METRICS, text)));
    }

    private record Check(String name, boolean up, String expected) {}

    private static Future<Answer> health(List<Check> checks) {
        boolean up = checks.stream().allMatch(Check::up);
        return Future.succeededFuture(Answer.json(
                up ? 200 : 503,
                JobJson.object()
                        .text("status", word(up))
                        .list("checks", checks, (buffer, check) -> new JobJson.Writer(buffer)
                                .text("name", check.name)
                                .text("status", word(check.up))
                                .text("expected", check.expected)
                                .end())
                        .end()));
    }

    private static String word(boolean up) {
        return up ? "up" : "down";
    }
}
