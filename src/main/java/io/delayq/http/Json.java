package io.delayq.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.vertx.core.buffer.Buffer;

/** The JSON dialect of the wire contract: RFC 8259 and nothing beyond it, one key once, at most 100 deep. */
public final class Json {
    /** The outermost value being 1. */
    public static final int MAX_DEPTH = 100;
    /** The largest request there is, and so the longest number, text or name in one. */
    public static final int MAX_REQUEST_BYTES = 16 << 20;

    /**
     * The constraints on length are as wide as a request because bodies are kept as spelled; what the server reads itself
     * is bounded field by field. That a key comes once is seen to by {@link JsonReader}. Names are not interned: they come
     * from outside and would stay for ever.
     */
    static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_REQUEST_BYTES)
                    .maxStringLength(MAX_REQUEST_BYTES)
                    .maxNameLength(MAX_REQUEST_BYTES)
                    .build())
            .build();

    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private Json() {}

    /**
     * Refuses what is not UTF-8 text, before the parser sees it: the parser would let some malformed characters pass, and
     * would take zero bytes at the start for UTF-16.
     */
    public static void checkText(byte[] json) {
        checkText(json, 0, json.length);
    }

    /** The same for a part that begins and ends between characters, so that a long text can be checked in turns. */
    public static void checkText(byte[] json, int from, int to) {
        if (from == 0) {
            checkStart(json);
        }
        int at = Utf8.malformedAt(json, from, to);
        if (at >= 0) {
            throw Problem.invalid(
                    "", "expected UTF-8 text; the byte at offset " + at + " does not belong to any character");
        }
    }

    private static void checkStart(byte[] json) {
        if (json.length >= 3 && json[0] == (byte) 0xef && json[1] == (byte) 0xbb && json[2] == (byte) 0xbf) {
            throw Problem.invalid("", "expected JSON without a byte order mark; leave the first three bytes out");
        }
        for (int i = 0; i < Math.min(4, json.length); i++) {
            if (json[i] == 0) {
                throw Problem.invalid("", "expected JSON in UTF-8; found a zero byte at offset " + i);
            }
        }
    }

    /** Appends {@code text} as a JSON string. Half a surrogate pair, which UTF-8 cannot hold, is written as an escape. */
    public static void string(Buffer out, String text) {
        StringBuilder json = new StringBuilder(text.length() + 2);
        string(json, text);
        out.appendString(json.toString());
    }

    static void string(StringBuilder out, String text) {
        out.append('"');
        int written = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x20 && c != '"' && c != '\\' && !Character.isSurrogate(c)) {
                continue;
            }
            if (isPairAt(text, i)) {
                i++;
                continue;
            }
            out.append(text, written, i);
            escape(out, c);
            written = i + 1;
        }
        (written == 0 ? out.append(text) : out.append(text, written, text.length())).append('"');
    }

    private static boolean isPairAt(String text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
    }

    private static void escape(StringBuilder out, char c) {
        out.append('\\');
        switch (c) {
            case '"', '\\' -> out.append(c);
            case '\n' -> out.append('n');
            case '\r' -> out.append('r');
            case '\t' -> out.append('t');
            default -> {
                out.append('u');
                for (int shift = 12; shift >= 0; shift -= 4) {
                    out.append(HEX[c >> shift & 0xf]);
                }
            }
        }
    }
}
