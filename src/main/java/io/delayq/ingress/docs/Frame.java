package io.delayq.ingress.docs;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import java.util.function.Consumer;

/** What all pages have in common. A page holds its style and script itself and may load nothing else. */
final class Frame {
    private final String style;
    private final String script;

    Frame(String style, String script) {
        this.style = style;
        this.script = script;
    }

    /** @param wide whether it has a list of contents beside it */
    String page(String title, boolean wide, Consumer<Html> content) {
        Html out = new Html()
                .raw("<!doctype html>\n")
                .open("html", "lang", "en")
                .open("head")
                .open("meta", "charset", "utf-8")
                .put("title", title)
                .open("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
                .open("meta", "name", "color-scheme", "content", "light dark")
                .open("link", "rel", "icon", "href", "data:,")
                .open("style")
                .raw(style)
                .close("style")
                .close("head")
                .open("body", "class", wide ? "wide" : "narrow")
                .put("a", "Skip to the content", "class", "skip", "href", "#content");
        content.accept(out);
        return out.open("script")
                .raw(script)
                .close("script")
                .close("body")
                .close("html")
                .toString();
    }

    /** The bar at the top. */
    static void bar(Html out, boolean withSearch) {
        out.open("header")
                .open("a", "class", "brand", "href", "/docs")
                .put("b", "delayq")
                .text(" API")
                .close("a");
        if (withSearch) {
            out.open("label", "class", "search", "hidden", "")
                    .put("span", "Find a call", "class", "unseen")
                    .open("input", "type", "search", "placeholder", "Find a call ( / )", "autocomplete", "off")
                    .close("label");
        }
        out.open("nav", "class", "files", "aria-label", "Files")
                .put("a", "openapi.yaml", "href", "/openapi.yaml")
                .put("a", "asyncapi.yaml", "href", "/asyncapi.yaml")
                .put("a", "Dashboard", "href", "/")
                .close("nav")
                .close("header");
    }

    Map<String, String> headers() {
        return Map.of(
                "Content-Security-Policy",
                "default-src 'none'; style-src '" + hash(style) + "'; script-src '" + hash(script)
                        + "'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                "X-Content-Type-Options",
                "nosniff",
                "Referrer-Policy",
                "no-referrer",
                "Cache-Control",
                "no-cache");
    }

    private static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
