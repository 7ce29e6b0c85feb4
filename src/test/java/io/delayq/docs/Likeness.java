package io.delayq.docs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Compares what a document shows with what was printed. Times, leases, process numbers and ids that the server makes are
 * each time others; everything else has to be the same, character by character. A document may go on to use what it was
 * shown: {@link #translate} then puts in what was really printed.
 */
final class Likeness {
    private static final Pattern CHANGING = Pattern.compile(Stream.of(
                    "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z",
                    "(?m:^)\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?",
                    "\\b\\d{13}\\b",
                    "(?<=\"lease\":\")[0-9A-Za-z]+",
                    "\\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b",
                    "(?<=\\b(late|due in) )[0-9hms]+",
                    "(?<=\\b(pid|port)=)\\d+",
                    "(?<=\\bdir=)\\S+(?=/delayq/data/redis)",
                    "\\b(?=[a-z]*\\d)(?=\\d*[a-z])[0-9a-z]{13}\\b")
            .reduce((one, other) -> one + "|" + other)
            .orElseThrow());

    private final Map<String, String> shownToReal = new HashMap<>();

    boolean alike(String shown, String real) {
        return fixed(shown).equals(fixed(real));
    }

    /** What stays when that which changes is taken out; for the message of a failed comparison too. */
    static String fixed(String text) {
        return CHANGING.matcher(text.strip()).replaceAll("~");
    }

    /** Remembers which lease, id or time stands for which. The two must be alike. */
    void learn(String shown, String real) {
        List<String> shownParts = parts(shown);
        List<String> realParts = parts(real);
        for (int i = 0; i < shownParts.size(); i++) {
            shownToReal.put(shownParts.get(i), realParts.get(i));
        }
    }

    String translate(String commands) {
        return CHANGING.matcher(commands)
                .replaceAll(found -> Matcher.quoteReplacement(shownToReal.getOrDefault(found.group(), found.group())));
    }

    private static List<String> parts(String text) {
        List<String> parts = new ArrayList<>();
        CHANGING.matcher(text.strip()).results().forEach(result -> parts.add(result.group()));
        return parts;
    }
}
