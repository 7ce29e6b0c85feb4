package io.delayq.ingress.docs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Locale;

/** Examples to look at and to copy. */
final class Sample {
    /** Where the server is by default; the page puts its own address in its place. */
    private static final String ADDRESS = "http://127.0.0.1:9277";

    private static final int SHORT = 72;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final DefaultPrettyPrinter PRETTY = new DefaultPrettyPrinter(
                    Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER))
            .withObjectIndenter(new DefaultIndenter("  ", "\n"))
            .withArrayIndenter(new DefaultIndenter("  ", "\n"));

    private Sample() {}

    /** With a button to copy it, which the script shows. */
    static void block(Html out, String text) {
        out.open("div", "class", "code")
                .open("pre", "tabindex", "0")
                .put("code", text.stripTrailing())
                .close("pre")
                .put("button", "Copy", "type", "button", "class", "copy", "hidden", "")
                .close("div");
    }

    /** On one line if it is short. */
    static String json(JsonNode value) {
        if (value.isTextual() && value.asText().contains("\n")) {
            return value.asText();
        }
        String line = value.toString();
        try {
            return line.length() <= SHORT ? line : JSON.writer(PRETTY).writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * A call that can be pasted into a shell.
     *
     * @param body null: none
     * @param type of the body
     */
    static String curl(String method, String path, String type, JsonNode body) {
        StringBuilder line = new StringBuilder("curl");
        boolean lines = "application/x-ndjson".equals(type);
        if (!method.equals(body == null ? "get" : "post")) {
            line.append(" -X ").append(method.toUpperCase(Locale.ROOT));
        }
        if (lines) {
            line.append(" -H 'Content-Type: ").append(type).append("' --data-binary ");
            line.append(quoted(body.asText()));
        } else if (body != null) {
            line.append(" --json ").append(quoted(body.toString()));
        }
        return line.append(' ').append(quotedIfNeeded(ADDRESS + path)).toString();
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    private static String quotedIfNeeded(String url) {
        return url.contains("?") || url.contains("&") ? quoted(url) : url;
    }
}
