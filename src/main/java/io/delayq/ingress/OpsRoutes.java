package io.delayq.ingress;

import io.delayq.bus.Rendezvous;
import io.delayq.config.Role;
import io.delayq.http.Answer;
import io.delayq.http.Api;
import io.delayq.http.JobJson;
import io.delayq.http.Json;
import io.delayq.http.Right;
import io.delayq.redis.ServerList.Member;
import io.delayq.redis.Store;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Health, metrics and the list of servers: what every server answers, whatever its roles. */
public final class OpsRoutes {
    private static final int NO_BODY = 1024;
    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry;

    public OpsRoutes(PrometheusMeterRegistry registry) {
        this.registry = registry;
    }

    /** @param store null: only for whoever asks what routes there are */
    public void routes(Vertx vertx, Api api, Store store) {
        api.route(HttpMethod.GET, "/health/live", Right.NONE, NO_BODY, call -> health(List.of()))
                .route(
                        HttpMethod.GET,
                        "/health/ready",
                        Right.NONE,
                        NO_BODY,
                        call -> health(List.of(
                                new Check("redis", store.isUp(), "Redis answers"),
                                new Check("serving", !api.isDraining(), "the server is not stopping"))))
                // written off the event loop: thousands of lines take their time
                .route(HttpMethod.GET, "/metrics", Right.ADMIN, NO_BODY, call -> vertx.executeBlocking(
                                () -> registry.scrape())
                        .map(text -> Answer.text(METRICS, text)))
                .route(HttpMethod.GET, "/v1/servers", Right.ADMIN, NO_BODY, call -> {
                    call.refuseQuery();
                    call.inPath().throwIfAny();
                    return store.servers().all().map(all -> servers(all, store.buckets()));
                });
        LogRoutes.add(api);
    }

    /** Oldest first, each with the buckets that it scans. */
    private static Answer servers(List<Member> all, int buckets) {
        Map<String, List<Integer>> scanned = new HashMap<>();
        List<String> scanning = all.stream()
                .filter(one -> one.roles().contains(Role.SCANNER.word()))
                .map(Member::id)
                .toList();
        for (int bucket = 0; bucket < buckets && !scanning.isEmpty(); bucket++) {
            scanned.computeIfAbsent(Rendezvous.owner(scanning, bucket), owner -> new ArrayList<>())
                    .add(bucket);
        }
        List<Member> sorted = all.stream()
                .sorted(Comparator.comparingLong(Member::started).thenComparing(Member::id))
                .toList();
        return Answer.json(
                200,
                JobJson.object()
                        .list("servers", sorted, (buffer, one) -> new JobJson.Writer(buffer)
                                .text("id", one.id())
                                .list("roles", one.roles(), Json::string)
                                .text("address", one.address())
                                .text("version", one.version())
                                .number("started", one.started())
                                .number("lastSeen", one.heard())
                                .list(
                                        "buckets",
                                        scanned.getOrDefault(one.id(), List.of()),
                                        (out, bucket) -> out.appendString(bucket.toString()))
                                .end())
                        .end());
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
