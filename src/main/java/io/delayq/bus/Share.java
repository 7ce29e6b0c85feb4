package io.delayq.bus;

import java.util.Set;

/** The buckets whose scanning is this server's, of all servers that live. */
public record Share(Set<Integer> buckets) {
    public Share {
        buckets = Set.copyOf(buckets);
    }
}
