package io.delayq.gateway;

import io.delayq.bus.Addresses;
import io.delayq.bus.Batch;
import io.delayq.bus.Connections;
import io.delayq.bus.Courier;
import io.delayq.bus.Withdrawal;
import io.delayq.http.Targets;
import io.delayq.http.Visitor;
import io.delayq.job.IdSource;
import io.delayq.job.Ids;
import io.delayq.ops.Meters;
import io.delayq.redis.Store;
import io.delayq.redis.Stores;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Room 4 of push -> bucket -> ready -> <b>gateway</b> -> ack: pushes ready jobs to WebSocket clients. Connections come in
 * through the ingress' port and are served here, on this verticle's event loop and Redis connection.
 */
public final class GatewayVerticle extends VerticleBase {
    private static final long LOOK_AFTER_MILLIS = 1_000;
    private static final int PING_EVERY = 15;
    private static final long GRACE_MILLIS = 5_000;
    private static final int REMEMBERED_BATCHES = 10_000;
    private static final long BUSY_MILLIS = 2;
    private static final int MOST_SEEN = 1_000;
    private static final int MOST_SUBSCRIPTIONS_SEEN = 10_000;

    private final Stores stores;
    private final Addresses addresses;
    private final Targets targets;
    private final Meters meters;
    private final Ids ids;
    private final int instance;
    private final String room;
    private final Set<ClientSession> sessions = new LinkedHashSet<>();
    private final Map<Long, Seat> seats = new HashMap<>();
    private final Set<String> taken = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED_BATCHES;
        }
    });
    /** Sessions with messages that wait until the store has less to do, in turn. */
    private final Set<ClientSession> waiting = new LinkedHashSet<>();

    private Courier courier;
    private Store store;
    private FrameHandler frames;
    private long visits;
    private long consumers;
    private long rounds;
    private volatile int unsettled;
    private long timer;
    private Promise<Void> empty;

    /** Who a consumer's jobs go to. */
    private record Seat(ClientSession session, Subscription subscription) {}

    public GatewayVerticle(Stores stores, Addresses addresses, Targets targets, Ids ids, int instance) {
        this.stores = stores;
        this.addresses = addresses;
        this.targets = targets;
        this.meters = stores.meters();
        this.ids = ids;
        this.instance = instance;
        this.room = "gateway-" + instance;
    }

    @Override
    public Future<?> start() {
        courier = new Courier(vertx);
        store = stores.open(vertx, room);
        frames = new FrameHandler(store, targets, meters);
        meters.queue("sessions", room, sessions::size);
        meters.sessions(room, sessions::size, () -> unsettled);
        timer = vertx.setTimer(LOOK_AFTER_MILLIS, fired -> lookAfter());
        return vertx.eventBus()
                .consumer(addresses.room(room), this::received)
                .completion()
                .compose(ready -> vertx.eventBus()
                        .consumer(addresses.gateway(instance), this::visited)
                        .completion())
                .compose(ready -> store.ready());
    }

    /** Tells clients to settle what they hold, gives them their grace time, and closes. */
    @Override
    public Future<?> stop() {
        empty = Promise.promise();
        List.copyOf(sessions).forEach(ClientSession::drain);
        vertx.setTimer(GRACE_MILLIS, grace -> List.copyOf(sessions).forEach(ClientSession::goAway));
        completeIfEmpty();
        return empty.future()
                .onComplete(gone -> vertx.cancelTimer(timer))
                .compose(gone -> store.settled())
                .eventually(store::close);
    }

    Store store() {
        return store;
    }

    /** Half of what the store takes is left for what is under way already: acks must not be turned away, nor late. */
    boolean isBusy() {
        return store.isBehind()
                || store.waiting() >= Math.max(1, stores.endpoint().queue() / 2);
    }

    void waits(ClientSession session) {
        if (waiting.isEmpty()) {
            vertx.setTimer(BUSY_MILLIS, fired -> goOn());
        }
        waiting.add(session);
    }

    private void goOn() {
        Iterator<ClientSession> turns = List.copyOf(waiting).iterator();
        while (turns.hasNext() && !isBusy()) {
            ClientSession session = turns.next();
            // behind the others, if it has more
            waiting.remove(session);
            if (session.goOn()) {
                waiting.add(session);
            }
        }
        if (!waiting.isEmpty()) {
            vertx.setTimer(BUSY_MILLIS, fired -> goOn());
        }
    }

    Targets targets() {
        return targets;
    }

    IdSource ids() {
        return store.ids(ids);
    }

    void joined(ClientSession session, Subscription subscription) {
        subscription.join(++consumers);
        seats.put(subscription.consumer(), new Seat(session, subscription));
        meters.subscribed(subscription.topic, 1);
    }

    /** @param full whether the connection takes no more for now; asked anew if the message has to be repeated */
    void announce(Subscription subscription, BooleanSupplier full) {
        courier.send(
                addresses.dispatcherOf(subscription.topic),
                () -> seats.containsKey(subscription.consumer())
                        ? subscription.demand(room, full.getAsBoolean())
                        : null);
    }

    void withdraw(Subscription subscription) {
        if (seats.remove(subscription.consumer()) != null) {
            meters.subscribed(subscription.topic, -1);
            withdraw(subscription.consumer(), subscription.topic);
        }
    }

    private void withdraw(long consumer, String topic) {
        courier.send(addresses.dispatcherOf(topic), new Withdrawal(room, consumer, topic));
    }

    void left(ClientSession session) {
        sessions.remove(session);
        completeIfEmpty();
    }

    private void completeIfEmpty() {
        if (empty != null && sessions.isEmpty()) {
            empty.tryComplete();
        }
    }

    private void visited(Message<Object> message) {
        if (message.body() instanceof Connections.Wanted) {
            message.reply(connections(), Addresses.options());
            return;
        }
        if (empty != null) {
            message.fail(0, "stopping");
            return;
        }
        Visitor visitor = (Visitor) message.body();
        if (visitor.claim()) {
            ClientSession session = new ClientSession(this, visitor, context, frames, instance + "-" + ++visits);
            sessions.add(session);
            session.open();
        }
        message.reply(true, Addresses.options());
    }

    /** As many as one may reasonably look at. */
    private Connections connections() {
        List<Connections.One> all = new ArrayList<>();
        int subscriptions = 0;
        for (ClientSession session : sessions) {
            Connections.One one = session.seen();
            subscriptions += one.subscriptions().size();
            if (all.size() == MOST_SEEN || subscriptions > MOST_SUBSCRIPTIONS_SEEN) {
                return new Connections(all, true);
            }
            all.add(one);
        }
        return new Connections(all, false);
    }

    private void received(Message<Batch> message) {
        Batch batch = message.body();
        boolean known = taken.contains(batch.number());
        if (!known) {
            Seat seat = seats.get(batch.consumer());
            if (seat == null) {
                // it left and the dispatcher was not told, or will be soon
                withdraw(batch.consumer(), batch.topic());
            }
            known = seat != null && seat.session.take(seat.subscription, batch);
            if (known) {
                taken.add(batch.number());
            }
        }
        message.reply(known, Addresses.options());
    }

    private void lookAfter() {
        // armed first: one session's trouble must not end the round for all
        timer = vertx.setTimer(LOOK_AFTER_MILLIS, fired -> lookAfter());
        unsettled = sessions.stream().mapToInt(ClientSession::unsettled).sum();
        boolean ping = ++rounds % PING_EVERY == 0;
        for (ClientSession session : List.copyOf(sessions)) {
            session.lookAfter();
            if (ping) {
                session.ping();
            }
        }
    }
}
