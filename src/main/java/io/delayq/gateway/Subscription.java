package io.delayq.gateway;

import io.delayq.bus.Demand;
import io.delayq.job.Delivery;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One topic on one connection: what it was sent and has not settled. Owned by its session. */
final class Subscription {
    /** One message on its way to the client. */
    static final class Outgoing {
        boolean sent;
    }

    /** A job that the client holds. */
    static final class Held {
        final String id;
        final String lease;
        final Outgoing message;
        /** Its ack or nack is on the way to the store: the end of the connection must not overtake it. */
        boolean settling;
        /** It was held at the last look already. */
        boolean seen;

        Held(String id, String lease, Outgoing message) {
            this.id = id;
            this.lease = lease;
            this.message = message;
        }
    }

    final String topic;
    private final Map<String, Held> held = new LinkedHashMap<>();
    private long consumer;
    private int prefetch;
    private long taken;
    private boolean active;

    Subscription(String topic) {
        this.topic = topic;
    }

    /** @param number a new one each time: the dispatcher counts what a consumer was given, and forgets who withdraws */
    void join(long number) {
        consumer = number;
        taken = 0;
        active = true;
    }

    long consumer() {
        return consumer;
    }

    void setPrefetch(int most) {
        prefetch = most;
    }

    /** No more jobs come; what is held stays held. */
    void unsubscribe() {
        active = false;
    }

    boolean isActive() {
        return active;
    }

    int room() {
        return active ? Math.max(0, prefetch - held.size()) : 0;
    }

    int prefetch() {
        return prefetch;
    }

    int unsettled() {
        return held.size();
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** What to tell the dispatcher. */
    Demand demand(String roomName, boolean full) {
        return new Demand(roomName, consumer, topic, taken, taken + (full ? 0 : room()), false, false);
    }

    void take(List<Delivery> jobs, Outgoing message) {
        taken += jobs.size();
        jobs.forEach(job -> held.put(job.id(), new Held(job.id(), job.lease(), message)));
    }

    /** Its settling has begun, or has failed. */
    void settling(String id, String lease, boolean begun) {
        Held job = held.get(id);
        if (job != null && job.lease.equals(lease)) {
            job.settling = begun;
        }
    }

    /** @return whether that made room */
    boolean settle(String id, String lease) {
        Held job = held.get(id);
        return job != null && job.lease.equals(lease) && held.remove(id) != null;
    }

    /** It is still held: others are checked before it next time. */
    void checked(Held job) {
        if (held.remove(job.id, job)) {
            held.put(job.id, job);
        }
    }

    /** Of the longest held ones, or the longest not checked: those that were there at the last such look too. */
    List<Held> oldest(int most) {
        List<Held> old = new ArrayList<>();
        held.values().stream().limit(most).forEach(job -> {
            if (job.seen && !job.settling) {
                old.add(job);
            }
            job.seen = true;
        });
        return old;
    }

    List<Held> clear() {
        List<Held> all = new ArrayList<>(held.values());
        held.clear();
        return all;
    }
}
