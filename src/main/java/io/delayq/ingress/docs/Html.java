package io.delayq.ingress.docs;

/** HTML on its way to be a page. Whatever text is put in is escaped. */
final class Html {
    private final StringBuilder out = new StringBuilder();

    /** @param attributes names and values in turn */
    Html open(String tag, String... attributes) {
        out.append('<').append(tag);
        for (int i = 0; i < attributes.length; i += 2) {
            out.append(' ').append(attributes[i]).append("=\"");
            escape(attributes[i + 1]);
            out.append('"');
        }
        out.append('>');
        return this;
    }

    Html close(String tag) {
        out.append("</").append(tag).append('>');
        return this;
    }

    Html text(String text) {
        escape(text);
        return this;
    }

    /** A whole element that holds nothing but text. */
    Html put(String tag, String text, String... attributes) {
        return open(tag, attributes).text(text).close(tag);
    }

    /** Text that is HTML already: our own style and script. */
    Html raw(String html) {
        out.append(html);
        return this;
    }

    private void escape(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.append(c);
            }
        }
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
