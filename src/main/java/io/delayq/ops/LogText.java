package io.delayq.ops;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;

/** Text in logs. What comes from outside must not end a line or steer a terminal, and is not written at any length. */
final class LogText {
    private static final int MOST_CHARACTERS = 8_000;
    private static final int MOST_CAUSES = 8;
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private LogText() {}

    /** Appends it with control characters escaped, as JSON escapes them; what shows is the same in text and in JSON. */
    static void append(StringBuilder out, String text, boolean json) {
        int length = Math.min(text.length(), MOST_CHARACTERS);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (json && (c == '"' || c == '\\')) {
                out.append('\\').append(c);
            } else if (isPlain(c)) {
                out.append(c);
            } else {
                escape(out, c);
            }
        }
        if (length < text.length()) {
            out.append("...");
        }
    }

    /** One value of a field: in quotes if it could be taken for more than one. */
    static void appendValue(StringBuilder out, String value) {
        if (isWord(value)) {
            append(out, value, false);
        } else {
            out.append('"');
            append(out, value, true);
            out.append('"');
        }
    }

    private static boolean isWord(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c <= ' ' || c == '"' || c == '=' || c == '\\') {
                return false;
            }
        }
        return !value.isEmpty();
    }

    /**
     * The stack trace, a frame a line.
     *
     * @param frames most of one throwable
     */
    static String trace(IThrowableProxy thrown, int frames) {
        StringBuilder out = new StringBuilder(512);
        trace(out, "", thrown, frames, 0);
        return out.toString();
    }

    private static void trace(StringBuilder out, String word, IThrowableProxy thrown, int frames, int depth) {
        out.append(word).append(thrown.getClassName());
        if (thrown.getMessage() != null) {
            append(out.append(": "), thrown.getMessage(), false);
        }
        out.append('\n');
        StackTraceElementProxy[] all = thrown.getStackTraceElementProxyArray();
        for (int i = 0; i < Math.min(frames, all.length); i++) {
            append(out.append('\t'), all[i].getSTEAsString(), false);
            out.append('\n');
        }
        if (depth < MOST_CAUSES) {
            for (IThrowableProxy suppressed : thrown.getSuppressed()) {
                trace(out, "Suppressed: ", suppressed, frames, depth + 1);
            }
            if (thrown.getCause() != null) {
                trace(out, "Caused by: ", thrown.getCause(), frames, depth + 1);
            }
        }
    }

    /** Not so: controls, line and paragraph separators, and marks that turn the direction of text. */
    private static boolean isPlain(char c) {
        if (c < 0x7f) {
            return c >= 0x20;
        }
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    private static void escape(StringBuilder out, char c) {
        switch (c) {
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                out.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    out.append(HEX[c >> shift & 0xf]);
                }
            }
        }
    }
}
