package io.delayq.load;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes maps, lists, numbers and texts. */
final class Json {
    private Json() {}

    static String of(Object value) {
        StringBuilder out = new StringBuilder();
        write(out, value, "\n");
        return out.append('\n').toString();
    }

    private static void write(StringBuilder out, Object value, String indent) {
        if (value instanceof Map<?, ?> map) {
            String sep = "{" + indent + "  ";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(sep);
                text(out, entry.getKey().toString());
                out.append(": ");
                write(out, entry.getValue(), indent + "  ");
                sep = "," + indent + "  ";
            }
            out.append(map.isEmpty() ? "{}" : indent + "}");
        } else if (value instanceof List<?> list) {
            boolean plain = list.stream().noneMatch(v -> v instanceof Map || v instanceof List);
            String sep = plain ? "[" : "[" + indent + "  ";
            for (Object element : list) {
                out.append(sep);
                write(out, element, indent + "  ");
                sep = plain ? ", " : "," + indent + "  ";
            }
            out.append(list.isEmpty() ? "[]" : plain ? "]" : indent + "]");
        } else if (value instanceof Double number) {
            out.append(
                    number.isNaN() || number.isInfinite()
                            ? "null"
                            : String.format(Locale.ROOT, Math.abs(number) >= 1_000 ? "%.0f" : "%.4f", number));
        } else if (value instanceof Number || value instanceof Boolean || value == null) {
            out.append(value);
        } else {
            text(out, value.toString());
        }
    }

    private static void text(StringBuilder out, String text) {
        out.append('"');
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
