package io.delayq.ingress;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.PATCH;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;

import io.delayq.bus.Addresses;
import io.delayq.bus.Polls;
import io.delayq.config.Compat;
import io.delayq.config.Role;
import io.delayq.config.Settings;
import io.delayq.http.Api;
import io.delayq.http.JobRequest;
import io.delayq.http.Listener;
import io.delayq.http.Login;
import io.delayq.http.MoreRoutes;
import io.delayq.http.ProblemType;
import io.delayq.http.Right;
import io.delayq.http.Targets;
import io.delayq.http.Visitor;
import io.delayq.job.Ids;
import io.delayq.ops.Meters;
import io.delayq.redis.Store;
import io.delayq.redis.Stores;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.List;
import java.util.function.Consumer;

/**
 * Room 1 of <b>push</b> -> bucket -> ready -> consumer -> ack: REST. Routes only; what they do is in {@link JobRoutes},
 * {@link ConsumerRoutes}, {@link TopicRoutes}, {@link TopicJobsRoutes} and {@link ExportRoutes}.
 */
public final class IngressVerticle extends VerticleBase {
    private static final int SMALL = JobRequest.MAX_REQUEST_BYTES;
    private static final int LARGE = 16 << 20;
    private static final int GOING_AWAY = 1001;
    private static final int SHOW_IN_TRIES = 10;
    private static final long SHOW_IN_MILLIS = 200;

    private final Settings settings;
    private final Stores stores;
    private final Addresses addresses;
    private final Targets targets;
    private final Meters meters;
    private final Ids ids;
    private final Login login;
    private final OpsRoutes ops;
    private final MoreRoutes more;
    private final int port;
    private final int instance;
    private Store store;
    private Polls polls;
    private Api api;
    private EventRoutes events;
    private Listener listener;
    private long stallMillis;
    private int visitors;

    /**
     * @param port the one to listen on; all instances share it
     */
    public IngressVerticle(
            Settings settings,
            Stores stores,
            Addresses addresses,
            Targets targets,
            Ids ids,
            Login login,
            OpsRoutes ops,
            MoreRoutes more,
            int port,
            int instance) {
        this.settings = settings;
        this.stores = stores;
        this.addresses = addresses;
        this.targets = targets;
        this.meters = stores == null ? null : stores.meters();
        this.ids = ids;
        this.login = login;
        this.ops = ops;
        this.more = more;
        this.port = port;
        this.instance = instance;
    }

    @Override
    public Future<?> start() {
        String name = "ingress-" + instance;
        store = stores.open(vertx, name);
        polls = new Polls(vertx, addresses, name, store::isUp, stores.endpoint().deadlineMillis());
        stallMillis = settings.http().headerMillis();
        api = new Api(vertx, login.access(), stallMillis);
        boolean handsOut = settings.instances().dispatcher() > 0;
        routes(api, handsOut, settings.instances().gateway() > 0 ? this::showIn : null);
        more.add(vertx, api, store, polls, store.ids(ids));
        meters.queue("polls", name, polls::waiting);
        meters.queue("events", name, events::listeners);
        listener = new Listener(vertx, settings.http(), settings.instances().ingress()).telling(meters::answered);
        if (settings.compat().contains(Compat.C1)) {
            listener.holding(settings.frontEnds().holdMillis());
        }
        return polls.start()
                .compose(ready -> store.ready())
                .<Object>compose(ready -> listener.listen(api, port).mapEmpty())
                // one that did not start is not stopped, and its connection would outlive it
                .recover(error -> store.close().transform(closed -> Future.failedFuture(error)));
    }

    /** Answers what is under way, long-polls at once; then closes the door. */
    @Override
    public Future<?> stop() {
        polls.drain();
        events.drain();
        return api.drain().eventually(listener::close).eventually(store::close);
    }

    /** Connections go to the gateways in turn. A gateway that was asked twice serves the visitor once. */
    private void showIn(Visitor visitor) {
        showIn(visitor, addresses.gateway(visitors++), SHOW_IN_TRIES);
    }

    private void showIn(Visitor visitor, String gateway, int tries) {
        vertx.eventBus()
                .request(gateway, visitor, Addresses.options().setSendTimeout(SHOW_IN_MILLIS))
                .onFailure(error -> {
                    if (tries > 1
                            && error instanceof ReplyException reply
                            && reply.failureType() == ReplyFailure.TIMEOUT) {
                        showIn(visitor, gateway, tries - 1);
                    } else {
                        visitor.close(GOING_AWAY, "the server is stopping");
                    }
                });
    }

    public int actualPort() {
        return listener.actualPort();
    }

    /** What it serves, that of others at its port included. */
    public List<Api.Route> served() {
        return api.routes();
    }

    /** Every route that is served, for whoever checks or describes them; their handlers cannot be called. */
    public static List<Api.Route> declared() {
        IngressVerticle nobody =
                new IngressVerticle(null, null, null, null, null, null, new OpsRoutes(null), null, 0, 0);
        Api api = new Api(null, null, 0);
        nobody.routes(api, true, visitor -> {});
        return api.routes();
    }

    /**
     * All of them, also for {@link #declared}: then there is nothing behind them yet.
     *
     * @param handsOut whether there is a dispatcher here
     * @param door null: there is no gateway here
     */
    private void routes(Api api, boolean handsOut, Consumer<Visitor> door) {
        JobRoutes jobs =
                new JobRoutes(vertx, store, targets, meters, store == null ? null : store.ids(ids), stallMillis);
        ConsumerRoutes consumers = new ConsumerRoutes(store, polls, meters);
        TopicRoutes topics = new TopicRoutes(store, targets, meters);
        TopicJobsRoutes topicJobs = new TopicJobsRoutes(store);
        ExportRoutes exports = new ExportRoutes(store);
        Api.Handler reserve = handsOut ? consumers::reserve : elsewhere(Role.DISPATCHER);
        api
                .route(POST, "/v1/topics/:topic/jobs", Right.PUSH, SMALL, jobs::push)
                .route(PUT, "/v1/topics/:topic/jobs/:id", Right.PUSH, SMALL, jobs::put)
                .route(GET, "/v1/topics/:topic/jobs/:id", Right.PUSH_OR_CONSUME, SMALL, jobs::get)
                .route(DELETE, "/v1/topics/:topic/jobs/:id", Right.PUSH, SMALL, jobs::cancel)
                .route(PATCH, "/v1/topics/:topic/jobs/:id", Right.PUSH, SMALL, jobs::reschedule)
                .routeOrStream(POST, "/v1/jobs", Right.PUSH, LARGE, jobs::pushMany, jobs::pushLines)
                .route(POST, "/v1/topics/:topic/reserve", Right.CONSUME, SMALL, reserve)
                .route(POST, "/v1/topics/:topic/acks", Right.CONSUME, SMALL, consumers::acks)
                .route(POST, "/v1/topics/:topic/jobs/:id/ack", Right.CONSUME, SMALL, consumers::ack)
                .route(POST, "/v1/topics/:topic/jobs/:id/nack", Right.CONSUME, SMALL, consumers::nack)
                .route(POST, "/v1/topics/:topic/jobs/:id/extend", Right.CONSUME, SMALL, consumers::extend)
                .route(GET, "/v1/topics", Right.ADMIN, SMALL, topics::list)
                .route(GET, "/v1/topics/:topic", Right.PUSH_OR_CONSUME_OR_ADMIN, SMALL, topics::get)
                .route(PUT, "/v1/topics/:topic", Right.ADMIN, SMALL, topics::configure)
                .route(DELETE, "/v1/topics/:topic", Right.ADMIN, SMALL, topics::delete)
                .route(POST, "/v1/topics/:topic/pause", Right.ADMIN, SMALL, topics::pause)
                .route(POST, "/v1/topics/:topic/resume", Right.ADMIN, SMALL, topics::resume)
                .route(GET, "/v1/topics/:topic/jobs", Right.ADMIN, SMALL, topicJobs::list)
                .route(DELETE, "/v1/topics/:topic/jobs", Right.ADMIN, SMALL, topicJobs::purge)
                .route(POST, "/v1/topics/:topic/dead/requeue", Right.ADMIN, SMALL, topicJobs::requeue)
                .route(DELETE, "/v1/topics/:topic/groups/:group", Right.ADMIN, SMALL, topicJobs::cancelGroup)
                .route(GET, "/v1/topics/:topic/forecast", Right.ADMIN, SMALL, topicJobs::forecast)
                .stream(GET, "/v1/export", Right.ADMIN, SMALL, exports::export);
        if (door != null) {
            api.webSocket("/v1/ws", Right.CONNECT, door);
        } else {
            api.route(GET, "/v1/ws", Right.CONNECT, SMALL, elsewhere(Role.GATEWAY));
        }
        new LoginRoutes(vertx, login).routes(api);
        ops.routes(vertx, api, store);
        events = new EventRoutes(
                vertx, addresses, settings == null ? 1 : settings.instances().ingress());
        events.routes(api);
        new ConnectionRoutes(vertx, addresses).routes(api);
        DocRoutes.routes(vertx, api);
    }

    /** For a client that has come to the wrong server. */
    private static Api.Handler elsewhere(Role role) {
        return call -> {
            throw ProblemType.NOT_FOUND.with(
                    "this server does not have the role " + role.word() + "; ask one that has, see /v1/servers");
        };
    }
}
