package io.delayq.webhook;

import io.delayq.bus.Addresses;
import io.delayq.bus.Batch;
import io.delayq.bus.Courier;
import io.delayq.bus.Demand;
import io.delayq.bus.Withdrawal;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The demand for jobs that go by callback: each topic that is said to have some is a consumer at the dispatcher, and all
 * share the room there is. A topic that has had none for a while is left. Owned by one event loop.
 */
final class Lines {
    private static final long SILENT_NANOS = 5_000_000_000L;
    /** Demand that grew by less than this part of a topic's share is told later, along with more. */
    private static final int PARTS = 4;

    /** The jobs of one topic. */
    private static final class Line {
        final String name;
        final long consumer;
        long taken;
        long granted;
        int held;
        long heardNanos;

        Line(String name, long consumer) {
            this.name = name;
            this.consumer = consumer;
        }
    }

    private final Courier courier;
    private final Addresses addresses;
    private final String room;
    private final int mostHeld;
    private final BooleanSupplier full;
    private final Map<String, Line> lines = new LinkedHashMap<>();
    private final Map<Long, Line> byConsumer = new HashMap<>();
    private final Set<Line> changed = new LinkedHashSet<>();
    private long consumers;
    private boolean wasFull;
    private boolean closed;

    /**
     * @param mostHeld jobs at a time
     * @param full whether there is no room for another reason
     */
    Lines(Courier courier, Addresses addresses, String room, int mostHeld, BooleanSupplier full) {
        this.courier = courier;
        this.addresses = addresses;
        this.room = room;
        this.mostHeld = mostHeld;
        this.full = full;
    }

    /** The topic behind that name may have jobs. */
    void heard(String name) {
        if (closed) {
            return;
        }
        Line line = lines.get(name);
        if (line == null) {
            line = new Line(name, ++consumers);
            lines.put(name, line);
            byConsumer.put(line.consumer, line);
            line.heardNanos = System.nanoTime();
            announce(line);
        }
        line.heardNanos = System.nanoTime();
    }

    /** Whether the batch's jobs are this room's now. */
    boolean take(Batch batch) {
        Line line = byConsumer.get(batch.consumer());
        if (line == null || closed) {
            withdraw(batch.consumer(), batch.topic());
            return false;
        }
        line.taken += batch.jobs().size();
        line.held += batch.jobs().size();
        line.heardNanos = System.nanoTime();
        return true;
    }

    /** A job is over. */
    void settled(String name) {
        Line line = lines.get(name);
        if (line != null) {
            line.held--;
            changed.add(line);
        }
    }

    /** After some jobs were settled: what room there is again is told if it is worth it. */
    void announceChanged() {
        boolean isFull = full.getAsBoolean();
        if (wasFull && !isFull) {
            changed.addAll(lines.values());
        }
        wasFull = isFull;
        long step = Math.max(1, share() / PARTS);
        for (Line line : changed) {
            if (lines.get(line.name) == line && (line.held == 0 || granted(line) - line.granted >= step)) {
                announce(line);
            }
        }
        changed.clear();
    }

    /** Demand is to be repeated; and who has been silent for long is left. */
    void lookAfter() {
        long now = System.nanoTime();
        for (Line line : List.copyOf(lines.values())) {
            if (line.held == 0 && now - line.heardNanos > SILENT_NANOS) {
                leave(line);
            } else {
                announce(line);
            }
        }
    }

    void close() {
        closed = true;
        List.copyOf(lines.values()).forEach(this::leave);
    }

    private void leave(Line line) {
        lines.remove(line.name);
        byConsumer.remove(line.consumer);
        withdraw(line.consumer, line.name);
    }

    private void withdraw(long consumer, String name) {
        courier.send(addresses.dispatcherOf(name), new Withdrawal(room, consumer, name));
    }

    private void announce(Line line) {
        line.granted = granted(line);
        courier.send(
                addresses.dispatcherOf(line.name),
                () -> byConsumer.containsKey(line.consumer)
                        ? new Demand(room, line.consumer, line.name, line.taken, granted(line), false, false)
                        : null);
    }

    private long granted(Line line) {
        return line.taken + (full.getAsBoolean() ? 0 : Math.max(0, share() - line.held));
    }

    private long share() {
        return Math.max(1, mostHeld / Math.max(1, lines.size()));
    }
}
