package io.delayq.ingress.docs;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The REST calls, by theme. */
final class Calls {
    static final String PROBLEM = "application/problem+json";
    /** Told in one line: nearly every call can answer them. */
    private static final Set<String> USUAL =
            Set.of("400", "401", "403", "408", "413", "415", "429", "431", "500", "503");

    private final JsonNode document;
    private final Shape shape;
    private final Map<String, List<Call>> byTheme = new LinkedHashMap<>();

    /** One operation. */
    record Call(String method, String path, JsonNode node, List<JsonNode> parameters) {
        String id() {
            return node.get("operationId").asText();
        }

        String summary() {
            return node.get("summary").asText();
        }
    }

    Calls(JsonNode document) {
        this.document = document;
        this.shape = new Shape(document);
        document.get("tags").forEach(tag -> byTheme.put(tag.get("name").asText(), new ArrayList<>()));
        document.get("paths")
                .fields()
                .forEachRemaining(path -> path.getValue().fields().forEachRemaining(entry -> {
                    if (!entry.getKey().equals("parameters")) {
                        add(entry.getKey(), path.getKey(), path.getValue(), entry.getValue());
                    }
                }));
    }

    private void add(String method, String path, JsonNode item, JsonNode node) {
        List<JsonNode> parameters = new ArrayList<>();
        item.path("parameters").forEach(one -> parameters.add(shape.resolved(one)));
        node.path("parameters").forEach(one -> parameters.add(shape.resolved(one)));
        byTheme.get(node.get("tags").get(0).asText()).add(new Call(method, path, node, parameters));
    }

    Map<String, List<Call>> byTheme() {
        return byTheme;
    }

    /** The calls that can answer with a problem of this type. */
    List<Call> answering(String type) {
        return byTheme.values().stream()
                .flatMap(List::stream)
                .filter(call -> {
                    List<String> types = new ArrayList<>();
                    call.node().get("responses").forEach(response -> types.addAll(types(shape.resolved(response))));
                    return types.contains(type);
                })
                .toList();
    }

    static String anchor(String theme) {
        return "theme-" + theme.toLowerCase(java.util.Locale.ROOT).replace(' ', '-');
    }

    void write(Html out) {
        document.get("tags").forEach(tag -> {
            String name = tag.get("name").asText();
            out.open("section", "aria-labelledby", anchor(name)).put("h2", name, "id", anchor(name));
            Markup.paragraphs(out, tag.get("description").asText());
            byTheme.get(name).forEach(call -> write(out, call));
            out.close("section");
        });
    }

    private void write(Html out, Call call) {
        out.open("details", "class", "call", "id", call.id()).open("summary").open("h3");
        badge(out, call.method());
        path(out, call.path());
        out.put("span", call.summary(), "class", "what").close("h3").close("summary");
        Markup.paragraphs(out, call.node().get("description").asText());
        right(out, call);
        parameters(out, call);
        request(out, call);
        Sample.block(out, curl(call));
        answers(out, call);
        out.close("details");
    }

    static void badge(Html out, String method) {
        out.put("span", method.toUpperCase(java.util.Locale.ROOT), "class", "badge " + method);
    }

    /** May be broken between its parts. */
    private static void path(Html out, String path) {
        out.open("code", "class", "path");
        for (String part : path.split("(?=/)")) {
            out.open("wbr").text(part);
        }
        out.close("code");
    }

    private void right(Html out, Call call) {
        JsonNode rules = call.node().get("security");
        if (rules.isEmpty()) {
            out.put("p", "Open to all.", "class", "right");
            return;
        }
        List<String> rights = new ArrayList<>();
        List<String> roles = new ArrayList<>();
        rules.forEach(rule -> {
            rule.path("token").forEach(right -> rights.add(right.asText()));
            rule.path("session").forEach(role -> roles.add(role.asText()));
        });
        out.open("p", "class", "right").text("Needs a token with the right ");
        for (int i = 0; i < rights.size(); i++) {
            out.text(i == 0 ? "" : " or ").put("code", rights.get(i));
        }
        out.text(", or the session of " + (roles.contains("viewer") ? "a viewer or admin" : "an admin") + ".")
                .close("p");
    }

    private void parameters(Html out, Call call) {
        if (call.parameters().isEmpty()) {
            return;
        }
        out.put("h4", "Parameters").open("dl", "class", "fields");
        for (JsonNode parameter : call.parameters()) {
            boolean required = parameter.path("required").asBoolean();
            out.open("dt")
                    .put("code", parameter.get("name").asText())
                    .text(" ")
                    .put("span", shape.type(parameter.get("schema")), "class", "type")
                    .text(" ")
                    .put("span", "in the " + parameter.get("in").asText(), "class", required ? "must" : "type");
            JsonNode value = parameter.get("schema").get("default");
            if (value != null) {
                out.put("span", ", default " + value.asText(), "class", "type");
            }
            out.close("dt").open("dd");
            Markup.line(out, parameter.get("description").asText());
            out.close("dd");
        }
        out.close("dl");
    }

    private void request(Html out, Call call) {
        JsonNode body = shape.resolved(call.node().path("requestBody"));
        if (body.isMissingNode()) {
            return;
        }
        boolean required = body.path("required").asBoolean();
        body.get("content").fields().forEachRemaining(content -> {
            out.open("h4").text("Body ");
            out.put("span", content.getKey() + (required ? "" : ", may be left out"), "class", "type");
            out.close("h4");
            shape.fields(out, content.getValue().get("schema"), true);
            examples(content.getValue()).forEach((title, value) -> {
                if (!title.isEmpty()) {
                    out.put("p", title, "class", "either");
                }
                Sample.block(out, Sample.json(value));
            });
        });
    }

    /** By their titles. */
    private static Map<String, JsonNode> examples(JsonNode content) {
        Map<String, JsonNode> examples = new LinkedHashMap<>();
        if (content.has("example")) {
            examples.put("", content.get("example"));
        }
        content.path("examples").forEach(one -> examples.put(one.get("summary").asText(), one.get("value")));
        return examples;
    }

    private String curl(Call call) {
        String path = call.path();
        for (JsonNode parameter : call.parameters()) {
            path = path.replace(
                    "{" + parameter.get("name").asText() + "}",
                    parameter.path("example").asText());
        }
        JsonNode body = shape.resolved(call.node().path("requestBody"));
        if (body.isMissingNode()) {
            return Sample.curl(call.method(), path, null, null);
        }
        Map.Entry<String, JsonNode> content = body.get("content").fields().next();
        JsonNode example = examples(content.getValue()).values().iterator().next();
        return Sample.curl(call.method(), path, content.getKey(), example);
    }

    private void answers(Html out, Call call) {
        out.put("h4", "Answers");
        Map<String, JsonNode> usual = new TreeMap<>();
        call.node().get("responses").fields().forEachRemaining(entry -> {
            JsonNode response = shape.resolved(entry.getValue());
            if (USUAL.contains(entry.getKey()) && response.path("content").has(PROBLEM)) {
                usual.put(entry.getKey(), response);
            } else {
                answer(out, entry.getKey(), response);
            }
        });
        out.open("p", "class", "usual").text("As any call: ");
        usual.forEach((status, response) -> links(out, status, response));
        out.close("p");
    }

    private void answer(Html out, String status, JsonNode response) {
        out.open("div", "class", "answer").open("p").put("span", status, "class", "status s" + status.charAt(0));
        out.text(" ");
        Markup.line(out, response.get("description").asText());
        types(response).forEach(type -> {
            out.text(" ");
            link(out, type, type);
        });
        out.close("p");
        response.path("headers").fieldNames().forEachRemaining(name -> out.open("p", "class", "type")
                .text("Header ")
                .put("code", name)
                .close("p"));
        response.path("content").fields().forEachRemaining(content -> {
            if (!content.getKey().equals(PROBLEM)) {
                out.put("p", content.getKey(), "class", "type");
                shape.fields(out, content.getValue().get("schema"), false);
            }
            examples(content.getValue()).values().forEach(value -> Sample.block(out, Sample.json(value)));
        });
        out.close("div");
    }

    private void links(Html out, String status, JsonNode response) {
        types(response).forEach(type -> link(out, type, status + " " + name(type)));
    }

    static void link(Html out, String type, String text) {
        out.put("a", text, "class", "problem", "href", type);
    }

    static String name(String type) {
        return type.substring(type.lastIndexOf('/') + 1);
    }

    /** The types of problem that an answer can have. */
    private List<String> types(JsonNode response) {
        List<String> types = new ArrayList<>();
        JsonNode content = response.path("content").path(PROBLEM);
        if (!content.isMissingNode()) {
            JsonNode rule =
                    shape.resolved(content.get("schema")).path("properties").path("type");
            rule.path("enum").forEach(type -> types.add(type.asText()));
            if (rule.has("const")) {
                types.add(rule.get("const").asText());
            }
        }
        return types;
    }
}
