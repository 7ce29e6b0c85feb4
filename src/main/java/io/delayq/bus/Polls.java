package io.delayq.bus;

import io.delayq.job.Delivery;
import io.delayq.redis.StoreException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The consumers that wait in HTTP requests. Each announces its demand to the dispatcher, takes one batch and is gone.
 * Owned by its verticle's event loop.
 */
public final class Polls {
    private static final long REPEAT_MILLIS = 1_000;
    private static final int REMEMBERED_BATCHES = 10_000;

    private record Poll(long id, Demand demand, BooleanSupplier gone, Promise<List<Delivery>> promise, long timer) {}

    private final Vertx vertx;
    private final Courier courier;
    private final Addresses addresses;
    private final String room;
    private final BooleanSupplier storeUp;
    private final long answerMillis;
    private final Map<Long, Poll> polls = new LinkedHashMap<>();
    private final Set<String> taken = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED_BATCHES;
        }
    });
    private long ids;
    private long repeatTimer = -1;
    private boolean draining;

    /**
     * @param storeUp whether Redis is in reach
     * @param answerMillis how long one that does not wait gives the dispatcher
     */
    public Polls(Vertx vertx, Addresses addresses, String room, BooleanSupplier storeUp, long answerMillis) {
        this.vertx = vertx;
        this.courier = new Courier(vertx);
        this.addresses = addresses;
        this.room = room;
        this.storeUp = storeUp;
        this.answerMillis = answerMillis;
    }

    public Future<?> start() {
        return vertx.eventBus().consumer(addresses.room(room), this::received).completion();
    }

    public int waiting() {
        return polls.size();
    }

    /** @param gone whether the client is known to have left, so that it takes no job with it */
    public Future<List<Delivery>> open(String topic, int max, long waitMillis, BooleanSupplier gone) {
        if (draining) {
            // its body was still on the way when the stop began
            return Future.succeededFuture(List.of());
        }
        long id = ++ids;
        boolean now = waitMillis == 0;
        Demand demand = new Demand(room, id, topic, 0, max, true, now);
        long timer = vertx.setTimer(now ? answerMillis : waitMillis, fired -> end(id, now));
        Poll poll = new Poll(id, demand, gone, Promise.promise(), timer);
        polls.put(id, poll);
        announce(poll);
        if (repeatTimer < 0) {
            repeatTimer = vertx.setTimer(REPEAT_MILLIS, fired -> repeat());
        }
        return poll.promise.future();
    }

    /** The client has left. */
    public void leave(Future<List<Delivery>> opened) {
        polls.values().stream()
                .filter(poll -> poll.promise.future() == opened)
                .findFirst()
                .ifPresent(poll -> end(poll.id, false));
    }

    /** Sends everyone home without jobs, also who comes later. */
    public void drain() {
        draining = true;
        List.copyOf(polls.keySet()).forEach(id -> end(id, false));
    }

    private void end(long id, boolean unanswered) {
        Poll poll = polls.remove(id);
        if (poll == null) {
            return;
        }
        vertx.cancelTimer(poll.timer);
        courier.send(addresses.dispatcherOf(poll.demand.topic()), new Withdrawal(room, id, poll.demand.topic()));
        if (unanswered || !storeUp.getAsBoolean()) {
            poll.promise.fail(new StoreException(StoreException.Kind.UNAVAILABLE, "Redis is out of reach"));
        } else {
            poll.promise.complete(List.of());
        }
    }

    private void received(Message<Batch> message) {
        Batch batch = message.body();
        Poll poll = polls.get(batch.consumer());
        boolean take = poll != null && !poll.gone.getAsBoolean();
        if (take) {
            polls.remove(poll.id);
            vertx.cancelTimer(poll.timer);
            taken.add(batch.number());
            poll.promise.complete(batch.jobs());
        }
        message.reply(take || taken.contains(batch.number()), Addresses.options());
    }

    /** The net under a demand that was lost on its way. */
    private void repeat() {
        polls.values().forEach(this::announce);
        repeatTimer = polls.isEmpty() ? -1 : vertx.setTimer(REPEAT_MILLIS, fired -> repeat());
    }

    private void announce(Poll poll) {
        courier.send(
                addresses.dispatcherOf(poll.demand.topic()), () -> polls.containsKey(poll.id) ? poll.demand : null);
    }
}
