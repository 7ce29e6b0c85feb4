package io.delayq.config;

import io.delayq.job.Names;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** Which known name somebody most likely meant. */
final class Nearest {
    private Nearest() {}

    static String to(String name, Collection<String> known) {
        return known.stream()
                .min(Comparator.<String>comparingInt(candidate -> distance(name, candidate))
                        .thenComparing(Comparator.naturalOrder()))
                .orElseThrow();
    }

    /** A name without its section counts as nearly right: {@code port} is near {@code http.port}. */
    private static int distance(String name, String candidate) {
        int whole = edits(name, candidate);
        int dot = candidate.lastIndexOf('.');
        return dot < 0 ? whole : Math.min(whole, 1 + edits(name, candidate.substring(dot + 1)));
    }

    /** Letter case aside. */
    static int edits(String one, String other) {
        return Names.distance(one.toLowerCase(Locale.ROOT), other.toLowerCase(Locale.ROOT));
    }
}
