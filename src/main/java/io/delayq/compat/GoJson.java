package io.delayq.compat;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * JSON as Go's {@code encoding/json} reads it into a struct of texts and whole numbers, down to its messages: names in any
 * case, unknown ones ignored, of a name that is given twice the last value, null as if it were not there.
 */
final class GoJson {
    private static final int MOST_DEPTH = 500;
    private static final int END = -1;
    private static final String VALUE = "looking for beginning of value";
    private static final String KEY = "looking for beginning of object key string";
    private static final String ESCAPES = "\"\\/bfnrt";
    private static final String ESCAPED = "\"\\/\b\f\n\r\t";

    private final String json;
    private final Struct struct;
    private final Fields fields = new Fields(new HashMap<>(), new HashMap<>());
    private int at;
    private int depth;
    /** Told only of text that is JSON to its end. */
    private Fault wrongType;

    /** What Go says of it. */
    static final class Fault extends Exception {
        private static final long serialVersionUID = 1L;

        Fault(String message) {
            super(message, null, false, false);
        }
    }

    /** @param type what Go calls it, with its package */
    record Struct(String type, List<String> texts, List<String> numbers) {}

    /** The values by name; those that were not given are empty or 0. */
    record Fields(Map<String, String> texts, Map<String, Long> numbers) {
        String text(String name) {
            return texts.getOrDefault(name, "");
        }

        long number(String name) {
            return numbers.getOrDefault(name, 0L);
        }
    }

    private enum Kind {
        OBJECT,
        ARRAY,
        STRING,
        NUMBER,
        BOOL,
        NULL;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param text of a string, or a number as it was spelled */
    private record Value(Kind kind, String text) {}

    private GoJson(byte[] json, Struct struct) {
        // what is no UTF-8 becomes U+FFFD, as in Go
        this.json = new String(json, StandardCharsets.UTF_8);
        this.struct = struct;
    }

    /** Reads a whole text. */
    static Fields read(byte[] json, Struct struct) throws Fault {
        return new GoJson(json, struct).struct(true);
    }

    /** Reads the first value and leaves what follows. */
    static Fields readFirst(byte[] json, Struct struct) throws Fault {
        return new GoJson(json, struct).struct(false);
    }

    private Fields struct(boolean whole) throws Fault {
        Value value = value();
        if (whole && skipSpace() != END) {
            throw invalid("after top-level value");
        }
        if (value.kind != Kind.OBJECT && value.kind != Kind.NULL) {
            throw new Fault("json: cannot unmarshal " + value.kind.word() + " into Go value of type " + struct.type);
        }
        if (wrongType != null) {
            throw wrongType;
        }
        return fields;
    }

    private void assign(String name, Value value) {
        String text = known(struct.texts, name);
        String number = known(struct.numbers, name);
        if (value.kind == Kind.NULL) {
            return;
        }
        if (text != null) {
            if (value.kind == Kind.STRING) {
                fields.texts.put(text, value.text);
            } else {
                wrong(value.kind.word(), text, "string");
            }
        } else if (number != null) {
            assignNumber(number, value);
        }
    }

    private void assignNumber(String name, Value value) {
        if (value.kind != Kind.NUMBER) {
            wrong(value.kind.word(), name, "int64");
            return;
        }
        try {
            fields.numbers.put(name, Long.parseLong(value.text));
        } catch (NumberFormatException e) {
            wrong("number " + value.text, name, "int64");
        }
    }

    private static String known(List<String> names, String given) {
        return names.stream().filter(given::equalsIgnoreCase).findFirst().orElse(null);
    }

    private void wrong(String found, String field, String type) {
        if (wrongType == null) {
            String owner = struct.type.substring(struct.type.indexOf('.') + 1);
            wrongType = new Fault("json: cannot unmarshal " + found + " into Go struct field " + owner + "." + field
                    + " of type " + type);
        }
    }

    private Value value() throws Fault {
        int c = skipSpace();
        switch (c) {
            case '{':
                object();
                return new Value(Kind.OBJECT, null);
            case '[':
                array();
                return new Value(Kind.ARRAY, null);
            case '"':
                return new Value(Kind.STRING, string());
            case 't':
                return literal("true", Kind.BOOL);
            case 'f':
                return literal("false", Kind.BOOL);
            case 'n':
                return literal("null", Kind.NULL);
            default:
                if (c == '-' || isDigit(c)) {
                    return new Value(Kind.NUMBER, number());
                }
                throw invalid(VALUE);
        }
    }

    private void object() throws Fault {
        enter();
        for (boolean first = true; ; first = false) {
            int c = skipSpace();
            if (c == '}' && first) {
                break;
            }
            if (c != '"') {
                throw invalid(KEY);
            }
            String name = string();
            if (skipSpace() != ':') {
                throw invalid("after object key");
            }
            at++;
            Value value = value();
            if (depth == 1) {
                assign(name, value);
            }
            c = skipSpace();
            if (c == '}') {
                break;
            }
            if (c != ',') {
                throw invalid("after object key:value pair");
            }
            at++;
        }
        leave();
    }

    private void array() throws Fault {
        enter();
        if (skipSpace() != ']') {
            while (true) {
                value();
                int c = skipSpace();
                if (c == ']') {
                    break;
                }
                if (c != ',') {
                    throw invalid("after array element");
                }
                at++;
            }
        }
        leave();
    }

    private void enter() throws Fault {
        at++;
        if (++depth > MOST_DEPTH) {
            throw new Fault("exceeded max depth");
        }
    }

    private void leave() {
        at++;
        depth--;
    }

    private Value literal(String word, Kind kind) throws Fault {
        for (int i = 0; i < word.length(); i++, at++) {
            if (peek() != word.charAt(i)) {
                throw invalid("in literal " + word + " (expecting '" + word.charAt(i) + "')");
            }
        }
        return new Value(kind, null);
    }

    private String number() throws Fault {
        int from = at;
        if (peek() == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else {
            digits("in numeric literal");
        }
        if (peek() == '.') {
            at++;
            digits("after decimal point in numeric literal");
        }
        if (peek() == 'e' || peek() == 'E') {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits("in exponent of numeric literal");
        }
        return json.substring(from, at);
    }

    private void digits(String where) throws Fault {
        if (!isDigit(peek())) {
            throw invalid(where);
        }
        while (isDigit(peek())) {
            at++;
        }
    }

    private String string() throws Fault {
        StringBuilder text = new StringBuilder();
        for (at++; peek() != '"'; at++) {
            int c = peek();
            if (c == END || c < 0x20) {
                throw invalid("in string literal");
            }
            text.append(c == '\\' ? escape() : (char) c);
        }
        at++;
        return GoText.wellFormed(text);
    }

    /** Leaves the reader on the last character of the escape. */
    private char escape() throws Fault {
        at++;
        if (peek() != 'u') {
            int which = peek() == END ? -1 : ESCAPES.indexOf(peek());
            if (which < 0) {
                throw invalid("in string escape code");
            }
            return ESCAPED.charAt(which);
        }
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            at++;
            int digit = peek() == END || peek() > 'f' ? -1 : Character.digit(peek(), 16);
            if (digit < 0) {
                throw invalid("in \\u hexadecimal character escape");
            }
            unit = unit << 4 | digit;
        }
        return (char) unit;
    }

    private int skipSpace() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n') {
            at++;
        }
        return peek();
    }

    private int peek() {
        return at < json.length() ? json.charAt(at) : END;
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    private Fault invalid(String where) {
        if (peek() == END) {
            return new Fault("unexpected end of JSON input");
        }
        // Go reads bytes and shows the first one of the character
        char first = (char) (json.substring(at, at + 1).getBytes(StandardCharsets.UTF_8)[0] & 0xff);
        String shown = first == '\'' ? "\\'" : first == '"' ? "\"" : GoText.escaped(String.valueOf(first));
        return new Fault("invalid character '" + shown + "' " + where);
    }
}
