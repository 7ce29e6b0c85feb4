package io.delayq.redis;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The addresses, {@code host:port}, of a cluster's nodes: those in the settings, which stay, and those that the cluster
 * told last. Shared by all event loops of a process.
 */
final class ClusterNodes {
    private final List<String> set;
    private final AtomicInteger turn =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(1_000));
    private volatile List<String> all;

    ClusterNodes(List<String> set) {
        this.set = List.copyOf(set);
        this.all = this.set;
    }

    List<String> all() {
        return all;
    }

    void told(Collection<String> addresses) {
        Set<String> known = new LinkedHashSet<>(addresses);
        known.addAll(set);
        all = List.copyOf(known);
    }

    /** One after the other, for whoever needs any node. */
    String next() {
        List<String> known = all;
        return known.get(Math.floorMod(turn.getAndIncrement(), known.size()));
    }
}
