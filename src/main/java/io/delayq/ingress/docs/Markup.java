package io.delayq.ingress.docs;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The little Markdown that our descriptions use: paragraphs, fenced blocks, {@code code} and <b>bold</b>. */
final class Markup {
    private static final Pattern INLINE = Pattern.compile("`([^`]+)`|\\*\\*([^*]+)\\*\\*");
    private static final String FENCE = "```";

    private Markup() {}

    static void paragraphs(Html out, String text) {
        for (String block : text.strip().split("\\n\\s*\\n")) {
            if (block.startsWith(FENCE)) {
                code(out, block.lines().filter(line -> !line.startsWith(FENCE)).toList());
            } else {
                out.open("p");
                line(out, block);
                out.close("p");
            }
        }
    }

    private static void code(Html out, List<String> lines) {
        Sample.block(out, String.join("\n", lines));
    }

    /** Text within a paragraph. */
    static void line(Html out, String text) {
        String flowing = text.strip().replaceAll("\\s*\\n\\s*", " ");
        Matcher marks = INLINE.matcher(flowing);
        int from = 0;
        while (marks.find()) {
            out.text(flowing.substring(from, marks.start()));
            if (marks.group(1) != null) {
                out.put("code", marks.group(1));
            } else {
                out.put("strong", marks.group(2));
            }
            from = marks.end();
        }
        out.text(flowing.substring(from));
    }
}
