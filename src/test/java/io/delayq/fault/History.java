package io.delayq.fault;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** All that the clients of a run did and saw, and what was done to them. Times are milliseconds by one clock. */
final class History {
    /** UNKNOWN: no answer, or one that says it may have happened. */
    enum Outcome {
        YES,
        NO,
        UNKNOWN
    }

    /** @param due as answered; 0 unless the outcome is YES */
    record Push(String id, Outcome outcome, long due) {}

    /**
     * @param consumer a name that no other connection had
     * @param server a name that no other process had
     */
    record Delivery(
            String id, String lease, int attempt, long due, long deadline, long at, String consumer, String server) {}

    /** @param sent when it was sent, which is before it took effect */
    record Ack(String id, String lease, Outcome outcome, long sent) {}

    /** @param victim the consumer or server it happened to; any other word for what concerns all */
    record Fault(String what, String victim, long at) {}

    private final Queue<Push> pushes = new ConcurrentLinkedQueue<>();
    private final Queue<Delivery> deliveries = new ConcurrentLinkedQueue<>();
    private final Queue<Ack> acks = new ConcurrentLinkedQueue<>();
    private final Queue<Fault> faults = new ConcurrentLinkedQueue<>();
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();

    static long now() {
        return System.currentTimeMillis();
    }

    void add(Push push) {
        pushes.add(push);
    }

    void add(Delivery delivery) {
        deliveries.add(delivery);
    }

    void add(Ack ack) {
        acks.add(ack);
    }

    void fault(String what, String victim) {
        faults.add(new Fault(what, victim, now()));
    }

    void add(Fault fault) {
        faults.add(fault);
    }

    /** An answer that no client should ever get. */
    void error(String text) {
        errors.add(text);
    }

    List<Push> pushes() {
        return List.copyOf(pushes);
    }

    List<Delivery> deliveries() {
        return List.copyOf(deliveries);
    }

    List<Ack> acks() {
        return List.copyOf(acks);
    }

    List<Fault> faults() {
        return List.copyOf(faults);
    }

    List<String> errors() {
        return List.copyOf(errors);
    }
}
