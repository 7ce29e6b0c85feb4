package io.delayq.compat;

import java.util.HexFormat;

/** Text as Go trims, quotes and writes it. */
final class GoText {
    private static final String PLAIN_ESCAPES = "\u0007\b\f\n\r\t\u000b";
    private static final String PLAIN_NAMES = "abfnrtv";

    private static final HexFormat HEX = HexFormat.of();

    private GoText() {}

    /** Half a surrogate pair, which no UTF-8 has, becomes U+FFFD. */
    static String wellFormed(CharSequence text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints()
                .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 0xfffd : c)
                .forEach(out::appendCodePoint);
        return out.toString();
    }

    /** As {@code strings.TrimSpace}, which knows more spaces than Java's. */
    static String trim(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isSpace(text.charAt(from))) {
            from++;
        }
        while (to > from && isSpace(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isSpace(char c) {
        return c >= '\t' && c <= '\r' || c == 0x85 || Character.isSpaceChar(c);
    }

    /** As {@code strconv.Quote} has it between the quotes. */
    static String escaped(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints().forEach(c -> {
            int plain = c < 0x20 ? PLAIN_ESCAPES.indexOf(c) : -1;
            if (c == '"' || c == '\\') {
                out.append('\\').append((char) c);
            } else if (plain >= 0) {
                out.append('\\').append(PLAIN_NAMES.charAt(plain));
            } else if (c < 0x20 || c == 0x7f) {
                out.append("\\x").append(HEX.toHexDigits((byte) c));
            } else if (c != ' ' && (Character.isISOControl(c) || Character.isSpaceChar(c) || !Character.isDefined(c))) {
                out.append(c > 0xffff ? "\\U" + HEX.toHexDigits(c) : "\\u" + HEX.toHexDigits((short) c));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }

    /** Appends a JSON string as {@code json.Marshal} writes it: fit for a page of HTML. */
    static void append(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < 0x20 || c == '<' || c == '>' || c == '&' || c == 0x2028 || c == 0x2029) {
                        out.append("\\u").append(HEX.toHexDigits((short) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    static String json(String text) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        append(out, text);
        return out.toString();
    }
}
