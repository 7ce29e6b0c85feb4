package io.delayq.ingress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.bus.Addresses;
import io.delayq.bus.LocalCodec;
import io.delayq.config.AllowList;
import io.delayq.config.Settings;
import io.delayq.http.Api;
import io.delayq.http.Login;
import io.delayq.http.Resolver;
import io.delayq.http.Sessions;
import io.delayq.http.Targets;
import io.delayq.job.Ids;
import io.delayq.ops.Meters;
import io.delayq.path.TestServer;
import io.delayq.redis.Keys;
import io.delayq.redis.RedisEndpoint;
import io.delayq.redis.Stores;
import io.delayq.redis.TestRedis;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests and descriptions go by the routes that are declared; so none may be served that is not. */
class DeclaredRoutesTest {
    @Test
    void what_is_served_is_what_is_declared() {
        Vertx vertx = Vertx.vertx();
        try {
            LocalCodec.register(vertx.eventBus());
            Settings set = TestServer.settings(TestRedis.shared().url());
            PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            IngressVerticle door = new IngressVerticle(
                    set,
                    new Stores(
                            new RedisEndpoint(set.redis()),
                            new Keys(set.namespace(), set.buckets()),
                            new Meters(registry)),
                    new Addresses("server", 1, 1, 1, 1, 1),
                    new Targets(AllowList.NONE, Resolver.of(vertx)),
                    new Ids(),
                    new Login(set, new Sessions(List.of(), () -> new byte[32])),
                    new OpsRoutes(registry),
                    (own, api, store, polls, ids) -> {},
                    0,
                    0);
            TestServer.await(vertx.deployVerticle(door).toCompletionStage().toCompletableFuture());
            assertEquals(names(IngressVerticle.declared()), names(door.served()));
        } finally {
            TestServer.await(vertx.close().toCompletionStage().toCompletableFuture());
        }
    }

    private static List<String> names(List<Api.Route> routes) {
        return routes.stream()
                .map(route -> route.method() + " " + route.path() + " " + route.right())
                .sorted()
                .collect(Collectors.toList());
    }
}
