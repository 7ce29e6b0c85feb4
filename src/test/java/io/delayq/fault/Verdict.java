package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.fault.History.Ack;
import io.delayq.fault.History.Delivery;
import io.delayq.fault.History.Fault;
import io.delayq.fault.History.Outcome;
import io.delayq.fault.History.Push;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongBinaryOperator;
import java.util.stream.Collectors;

/**
 * What a history proves, in the manner of Jepsen's total-queue. To be made when the topic is drained: a job that was
 * taken, or seen, and of which no ack took effect or may have, is lost.
 */
final class Verdict {
    private static final Path DIR = Path.of("target/faults");

    /**
     * @param leaseMillis of every job, which comes again at once when it ends
     * @param clockMillis how far the clock of Redis is ahead of that of the history, at most
     * @param orphans what a look at the keys found wrong
     * @param stolenMillis what the host of this machine took away between two times
     */
    record Terms(long leaseMillis, long clockMillis, List<String> orphans, LongBinaryOperator stolenMillis) {
        Terms(long leaseMillis, long clockMillis, List<String> orphans) {
            this(leaseMillis, clockMillis, orphans, (from, to) -> 0);
        }
    }

    final Set<String> lost = new TreeSet<>();
    final Set<String> unexpected = new TreeSet<>();
    final Set<String> unexplained = new TreeSet<>();
    final Set<String> early = new TreeSet<>();
    final Set<String> staleTaken = new TreeSet<>();
    final Set<String> ackedTwice = new TreeSet<>();
    final List<String> orphans;
    final List<String> errors;
    int accepted;
    int indeterminate;
    int refused;
    int delivered;
    int acked;
    int duplicated;
    int mostAcks;
    int staleRefused;
    /** How long after the end of its lease a job came again, at most, without what the host took away meanwhile. */
    long redeliveryMillis;

    private final String name;
    private final History history;
    private final Terms terms;
    private final Map<String, Push> pushes = new HashMap<>();
    private final Map<String, List<Delivery>> deliveries = new HashMap<>();
    private final Map<String, List<Ack>> acks = new HashMap<>();
    private final Map<String, Long> ends = new HashMap<>();
    private final List<Long> lateness;

    /** @param name of the run and its files */
    Verdict(String name, History history, Terms terms) {
        this.name = name;
        this.history = history;
        this.terms = terms;
        this.orphans = terms.orphans;
        this.errors = history.errors();
        history.pushes().forEach(push -> pushes.put(push.id(), push));
        history.deliveries().forEach(delivery -> deliveries
                .computeIfAbsent(delivery.id(), id -> new ArrayList<>())
                .add(delivery));
        deliveries.values().forEach(list -> list.sort(Comparator.comparingLong(Delivery::at)));
        history.acks().forEach(ack -> acks.computeIfAbsent(ack.id(), id -> new ArrayList<>())
                .add(ack));
        history.faults().forEach(fault -> ends.merge(fault.victim(), fault.at(), Math::min));
        this.lateness = history.deliveries().stream()
                .map(delivery -> delivery.at() - delivery.due())
                .sorted()
                .toList();
        pushes.values().forEach(this::judge);
        deliveries.forEach(this::judge);
        acks.values().forEach(this::judge);
        delivered = deliveries.size();
    }

    private void judge(Push push) {
        switch (push.outcome()) {
            case YES -> {
                accepted++;
                if (!maySettled(push.id())) {
                    lost.add(push.id());
                }
            }
            case NO -> refused++;
            case UNKNOWN -> indeterminate++;
        }
    }

    private List<Ack> acksOf(String id) {
        return acks.getOrDefault(id, List.of());
    }

    private boolean maySettled(String id) {
        return acksOf(id).stream().anyMatch(ack -> ack.outcome() != Outcome.NO);
    }

    private void judge(String id, List<Delivery> list) {
        Push push = pushes.get(id);
        if (push == null || push.outcome() == Outcome.NO) {
            unexpected.add(id);
        } else if (!maySettled(id)) {
            lost.add(id);
        }
        long due = push == null ? 0 : push.due();
        Delivery before = null;
        for (Delivery delivery : list) {
            if (delivery.at() + terms.clockMillis < Math.max(due, delivery.due())) {
                early.add(id);
            }
            if (before != null) {
                duplicated++;
                if (!isExplained(before, delivery)) {
                    unexplained.add(id);
                }
            }
            again(before, delivery, due);
            before = delivery;
        }
    }

    /** It was not settled before, and its lease had ended or whoever had it was gone. */
    private boolean isExplained(Delivery before, Delivery again) {
        boolean wasSettled = acksOf(again.id()).stream()
                .anyMatch(ack -> ack.outcome() == Outcome.YES && attempt(ack) < again.attempt());
        return !wasSettled
                && !before.lease().equals(again.lease())
                && (again.at() + terms.clockMillis >= before.deadline()
                        || endOf(before.consumer()) <= again.at()
                        || endOf(before.server()) <= again.at());
    }

    private long endOf(String victim) {
        return ends.getOrDefault(victim, Long.MAX_VALUE);
    }

    private int attempt(Ack ack) {
        return deliveries.getOrDefault(ack.id(), List.of()).stream()
                .filter(delivery -> delivery.lease().equals(ack.lease()))
                .mapToInt(Delivery::attempt)
                .findFirst()
                .orElse(Integer.MAX_VALUE);
    }

    /** Attempts that nobody saw, because a server died with them, take a lease each. */
    private void again(Delivery before, Delivery delivery, long due) {
        int steps = delivery.attempt() - (before == null ? 1 : before.attempt());
        long from = before == null ? due : before.deadline() - terms.leaseMillis;
        if (steps > 0 && from > 0) {
            long ended = from + steps * terms.leaseMillis;
            long late = delivery.at() - ended - terms.stolenMillis.applyAsLong(ended, delivery.at());
            redeliveryMillis = Math.max(redeliveryMillis, late / steps);
        }
    }

    private void judge(List<Ack> list) {
        int taken = 0;
        for (Ack ack : list) {
            boolean isStale = deliveries.getOrDefault(ack.id(), List.of()).stream()
                    .anyMatch(other -> other.at() < ack.sent() && other.attempt() > attempt(ack));
            if (ack.outcome() == Outcome.YES) {
                taken++;
                if (isStale) {
                    staleTaken.add(ack.id());
                }
            } else if (ack.outcome() == Outcome.NO && isStale) {
                staleRefused++;
            }
        }
        acked += taken > 0 ? 1 : 0;
        mostAcks = Math.max(mostAcks, taken);
        if (taken > 1) {
            ackedTwice.add(list.get(0).id());
        }
    }

    private long lateness(double share) {
        return lateness.isEmpty() ? 0 : lateness.get((int) ((lateness.size() - 1) * share));
    }

    /** All of it in one line. */
    String line() {
        Map<String, Long> faults = history.faults().stream()
                .collect(Collectors.groupingBy(Fault::what, TreeMap::new, Collectors.counting()));
        return name + ": accepted " + accepted + ", indeterminate " + indeterminate + ", refused " + refused
                + ", delivered " + delivered + ", acked " + acked + ", lost " + lost.size() + ", unexpected "
                + unexpected.size() + ", duplicated " + duplicated + " (unexplained " + unexplained.size() + "), early "
                + early.size() + ", acks a job at most " + mostAcks + ", stale leases refused " + staleRefused + " of "
                + (staleRefused + staleTaken.size()) + ", orphans " + orphans.size() + ", errors " + errors.size()
                + ", redelivered at most " + redeliveryMillis + " ms after the lease, lateness p50 " + lateness(0.5)
                + " p99 " + lateness(0.99) + " max " + lateness(1) + " ms, faults " + faults;
    }

    /** Prints the line, and writes it as JSON and the lateness as a plot. */
    Verdict report() throws IOException {
        System.out.println(line());
        Files.createDirectories(DIR);
        Files.writeString(DIR.resolve(name + ".json"), json().encodePrettily() + "\n");
        Files.writeString(DIR.resolve(name + ".svg"), LatenessPlot.of(name, history));
        return this;
    }

    JsonObject json() {
        JsonArray faults = new JsonArray();
        history.faults()
                .forEach(fault -> faults.add(new JsonObject()
                        .put("at", fault.at())
                        .put("what", fault.what())
                        .put("victim", fault.victim())));
        return new JsonObject()
                .put("name", name)
                .put("accepted", accepted)
                .put("indeterminate", indeterminate)
                .put("refused", refused)
                .put("delivered", delivered)
                .put("acked", acked)
                .put("lost", some(lost))
                .put("unexpected", some(unexpected))
                .put("duplicated", duplicated)
                .put("unexplained", some(unexplained))
                .put("early", some(early))
                .put("mostAcksOfAJob", mostAcks)
                .put("ackedTwice", some(ackedTwice))
                .put("staleRefused", staleRefused)
                .put("staleTaken", some(staleTaken))
                .put("orphans", some(orphans))
                .put("errors", some(errors))
                .put("redeliveryMillis", redeliveryMillis)
                .put(
                        "latenessMillis",
                        new JsonObject()
                                .put("p50", lateness(0.5))
                                .put("p99", lateness(0.99))
                                .put("max", lateness(1)))
                .put("faults", faults);
    }

    /** How many, and the first of them. */
    private static JsonObject some(java.util.Collection<String> all) {
        JsonArray first = new JsonArray();
        all.stream().limit(20).forEach(first::add);
        return new JsonObject().put("count", all.size()).put("first", first);
    }

    /** Nothing that is promised was broken. */
    void assertKept() {
        assertEquals(Set.of(), lost, "lost");
        assertEquals(Set.of(), unexpected, "unexpected");
        assertEquals(Set.of(), unexplained, "delivered again without a reason");
        assertEquals(Set.of(), early, "early");
        assertEquals(Set.of(), ackedTwice, "acked twice");
        assertEquals(Set.of(), staleTaken, "acked with a lease that had ended");
        assertEquals(List.of(), orphans, "orphans");
        assertEquals(List.of(), errors, "errors");
    }
}
