package io.delayq;

import io.delayq.bucket.ScannerVerticle;
import io.delayq.bus.Addresses;
import io.delayq.bus.HeartbeatVerticle;
import io.delayq.bus.LocalCodec;
import io.delayq.bus.WakeVerticle;
import io.delayq.compat.C3Task;
import io.delayq.compat.FrontDoor;
import io.delayq.compat.FrontVerticle;
import io.delayq.config.Compat;
import io.delayq.config.Role;
import io.delayq.config.Settings;
import io.delayq.gateway.GatewayVerticle;
import io.delayq.http.JobText;
import io.delayq.http.Login;
import io.delayq.http.MoreRoutes;
import io.delayq.http.PortCheck;
import io.delayq.http.Resolver;
import io.delayq.http.Sessions;
import io.delayq.http.Targets;
import io.delayq.http.TlsFiles;
import io.delayq.ingress.IngressVerticle;
import io.delayq.ingress.OpsRoutes;
import io.delayq.ingress.OpsVerticle;
import io.delayq.job.Ids;
import io.delayq.list.DelayerBridge;
import io.delayq.list.IntakeVerticle;
import io.delayq.list.ListVerticle;
import io.delayq.ops.Meters;
import io.delayq.ready.DispatchVerticle;
import io.delayq.redis.EmbeddedShards;
import io.delayq.redis.Keys;
import io.delayq.redis.RedisEndpoint;
import io.delayq.redis.RedisTrust;
import io.delayq.redis.ServerList.Member;
import io.delayq.redis.SharedKey;
import io.delayq.redis.Sockets;
import io.delayq.redis.StartCheck;
import io.delayq.redis.Stores;
import io.delayq.web.Dashboard;
import io.delayq.webhook.WebhookVerticle;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One delayq: builds the rooms, opens the far end of the path first and closes the near end first, so that nobody is let
 * in before everything behind is there, or while something behind is gone.
 */
public final class Server {
    private static final Logger log = LoggerFactory.getLogger(Server.class);
    /** What the rooms may take to close together, before the embedded Redis gets its turn; and the least for each. */
    private static final long ROOMS_MILLIS = 5_500;

    private static final long LEAST_MILLIS = 100;
    private static final long REDIS_MILLIS = 3_000;
    private static final AtomicInteger freePorts = new AtomicInteger();

    private final Vertx vertx;
    private final Settings settings;
    private final Resolver resolver;
    private final Deque<Supplier<Future<?>>> toClose = new ConcurrentLinkedDeque<>();
    private final Promise<Void> unfit = Promise.promise();
    private volatile int port;
    /** Guarded by {@link #toClose}: what is opened is either closed by the stop, or not opened any more. */
    private boolean stopping;
    /** Set before the rooms are opened. */
    private Sockets sockets = Sockets.NONE;

    Server(Vertx vertx, Settings settings, Resolver resolver) {
        this.vertx = vertx;
        this.settings = settings;
        this.resolver = resolver;
    }

    /** Starts on a Vert.x of your own. Waits for Redis if it is away. What was opened is closed again on failure. */
    public static Future<Server> start(Vertx vertx, Settings settings) {
        return start(vertx, settings, Resolver.of(vertx));
    }

    /** @param resolver finds the addresses of callbacks' hosts */
    public static Future<Server> start(Vertx vertx, Settings settings, Resolver resolver) {
        Server server = new Server(vertx, settings, resolver);
        return server.open()
                .recover(error -> server.stop().transform(closed -> Future.failedFuture(error)))
                .map(server);
    }

    /** The port it listens on. */
    public int port() {
        return port;
    }

    /** Fails when it has stopped by itself: the data were moved to other buckets while it was cut off. Never succeeds. */
    public Future<Void> unfit() {
        return unfit.future();
    }

    /** Finishes what is under way and closes. The rooms have their time together, so that it ends also when Redis hangs. */
    public Future<Void> stop() {
        synchronized (toClose) {
            stopping = true;
        }
        return stop(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ROOMS_MILLIS));
    }

    private Future<Void> stop(long roomsUntil) {
        Supplier<Future<?>> next = toClose.poll();
        if (next == null) {
            return Future.succeededFuture();
        }
        long left = TimeUnit.NANOSECONDS.toMillis(roomsUntil - System.nanoTime());
        boolean isRedis = toClose.isEmpty() && settings.redis().url() == null;
        long millis = isRedis ? REDIS_MILLIS : Math.max(LEAST_MILLIS, left);
        return next.get().timeout(millis, TimeUnit.MILLISECONDS).transform(closed -> {
            if (closed.failed()) {
                log.warn("not closed cleanly", closed.cause());
            }
            return stop(roomsUntil);
        });
    }

    Future<Void> open() {
        LocalCodec.register(vertx.eventBus());
        return PortCheck.run(vertx, settings)
                .compose(free -> TlsFiles.check(vertx, settings.http().tls()))
                .compose(usable -> redis())
                .compose(set -> endpoint(set).compose(endpoint -> rooms(set, endpoint)));
    }

    private Future<RedisEndpoint> endpoint(Settings set) {
        Path ca = set.redis().ca();
        return ca == null
                ? Future.succeededFuture(new RedisEndpoint(set.redis(), null, sockets))
                : vertx.executeBlocking(() -> new RedisEndpoint(set.redis(), RedisTrust.load(ca), sockets));
    }

    private Future<Settings> redis() {
        if (settings.redis().url() != null) {
            return Future.succeededFuture(settings);
        }
        return unlessStopping(() -> {
            EmbeddedShards redis = new EmbeddedShards(vertx, settings.dataDir(), settings.redis());
            // before it is up: a stop in the middle of the start takes it along
            toClose.push(redis::stop);
            return redis.reached().map(reached -> {
                sockets = redis.sockets();
                return settings.withRedis(reached);
            });
        });
    }

    private <T> Future<T> unlessStopping(Supplier<Future<T>> opening) {
        synchronized (toClose) {
            return stopping
                    ? Future.failedFuture(new IllegalStateException("stopped while it was starting"))
                    : opening.get();
        }
    }

    private Future<Void> rooms(Settings set, RedisEndpoint endpoint) {
        Keys keys = new Keys(set.namespace(), set.buckets());
        Settings.Instances instances = set.instances();
        String server = UUID.randomUUID().toString();
        // callbacks come from a dispatcher too
        int dispatchers = Math.max(instances.dispatcher(), Math.min(1, instances.webhook()));
        int lists = Math.min(1, instances.dispatcher());
        Addresses addresses = new Addresses(
                server, instances.scanner(), dispatchers, lists, instances.gateway(), instances.webhook());
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        Stores stores = new Stores(endpoint, keys, new Meters(registry));
        Targets targets = new Targets(set.webhook().allow(), resolver);
        Ids ids = new Ids();
        SharedKey key = new SharedKey();
        Login login = new Login(set, new Sessions(set.users(), key::bytes));
        OpsRoutes ops = new OpsRoutes(registry);
        // Vert.x lets servers on the same negative port share one that is free
        int askedPort = set.http().port() == 0
                ? -freePorts.incrementAndGet()
                : set.http().port();
        MoreRoutes more = new Dashboard().and(FrontDoor.ofMainPort(set, stores.meters(), targets));
        List<IngressVerticle> doors = new ArrayList<>();
        List<FrontVerticle> ownDoors = new ArrayList<>();
        for (int i = 0; i < instances.ingress(); i++) {
            doors.add(new IngressVerticle(set, stores, addresses, targets, ids, login, ops, more, askedPort, i));
        }
        if (!doors.isEmpty()) {
            FrontDoor.announce(set);
            FrontDoor.ofTheirOwn(set, stores.meters(), targets)
                    .forEach((at, door) -> ownDoors.add(new FrontVerticle(
                            set, at, login.access(), stores, addresses, ids, door, "front-" + ownDoors.size())));
        }
        // whoever runs a server can ask it how it is, also one that takes no jobs
        OpsVerticle window =
                doors.isEmpty() ? new OpsVerticle(set, login.access(), stores, addresses, ops, askedPort) : null;
        int woken = Math.min(1, instances.scanner() + dispatchers);
        return check(endpoint, keys, set.users().isEmpty() ? null : key)
                .compose(ok -> deploy(lists, i -> new ListVerticle(stores, addresses)))
                .compose(ok -> deploy(woken, i -> new WakeVerticle(stores, addresses)))
                .compose(ok -> deploy(instances.scanner(), i -> new ScannerVerticle(stores, addresses, i)))
                .compose(ok -> deploy(dispatchers, i -> new DispatchVerticle(stores, addresses, i)))
                .compose(ok -> deploy(
                        instances.webhook(), i -> new WebhookVerticle(set.webhook(), stores, addresses, targets, i)))
                .compose(ok -> window == null ? deploy(doors.size(), doors::get) : deploy(1, i -> window))
                .compose(ok -> deploy(ownDoors.size(), ownDoors::get))
                .compose(ok -> deploy(
                        set.intakeList() == null ? 0 : Math.min(1, instances.ingress()),
                        i -> new IntakeVerticle(stores, ids, set.intakeList(), JobText.json(targets), targets)))
                .compose(ok -> deploy(
                        FrontDoor.takesTasks(set) ? Math.min(1, instances.ingress()) : 0,
                        i -> new IntakeVerticle(
                                stores, ids, C3Task.TOPIC, C3Task.onList(targets), targets, C3Task::judge)))
                .compose(ok -> deploy(
                        set.compat().contains(Compat.C5) ? Math.min(1, instances.scanner()) : 0,
                        i -> new DelayerBridge(stores)))
                .compose(
                        ok -> deploy(instances.gateway(), i -> new GatewayVerticle(stores, addresses, targets, ids, i)))
                .onSuccess(ok -> port = window == null ? doors.get(0).actualPort() : window.actualPort())
                .compose(ok -> deploy(1, i -> new HeartbeatVerticle(stores, addresses, member(server, set))));
    }

    private Member member(String id, Settings set) {
        List<String> roles = set.instances().roles().stream().map(Role::word).toList();
        String host = set.http().host();
        String address = set.http().scheme() + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        return new Member(id, roles, address, version(), 0, 0);
    }

    static String version() {
        String version = Server.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    private Future<Void> check(RedisEndpoint endpoint, Keys keys, SharedKey key) {
        return unlessStopping(() -> {
            List<StartCheck> checks = StartCheck.all(vertx, endpoint, keys, key);
            toClose.push(
                    () -> Future.join(checks.stream().map(StartCheck::abandon).toList()));
            Promise<Void> refused = Promise.promise();
            checks.forEach(check -> check.refusedLater().onFailure(refused::tryFail));
            refused.future().onFailure(error -> {
                log.error("stops by itself: {}", error.getMessage());
                stop().onComplete(stopped -> unfit.tryFail(error));
            });
            return Future.all(checks.stream().map(StartCheck::passed).toList()).mapEmpty();
        });
    }

    private Future<Void> deploy(int count, IntFunction<? extends Deployable> room) {
        return unlessStopping(() -> {
            List<Future<String>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                all.add(vertx.deployVerticle(room.apply(i)));
            }
            toClose.push(() -> Future.join(all.stream().map(this::undeployed).toList()));
            return Future.join(all).mapEmpty();
        });
    }

    /** Also one that is still starting: Redis must not go away under it. */
    private Future<Void> undeployed(Future<String> deploying) {
        return deploying.transform(id -> id.succeeded() ? vertx.undeploy(id.result()) : Future.<Void>succeededFuture());
    }
}
