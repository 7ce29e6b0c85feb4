package io.delayq.ingress.docs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.delayq.http.ProblemType;
import java.util.List;

/** Explains one type of problem. */
final class ProblemPage {
    private ProblemPage() {}

    /** @param words when it occurs, what to do, and a detail */
    static void write(Html out, ProblemType type, JsonNode words, Calls calls) {
        Frame.bar(out, false);
        out.open("main", "id", "content")
                .open("p", "class", "kind")
                .put("span", Integer.toString(type.status()), "class", "status s" + type.status() / 100)
                .text(" ")
                .put("code", type.uri())
                .close("p")
                .put("h1", type.title())
                .put("h2", "What it means");
        Markup.paragraphs(out, words.get("when").asText());
        out.put("h2", "What to do");
        Markup.paragraphs(out, words.get("do").asText());
        out.put("h2", "What it looks like");
        Sample.block(out, Sample.json(example(type, words)));
        calls(out, calls.answering(type.uri()));
        out.put("h2", "All problems").open("p", "class", "usual");
        for (ProblemType other : ProblemType.values()) {
            Calls.link(out, other.uri(), other.status() + " " + Calls.name(other.uri()));
        }
        out.close("p").close("main");
    }

    private static void calls(Html out, List<Calls.Call> calls) {
        if (calls.isEmpty()) {
            return;
        }
        out.put("h2", "Calls that can answer it").open("ul", "class", "calls");
        for (Calls.Call call : calls) {
            out.open("li").open("a", "href", "/docs#" + call.id());
            Calls.badge(out, call.method());
            out.text(" " + call.summary()).close("a").close("li");
        }
        out.close("ul");
    }

    static ObjectNode example(ProblemType type, JsonNode words) {
        ObjectNode example = JsonNodeFactory.instance
                .objectNode()
                .put("type", type.uri())
                .put("title", type.title())
                .put("status", type.status())
                .put("detail", words.get("detail").asText().strip());
        return words.has("errors") ? example.set("errors", words.get("errors")) : example;
    }
}
