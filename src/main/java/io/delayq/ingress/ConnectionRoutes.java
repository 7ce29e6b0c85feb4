package io.delayq.ingress;

import io.delayq.bus.Addresses;
import io.delayq.bus.Connections;
import io.delayq.http.Answer;
import io.delayq.http.Api;
import io.delayq.http.Call;
import io.delayq.http.JobJson;
import io.delayq.http.Right;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** The WebSocket connections of this server, gathered from its gateways. */
final class ConnectionRoutes {
    private static final int NO_BODY = 1024;
    private static final int MOST = 1_000;
    private static final long ANSWER_MILLIS = 2_000;

    private final Vertx vertx;
    private final Addresses addresses;

    ConnectionRoutes(Vertx vertx, Addresses addresses) {
        this.vertx = vertx;
        this.addresses = addresses;
    }

    void routes(Api api) {
        api.route(HttpMethod.GET, "/v1/connections", Right.ADMIN, NO_BODY, this::list);
    }

    private Future<Answer> list(Call call) {
        call.refuseQuery();
        call.inPath().throwIfAny();
        List<Future<Connections>> asked =
                IntStream.range(0, addresses.gateways()).mapToObj(this::ask).toList();
        return Future.join(asked).map(all -> answer(all.list(), call.caller()::mayTouch));
    }

    /** One that is stopping, or does not answer, has none. */
    private Future<Connections> ask(int gateway) {
        return vertx.eventBus()
                .<Connections>request(
                        addresses.gateway(gateway),
                        new Connections.Wanted(),
                        Addresses.options().setSendTimeout(ANSWER_MILLIS))
                .map(reply -> reply.body())
                .otherwise(new Connections(List.of(), false));
    }

    private Answer answer(List<Connections> gateways, Predicate<String> maySee) {
        List<Connections.One> all = new ArrayList<>();
        gateways.forEach(gateway -> all.addAll(gateway.all()));
        all.sort(Comparator.comparingLong(Connections.One::since).thenComparing(Connections.One::id));
        boolean more = all.size() > MOST || gateways.stream().anyMatch(Connections::more);
        JobJson.Writer out = JobJson.object()
                .list(
                        "connections",
                        all.subList(0, Math.min(MOST, all.size())),
                        (buffer, one) -> write(buffer, one, maySee));
        return Answer.json(200, (more ? out.flag("more", true) : out).end());
    }

    private void write(Buffer buffer, Connections.One one, Predicate<String> maySee) {
        JobJson.Writer out = new JobJson.Writer(buffer)
                .text("id", one.id())
                .text("server", addresses.server())
                .text("address", one.address());
        (one.by() == null ? out.raw("by", "null") : out.text("by", one.by()))
                .number("since", one.since())
                .list(
                        "subscriptions",
                        one.subscriptions().stream()
                                .filter(each -> maySee.test(each.topic()))
                                .toList(),
                        (inner, each) -> new JobJson.Writer(inner)
                                .text("topic", each.topic())
                                .number("prefetch", each.prefetch())
                                .number("unsettled", each.unsettled())
                                .end())
                .number("unsettled", one.unsettled())
                .number("lag", one.lagMillis())
                .end();
    }
}
