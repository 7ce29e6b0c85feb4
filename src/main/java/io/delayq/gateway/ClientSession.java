package io.delayq.gateway;

import io.delayq.bus.Batch;
import io.delayq.bus.Connections;
import io.delayq.gateway.Subscription.Held;
import io.delayq.gateway.Subscription.Outgoing;
import io.delayq.http.Answers;
import io.delayq.http.JobJson;
import io.delayq.http.Problem;
import io.delayq.http.Visitor;
import io.delayq.job.Delivery;
import io.delayq.redis.Store;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One WebSocket connection: its subscriptions, what it holds, and what is on its way to it. What its messages ask for is
 * done in {@link FrameHandler}. Owned by its gateway's event loop.
 */
final class ClientSession implements Visitor.Listener {
    static final int MAX_SUBSCRIPTIONS = 1_000;
    private static final int MAX_BAD_IN_A_ROW = 20;
    private static final int MAX_UNSENT_BYTES = 1 << 20;
    /** Short enough for a slow line to carry in the time of a stuck one. One long job may make it longer. */
    private static final int JOBS_MESSAGE = 128 * 1024;

    private static final int MISSED_PONGS = 2;
    private static final long STUCK_NANOS = 30_000_000_000L;
    private static final int CHECKED_AT_ONCE = 1_000;

    private static final int GOING_AWAY = 1001;
    private static final int POLICY = 1008;

    private final GatewayVerticle gateway;
    private final Visitor visitor;
    private final String by;
    private final Context context;
    private final FrameHandler frames;
    private final Map<String, Subscription> subscriptions = new LinkedHashMap<>();
    private final Set<Subscription> toAnnounce = new LinkedHashSet<>();
    private final Deque<byte[]> later = new ArrayDeque<>();
    private final String id;
    private final long since = System.currentTimeMillis();
    /** When each message was written that the socket has not taken yet; it takes them in turn. */
    private final Deque<Long> unsent = new ArrayDeque<>();

    private int unsentBytes;
    private long lastSent = System.nanoTime();
    private int badInARow;
    private int unansweredPings;
    private boolean draining;
    /** It is gone, and its last messages wait. */
    private boolean leaving;

    private boolean ended;

    ClientSession(GatewayVerticle gateway, Visitor visitor, Context context, FrameHandler frames, String id) {
        this.id = id;
        this.gateway = gateway;
        this.visitor = visitor;
        this.by = visitor.by();
        this.context = context;
        this.frames = frames;
    }

    void open() {
        visitor.listen(context, this);
    }

    /** What comes while the store has enough to do waits here, and the client is read no further. */
    @Override
    public void message(byte[] text) {
        if (later.isEmpty() && !gateway.isBusy()) {
            handle(text);
            return;
        }
        later.add(text);
        visitor.holdBack(true);
        gateway.waits(this);
    }

    /** @return whether another message waits */
    boolean goOn() {
        handle(later.poll());
        if (!later.isEmpty()) {
            return true;
        }
        if (leaving) {
            ended();
        } else {
            visitor.holdBack(isFull());
        }
        return false;
    }

    private void handle(byte[] text) {
        if (ended) {
            return;
        }
        Buffer ref = null;
        try {
            FrameReader.Head head = FrameReader.head(text);
            ref = head.ref();
            frames.handle(
                    this,
                    visitor.caller(),
                    FrameReader.read(head, text, gateway.ids(), System.currentTimeMillis(), gateway.targets()));
            badInARow = 0;
        } catch (RuntimeException e) {
            Problem problem = Answers.problem(e);
            error(ref, problem);
            if (problem.status() < 500 && ++badInARow >= MAX_BAD_IN_A_ROW) {
                visitor.close(POLICY, MAX_BAD_IN_A_ROW + " bad messages in a row");
            }
        }
    }

    @Override
    public void pong() {
        unansweredPings = 0;
    }

    /** Gives back at once what the client holds: what reached it has used an attempt, what did not has not. */
    @Override
    public void ended() {
        if (ended) {
            return;
        }
        if (!later.isEmpty()) {
            // what it said last may be acks, which count
            leaving = true;
            subscriptions.values().forEach(gateway::withdraw);
            return;
        }
        ended = true;
        for (Subscription subscription : subscriptions.values()) {
            gateway.withdraw(subscription);
            for (Held job : subscription.clear()) {
                if (!job.settling) {
                    giveBack(subscription.topic, job.id, job.lease, job.message.sent);
                }
            }
        }
        gateway.left(this);
    }

    private void giveBack(String topic, String id, String lease, boolean sent) {
        Store store = gateway.store();
        store.untilAnswered(() -> sent
                ? store.lost(topic, id, lease, by).mapEmpty()
                : store.release(topic, id, lease).mapEmpty());
    }

    int unsettled() {
        return subscriptions.values().stream().mapToInt(Subscription::unsettled).sum();
    }

    Connections.One seen() {
        Long oldest = unsent.peek();
        String address = visitor.address();
        boolean named = by.endsWith("@" + address);
        return new Connections.One(
                id,
                address,
                named ? by.substring(0, by.length() - address.length() - 1) : null,
                since,
                subscriptions.values().stream()
                        .filter(Subscription::isActive)
                        .map(each -> new Connections.Subscribed(each.topic, each.prefetch(), each.unsettled()))
                        .toList(),
                unsettled(),
                oldest == null ? 0 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - oldest));
    }

    String by() {
        return by;
    }

    /** The client's word on a job is on its way to the store. */
    void settling(String topic, String id, String lease) {
        Subscription subscription = subscriptions.get(topic);
        if (subscription != null) {
            subscription.settling(id, lease, true);
        }
    }

    /** It did not get there: the job is the client's still, or goes back if the client is gone. */
    void settlingFailed(String topic, String id, String lease) {
        Subscription subscription = subscriptions.get(topic);
        if (ended) {
            giveBack(topic, id, lease, true);
        } else if (subscription != null) {
            subscription.settling(id, lease, false);
        }
    }

    Subscription subscription(String topic) {
        return subscriptions.get(topic);
    }

    int activeSubscriptions() {
        return (int)
                subscriptions.values().stream().filter(Subscription::isActive).count();
    }

    boolean isDraining() {
        return draining;
    }

    void subscribe(String topic, int prefetch) {
        Subscription subscription = subscriptions.computeIfAbsent(topic, Subscription::new);
        if (!subscription.isActive()) {
            gateway.joined(this, subscription);
        }
        subscription.setPrefetch(prefetch);
        announce(subscription);
    }

    void unsubscribe(String topic) {
        Subscription subscription = subscriptions.get(topic);
        if (subscription != null && subscription.isActive()) {
            subscription.unsubscribe();
            gateway.withdraw(subscription);
            forgetIfOver(subscription);
        }
    }

    /** The job is no longer the client's, as far as it was. */
    void settled(String topic, String id, String lease) {
        Subscription subscription = subscriptions.get(topic);
        if (subscription != null && subscription.settle(id, lease)) {
            announce(subscription);
            forgetIfOver(subscription);
            if (draining) {
                // not at once: the answer to this settling is sent after it, and must go out before the close
                context.runOnContext(v -> closeIfDone());
            }
        }
    }

    /** @return whether the batch is taken; refused, it goes back to ready */
    boolean take(Subscription subscription, Batch batch) {
        if (ended || isFull() || subscription.room() < batch.jobs().size()) {
            return false;
        }
        int from = 0;
        while (from < batch.jobs().size()) {
            from = sendJobs(subscription, batch.jobs(), from);
        }
        return true;
    }

    /** As many jobs as one message may hold; returns where the next one begins. */
    private int sendJobs(Subscription subscription, List<Delivery> jobs, int from) {
        Outgoing message = new Outgoing();
        Buffer text = Buffer.buffer(256 * (jobs.size() - from));
        text.appendString("{\"op\":\"jobs\",\"topic\":\"")
                .appendString(subscription.topic)
                .appendString("\",\"jobs\":[");
        int to = from;
        while (to < jobs.size() && (to == from || text.length() + JobJson.longest(jobs.get(to)) < JOBS_MESSAGE)) {
            if (to > from) {
                text.appendByte((byte) ',');
            }
            JobJson.delivery(text, jobs.get(to++), false);
        }
        text.appendString("]}");
        subscription.take(jobs.subList(from, to), message);
        send(text).onSuccess(done -> message.sent = true);
        return to;
    }

    /** Completes on this event loop, when the message has left. */
    Future<Void> send(Buffer text) {
        int bytes = text.length();
        boolean wasFull = isFull();
        if (unsentBytes == 0) {
            lastSent = System.nanoTime();
        }
        unsentBytes += bytes;
        unsent.add(System.nanoTime());
        if (!wasFull && isFull()) {
            visitor.holdBack(true);
            subscriptions.values().forEach(this::announce);
        }
        Promise<Void> promise = Promise.promise();
        visitor.send(text.toString(StandardCharsets.UTF_8))
                .onComplete(result -> context.runOnContext(v -> {
                    boolean full = isFull();
                    unsentBytes -= bytes;
                    unsent.poll();
                    lastSent = System.nanoTime();
                    if (full && !isFull()) {
                        visitor.holdBack(!later.isEmpty());
                        subscriptions.values().forEach(this::announce);
                    }
                    promise.handle(result);
                }));
        return promise.future();
    }

    void error(Buffer ref, Throwable cause) {
        Problem problem = Answers.problem(cause);
        send(JobJson.object()
                .text("op", "error")
                .raw("ref", ref)
                .raw("problem", problem.toJson())
                .end());
    }

    /** No more jobs come; settling is taken until nothing is held. */
    void drain() {
        draining = true;
        send(JobJson.object().text("op", "draining").end());
        List.copyOf(subscriptions.keySet()).forEach(this::unsubscribe);
        closeIfDone();
    }

    private void closeIfDone() {
        if (subscriptions.values().stream().allMatch(Subscription::isEmpty)) {
            goAway();
        }
    }

    /** What is still held goes back. */
    void goAway() {
        // first: when the last session has ended the door closes, and would close this one without a reason
        visitor.close(GOING_AWAY, "the server is stopping");
        ended();
    }

    /** Every second: is the client still reading, and does it still hold what we think it holds? */
    void lookAfter() {
        if (unsentBytes > 0 && System.nanoTime() - lastSent > STUCK_NANOS) {
            ended();
            visitor.abort();
            return;
        }
        for (Subscription subscription : subscriptions.values()) {
            announce(subscription);
            if (subscription.room() == 0) {
                checkHeld(subscription);
            }
        }
    }

    /** A job may have been settled elsewhere, or its lease may have ended: then its place is free again. */
    private void checkHeld(Subscription subscription) {
        for (Held job : subscription.oldest(CHECKED_AT_ONCE)) {
            gateway.store().isHeld(subscription.topic, job.id, job.lease).onSuccess(held -> {
                if (held) {
                    subscription.checked(job);
                } else {
                    settled(subscription.topic, job.id, job.lease);
                }
            });
        }
    }

    void ping() {
        if (unansweredPings++ >= MISSED_PONGS) {
            ended();
            visitor.abort();
        } else {
            visitor.ping();
        }
    }

    private boolean isFull() {
        return unsentBytes >= MAX_UNSENT_BYTES;
    }

    /** Once for all that this turn of the event loop brings. */
    private void announce(Subscription subscription) {
        if (toAnnounce.isEmpty()) {
            context.runOnContext(v -> {
                toAnnounce.forEach(changed -> gateway.announce(changed, this::isFull));
                toAnnounce.clear();
            });
        }
        toAnnounce.add(subscription);
    }

    private void forgetIfOver(Subscription subscription) {
        if (!subscription.isActive() && subscription.isEmpty()) {
            subscriptions.remove(subscription.topic, subscription);
        }
    }
}
