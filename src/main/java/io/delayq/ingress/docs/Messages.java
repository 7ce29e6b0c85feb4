package io.delayq.ingress.docs;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** The messages of a WebSocket. */
final class Messages {
    static final String THEME = "WebSocket";

    private final JsonNode document;
    private final Shape shape;
    private final List<Op> ops = new ArrayList<>();

    /** @param fromClient who sends it */
    record Op(String name, boolean fromClient, JsonNode node) {
        String id() {
            return "ws-" + name;
        }
    }

    Messages(JsonNode document) {
        this.document = document;
        this.shape = new Shape(document);
        document.get("operations").fields().forEachRemaining(entry -> {
            boolean fromClient = entry.getValue().get("action").asText().equals("receive");
            String message = entry.getValue().at("/messages/0/$ref").asText();
            ops.add(new Op(message.substring(message.lastIndexOf('/') + 1), fromClient, entry.getValue()));
        });
    }

    List<Op> ops() {
        return ops;
    }

    void write(Html out) {
        out.open("section", "aria-labelledby", Calls.anchor(THEME)).put("h2", THEME, "id", Calls.anchor(THEME));
        Markup.paragraphs(out, document.at("/info/description").asText());
        Markup.paragraphs(out, document.at("/channels/connection/description").asText());
        ops.forEach(op -> write(out, op));
        out.close("section");
    }

    private void write(Html out, Op op) {
        out.open("details", "class", "call", "id", op.id()).open("summary").open("h3");
        out.put("span", op.fromClient() ? "SEND" : "RECV", "class", "badge " + (op.fromClient() ? "post" : "get"));
        out.put("code", op.name(), "class", "path")
                .put("span", op.node().get("title").asText(), "class", "what")
                .close("h3")
                .close("summary");
        Markup.paragraphs(out, op.node().get("summary").asText());
        message(out, op.name(), op.fromClient());
        op.node().at("/reply/messages").forEach(reply -> {
            String name = reply.get("$ref").asText();
            name = name.substring(name.lastIndexOf('/') + 1);
            if (!name.equals("error")) {
                out.open("h4").text("Answered with ").put("code", name).close("h4");
                message(out, name, false);
            }
        });
        out.close("details");
    }

    private void message(Html out, String name, boolean asked) {
        JsonNode message = document.get("components").get("messages").get(name);
        shape.fields(out, message.get("payload"), asked);
        message.path("examples").forEach(example -> Sample.block(out, Sample.json(example.get("payload"))));
    }
}
