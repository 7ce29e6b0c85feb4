package io.delayq.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import io.delayq.job.Durations;
import io.delayq.job.Names;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Walks one JSON text in a single pass. Text that is not JSON throws a {@link Problem} at once; a value that is JSON but
 * not what was asked for is noted in {@link #faults()} with its pointer, skipped and read as null.
 *
 * <p>Each reading method takes the value the reader stands on and leaves the reader on that value's last token.
 */
public final class JsonReader implements AutoCloseable {
    private static final Pattern HINT = Pattern.compile(": enable | \\((enable|for|start marker at|not recognized) ");

    private static final int LONGEST_DURATION = 64;
    private static final int LONGEST_LONG = 20;
    private static final int LONGEST_QUOTE = 40;
    private static final String DURATION_FORMS =
            " (a whole number of milliseconds, or text such as 250ms, 30s, 15m, 24h, 7d, 1h30m, PT15M)";

    private final byte[] json;
    private final JsonParser parser;
    private final FieldNames names = new FieldNames();
    private Faults faults = new Faults();
    private JsonStreamContext base;

    /** Takes one field of an object, the reader standing on its value; false if the object has no such field. */
    @FunctionalInterface
    public interface FieldHandler {
        boolean field(String name);
    }

    private JsonReader(byte[] json) {
        this.json = json;
        try {
            parser = Json.FACTORY.createParser(json);
        } catch (IOException e) {
            throw Problem.invalid("", "expected JSON in UTF-8");
        }
    }

    public static JsonReader of(byte[] json) {
        Json.checkText(json);
        return new JsonReader(json);
    }

    /** For text that has been through {@link Json#checkText(byte[], int, int)} from end to end. */
    public static JsonReader ofChecked(byte[] json) {
        return new JsonReader(json);
    }

    public Faults faults() {
        return faults;
    }

    /** Forgets the faults so far; pointers count from the list whose elements are being read. */
    public void beginElement(JsonStreamContext list) {
        faults = new Faults();
        base = list;
    }

    /** After the last element: goes on noting faults where it stood before the first one. */
    public void endElements(Faults before) {
        faults = before;
        base = null;
    }

    public JsonStreamContext context() {
        return parser.getParsingContext();
    }

    public JsonToken token() {
        return parser.currentToken();
    }

    /** The next token, null at the end of the text. */
    public JsonToken next() {
        JsonToken token;
        try {
            token = parser.nextToken();
        } catch (IOException e) {
            throw broken(e);
        }
        if (token == JsonToken.FIELD_NAME) {
            if (!names.add(currentName())) {
                base = null;
                throw Problem.invalid(pointer(), "expected each field once; this one is given again" + place());
            }
        } else if (token == JsonToken.START_OBJECT) {
            names.open();
        } else if (token == JsonToken.END_OBJECT) {
            names.close();
        }
        return token;
    }

    /** Goes past the value the reader stands on, whatever it is. */
    public void skip() {
        int open = token().isStructStart() ? 1 : 0;
        while (open > 0) {
            JsonToken token = next();
            if (token == null) {
                throw incomplete();
            }
            open += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        }
        try {
            parser.finishToken();
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /** Refuses anything but white space after the value just read. */
    public void end() {
        if (next() != null) {
            throw Problem.invalid("", "expected one JSON value; found more text after it" + place());
        }
    }

    /** Reads an object, each field by {@code handler}. A field it does not know is a fault. */
    public boolean object(List<String> known, FieldHandler handler) {
        if (token() != JsonToken.START_OBJECT) {
            expected("an object with " + String.join(", ", known));
            return false;
        }
        while (next() == JsonToken.FIELD_NAME) {
            String name = currentName();
            next();
            if (!handler.field(name)) {
                unknown(name, known);
            }
        }
        return true;
    }

    /** Reads a whole text that is one object. */
    public boolean wholeObject(List<String> known, FieldHandler handler) {
        if (next() == null) {
            throw Problem.invalid("", "expected an object with " + String.join(", ", known) + "; found no text at all");
        }
        boolean read = object(known, handler);
        end();
        return read;
    }

    public String text(String expected) {
        if (token() != JsonToken.VALUE_STRING) {
            expected(expected);
            return null;
        }
        return value();
    }

    public Long whole(long min, long max, String expected) {
        Long value = token() == JsonToken.VALUE_NUMBER_INT ? currentLong() : null;
        if (value == null || value < min || value > max) {
            expected(expected);
            return null;
        }
        return value;
    }

    public Double number(double min, double max, String expected) {
        if (token() == JsonToken.VALUE_NUMBER_INT || token() == JsonToken.VALUE_NUMBER_FLOAT) {
            double value = Double.parseDouble(value());
            if (value >= min && value <= max) {
                return value;
            }
        }
        expected(expected);
        return null;
    }

    /** @param range in words, such as {@code from 100ms to 24h} */
    public Long duration(long min, long max, String range) {
        Long millis = null;
        if (token() == JsonToken.VALUE_NUMBER_INT) {
            millis = currentLong();
        } else if (token() == JsonToken.VALUE_STRING) {
            millis = parsedDuration(value());
        }
        if (millis == null || millis < min || millis > max) {
            expected("a duration " + range + DURATION_FORMS);
            return null;
        }
        return millis;
    }

    /** The JSON text of the value as the client spelled it, null (and a fault) if it is longer than {@code maxBytes}. */
    public Buffer raw(int maxBytes, String limit) {
        int from = tokenStart();
        skip();
        int length = tokenEnd() - from;
        if (length > maxBytes) {
            faults.addTooLarge(pointer(), "expected at most " + limit + " of JSON text, found " + length + " bytes");
            return null;
        }
        return Buffer.buffer(length).appendBytes(json, from, length);
    }

    /** Offset of the first byte of the current token. */
    public int tokenStart() {
        return (int) parser.currentTokenLocation().getByteOffset();
    }

    /** Offset behind the last byte read. */
    public int tokenEnd() {
        return (int) parser.currentLocation().getByteOffset();
    }

    /** Notes that the value is not what was expected, says what it is, and skips it. */
    public void expected(String what) {
        if (faults.isFull()) {
            faults.countOne();
        } else {
            faults.add(pointer(), "expected " + what + ", found " + found());
        }
        skip();
    }

    public void fault(String detail) {
        faults.add(pointer(), detail);
    }

    /** For a field that the object just read lacks, or that is at odds with another one. */
    public void faultAt(String field, String detail) {
        faults.add(Faults.child(pointer(), field), detail);
    }

    private void unknown(String name, List<String> known) {
        if (faults.isFull()) {
            faults.countOne();
        } else {
            String nearest = Names.nearest(name, known);
            String hint = nearest != null ? "did you mean " + nearest + "?" : "known are " + String.join(", ", known);
            fault("unknown field; " + hint);
        }
        skip();
    }

    /** Where the reader stands, as a JSON pointer. */
    private String pointer() {
        return pointer(parser.getParsingContext());
    }

    private String pointer(JsonStreamContext context) {
        if (context == null || context == base) {
            return "";
        }
        String parent = pointer(context.getParent());
        if (context.inObject() && context.getCurrentName() != null) {
            return Faults.child(parent, context.getCurrentName());
        }
        return context.inArray() && context.hasCurrentIndex() ? parent + '/' + context.getCurrentIndex() : parent;
    }

    private String found() {
        return switch (token()) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "a list";
            case VALUE_STRING -> '"' + Faults.cut(value(), LONGEST_QUOTE) + '"';
            default -> Faults.cut(value(), LONGEST_QUOTE);
        };
    }

    private static Long parsedDuration(String text) {
        try {
            return text.length() > LONGEST_DURATION ? null : Durations.parse(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Exact, or null: Jackson's own getters round, cut or throw, each in its own way. */
    private Long currentLong() {
        try {
            return parser.getTextLength() > LONGEST_LONG ? null : Long.valueOf(parser.getText());
        } catch (NumberFormatException e) {
            return null;
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /** The text of a string, or a number or word as spelled. */
    public String value() {
        try {
            return parser.getText();
        } catch (IOException e) {
            throw broken(e);
        }
    }

    private String currentName() {
        try {
            return parser.currentName();
        } catch (IOException e) {
            throw broken(e);
        }
    }

    private int depth() {
        return parser.getParsingContext().getNestingDepth();
    }

    private String place() {
        return " at line " + parser.currentLocation().getLineNr() + ", column "
                + parser.currentLocation().getColumnNr();
    }

    private Problem broken(IOException e) {
        base = null;
        if (e instanceof StreamConstraintsException && depth() >= Json.MAX_DEPTH) {
            return Problem.invalid(
                    "", "expected JSON at most " + Json.MAX_DEPTH + " levels deep; flatten it" + place());
        }
        if (e instanceof JsonEOFException) {
            return incomplete();
        }
        if (e instanceof StreamReadException broken) {
            return Problem.invalid("", "expected valid JSON; " + plain(broken.getOriginalMessage()) + place());
        }
        return Problem.invalid("", "expected valid JSON" + place());
    }

    private Problem incomplete() {
        base = null;
        return Problem.invalid("", "expected complete JSON; the text ends within a value" + place());
    }

    /** The parser's message without its hints at its own settings. */
    private static String plain(String message) {
        return Faults.cut(HINT.split(message, 2)[0], 160);
    }

    @Override
    public void close() {
        try {
            parser.close();
        } catch (IOException e) {
            throw broken(e);
        }
    }
}
