package io.delayq.job;

import java.util.Collection;
import java.util.Locale;

/** What topics, ids and groups may be called. Each check gives null, or what was expected instead. */
public final class Names {
    public static final int MAX_TOPIC = 128;
    public static final int MAX_ID_BYTES = 256;

    private static final String TOPIC_RULE = "expected 1 to 128 of A-Z a-z 0-9 . _ : - starting with a letter or digit";
    private static final int LONGEST_GUESS = 40;

    private Names() {}

    public static String topicFault(String topic) {
        int length = topic.length();
        if (length == 0 || length > MAX_TOPIC || !isLetterOrDigit(topic.charAt(0))) {
            return TOPIC_RULE;
        }
        for (int i = 1; i < length; i++) {
            char c = topic.charAt(i);
            if (!isLetterOrDigit(c) && c != '.' && c != '_' && c != ':' && c != '-') {
                return TOPIC_RULE;
            }
        }
        return null;
    }

    /** {@code .} and {@code ..} are refused because clients and proxies resolve them away in a path. Groups likewise. */
    public static String idFault(String id) {
        if (id.equals(".") || id.equals("..")) {
            return "expected something other than . and .., which do not survive in a path";
        }
        if (id.isEmpty()) {
            return "expected at least one character; leave the field out for none";
        }
        return textFault(id, MAX_ID_BYTES);
    }

    /** For text that is stored and shown, and may be empty: no control characters, and at most so many bytes. */
    public static String textFault(String text, int maxBytes) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x20 || (c >= 0x7f && c < 0xa0)) {
                return "expected text without control characters";
            }
            if (Character.isSurrogate(c)) {
                if (!isPairAt(text, i)) {
                    return "expected valid Unicode, without half a surrogate pair";
                }
                i++;
                bytes += 4;
            } else {
                bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
            }
        }
        return bytes > maxBytes ? "expected at most " + maxBytes + " bytes of UTF-8, found " + bytes : null;
    }

    /** The known word that was probably meant, or null if none is close. */
    public static String nearest(String word, Collection<String> known) {
        if (word.length() > LONGEST_GUESS) {
            return null;
        }
        String lower = word.toLowerCase(Locale.ROOT);
        String best = null;
        int least = Math.min(2, word.length() / 2) + 1;
        for (String candidate : known) {
            int distance = distance(lower, candidate.toLowerCase(Locale.ROOT));
            if (distance < least) {
                least = distance;
                best = candidate;
            }
        }
        return best;
    }

    /** How many letters have to be put in, left out or changed to get from one to the other. */
    public static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }

    private static boolean isPairAt(String text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
    }

    private static boolean isLetterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}
