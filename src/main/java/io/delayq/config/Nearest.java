package io.delayq.config;

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

    /** Levenshtein's distance, letter case aside. */
    static int edits(String one, String other) {
        String a = one.toLowerCase(Locale.ROOT);
        String b = other.toLowerCase(Locale.ROOT);
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
