package io.delayq.http;

import io.delayq.job.Names;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Paths as they were sent: split before they are decoded, so that an id may hold a slash. */
final class Paths {
    private Paths() {}

    /**
     * @throws Problem if a part is not percent-encoded UTF-8
     */
    static List<String> segments(String path) {
        List<String> segments = new ArrayList<>(8);
        for (int from = 1; ; ) {
            int slash = path.indexOf('/', from);
            segments.add(decode(slash < 0 ? path.substring(from) : path.substring(from, slash)));
            if (slash < 0) {
                return segments;
            }
            from = slash + 1;
        }
    }

    /** Whether a part is empty or dots, which routers and proxies take out. The root is tidy. */
    static boolean isUntidy(List<String> segments) {
        for (String part : segments) {
            if (part.isEmpty() || part.equals(".") || part.equals("..")) {
                return segments.size() > 1;
            }
        }
        return false;
    }

    /** Whether a path fits a pattern such as {@code /v1/topics/:topic}. */
    static boolean fits(String[] pattern, List<String> segments) {
        if (pattern.length != segments.size()) {
            return false;
        }
        for (int i = 0; i < pattern.length; i++) {
            if (!pattern[i].startsWith(":") && !pattern[i].equals(segments.get(i))) {
                return false;
            }
        }
        return true;
    }

    /**
     * The way to where a path was probably meant to lead, such as {@code /v1/topics/…}: as far as it is right, and the word
     * of a pattern that is nearest to the first wrong one. Null if none is near.
     */
    static String nearest(List<String[]> patterns, List<String> segments) {
        List<String[]> open = patterns;
        StringBuilder way = new StringBuilder();
        for (int i = 0; i < segments.size(); i++) {
            int at = i;
            String word = segments.get(i);
            List<String[]> longEnough =
                    open.stream().filter(pattern -> pattern.length > at).toList();
            List<String[]> fitting = longEnough.stream()
                    .filter(pattern -> pattern[at].startsWith(":") || pattern[at].equals(word))
                    .toList();
            if (fitting.isEmpty()) {
                Set<String> known = new TreeSet<>();
                longEnough.forEach(pattern -> known.add(pattern[at]));
                String near = Names.nearest(word, known);
                return near == null ? null : way + "/" + near + (at + 1 < segments.size() ? "/…" : "");
            }
            // what the client sent is not repeated
            way.append('/')
                    .append(fitting.get(0)[at].startsWith(":") ? "{" + fitting.get(0)[at].substring(1) + "}" : word);
            open = fitting;
        }
        return null;
    }

    /** All faults of the names in a path that fits the pattern. */
    static Faults faults(String[] pattern, List<String> segments) {
        Faults faults = new Faults();
        for (int i = 0; i < pattern.length; i++) {
            String value = segments.get(i);
            String fault = pattern[i].equals(":topic")
                    ? Names.topicFault(value)
                    : pattern[i].equals(":id") || pattern[i].equals(":group") ? Names.idFault(value) : null;
            if (fault != null) {
                faults.add("/" + pattern[i].substring(1), "in the path: " + fault);
            }
        }
        return faults;
    }

    /** @throws Problem if it is not percent-encoded UTF-8 */
    static String decode(String part) {
        if (isPlain(part)) {
            return part;
        }
        ByteBuffer bytes = ByteBuffer.allocate(3 * part.length());
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            int hex = c == '%' && i + 2 < part.length() ? hex(part, i + 1) : -1;
            if (c >= 0x80 || c == '%' && hex < 0) {
                throw notEncoded();
            }
            bytes.put((byte) (c == '%' ? hex : c));
            i += c == '%' ? 2 : 0;
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException e) {
            throw notEncoded();
        }
    }

    private static boolean isPlain(String part) {
        for (int i = 0; i < part.length(); i++) {
            if (part.charAt(i) == '%' || part.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    private static int hex(String text, int at) {
        int high = Character.digit(text.charAt(at), 16);
        int low = Character.digit(text.charAt(at + 1), 16);
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    private static Problem notEncoded() {
        return Problem.invalid("", "in the path: expected percent-encoded UTF-8");
    }
}
