package io.delayq.path;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.delayq.http.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** What openapi.yaml says, and whether a request and its answer are so. The clients of the tests ask it each time. */
final class OpenApi {
    /** Bodies may hold numbers of any length. */
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            .build());

    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");
    private static final OpenApi SERVED = new OpenApi(yaml("/openapi.yaml"), ConcurrentHashMap.newKeySet());

    private final JsonNode document;
    private final Set<String> seen;
    private final Map<String, Operation> operations = new TreeMap<>();

    /**
     * @param path as in the document, such as {@code /v1/topics/{topic}}
     * @param parameters those of its path too
     */
    record Operation(String method, String path, JsonNode node, List<JsonNode> parameters) {
        String id() {
            return node.get("operationId").asText();
        }

        JsonNode responses() {
            return node.get("responses");
        }
    }

    /**
     * A request and its answer.
     *
     * @param target path and query
     * @param contentType of the request, null if none was sent
     * @param body of the request, null if it is not known
     * @param headers of the answer, by lower-case name
     * @param text null if it is not known
     */
    record Exchange(
            String method,
            String target,
            String contentType,
            String body,
            int status,
            Map<String, String> headers,
            String text) {}

    private OpenApi(JsonNode document, Set<String> seen) {
        this.document = document;
        this.seen = seen;
        document.get("paths")
                .fields()
                .forEachRemaining(path -> path.getValue().fields().forEachRemaining(entry -> {
                    if (METHODS.contains(entry.getKey())) {
                        List<JsonNode> parameters = new ArrayList<>();
                        path.getValue().path("parameters").forEach(one -> parameters.add(resolved(one)));
                        entry.getValue().path("parameters").forEach(one -> parameters.add(resolved(one)));
                        String method = entry.getKey().toUpperCase(Locale.ROOT);
                        operations.put(
                                method + " " + path.getKey(),
                                new Operation(method, path.getKey(), entry.getValue(), parameters));
                    }
                }));
    }

    static OpenApi served() {
        return SERVED;
    }

    /** The same, remembering for itself what it has seen. */
    static OpenApi alone() {
        return new OpenApi(SERVED.document, ConcurrentHashMap.newKeySet());
    }

    JsonNode document() {
        return document;
    }

    /** By method and path. */
    Map<String, Operation> operations() {
        return operations;
    }

    /** Each operation's id with each status that it was seen to answer. */
    Set<String> seen() {
        return seen;
    }

    /** @throws AssertionError if it is not as described */
    void check(Exchange exchange) {
        String path = exchange.target().split("\\?", 2)[0];
        Operation operation = operations.values().stream()
                .filter(one -> one.method().equals(exchange.method()) && fits(one.path(), path))
                .findFirst()
                .orElse(null);
        List<String> faults = new ArrayList<>();
        if (operation == null) {
            // another contract's path, or none; a problem is one all the same
            if (Problem.MEDIA_TYPE.equals(exchange.headers().get("content-type")) && exchange.text() != null) {
                value("#/components/schemas/Problem", exchange.text(), faults);
            }
        } else {
            answer(operation, exchange, faults);
            if (exchange.status() < 300 && faults.isEmpty()) {
                request(operation, exchange, path, faults);
            }
            seen.add(operation.id() + " " + exchange.status());
        }
        if (!faults.isEmpty()) {
            throw new AssertionError("not as openapi.yaml says: " + faults + "\n" + exchange);
        }
    }

    private static boolean fits(String template, String path) {
        String[] wanted = template.split("/", -1);
        String[] found = path.split("/", -1);
        boolean fits = wanted.length == found.length;
        for (int i = 0; i < wanted.length && fits; i++) {
            fits = wanted[i].startsWith("{") ? !found[i].isEmpty() : wanted[i].equals(found[i]);
        }
        return fits;
    }

    private void answer(Operation operation, Exchange exchange, List<String> faults) {
        JsonNode response = operation.responses().get(Integer.toString(exchange.status()));
        if (response == null) {
            faults.add(operation.id() + " does not answer " + exchange.status());
            return;
        }
        response = resolved(response);
        response.path("headers").fields().forEachRemaining(header -> {
            JsonNode rule = resolved(header.getValue());
            String text = exchange.headers().get(header.getKey().toLowerCase(Locale.ROOT));
            if (text != null) {
                text(rule.get("schema"), text, "header " + header.getKey(), faults);
            } else if (rule.path("required").asBoolean()) {
                faults.add("lacks the header " + header.getKey());
            }
        });
        if (exchange.text() == null) {
            return;
        }
        String type = mediaType(exchange.headers().get("content-type"));
        if (!response.has("content")) {
            if (type != null || !exchange.text().isEmpty()) {
                faults.add("has a body");
            }
        } else if (type == null || !response.get("content").has(type)) {
            faults.add("is of the type " + type);
        } else {
            body(response.get("content").get(type).get("schema"), type, exchange.text(), faults);
        }
    }

    private void body(JsonNode schema, String type, String text, List<String> faults) {
        switch (type) {
            case "application/json", "application/problem+json" -> value(schema, text, faults);
            case "application/x-ndjson" ->
                text.lines()
                        .filter(line -> !line.isBlank())
                        .forEach(line -> value(schema.get("contentSchema"), line, faults));
            case "text/event-stream" -> event(schema.get("contentSchema"), text, faults);
            default -> {
                if (text.isEmpty()) {
                    faults.add("is empty");
                }
            }
        }
    }

    private void event(JsonNode schema, String text, List<String> faults) {
        String name = null;
        for (String line : text.lines().toList()) {
            if (line.startsWith("event:")) {
                name = line.substring("event:".length()).strip();
            } else if (line.startsWith("data:")) {
                value(schema, "{\"event\":\"" + name + "\",\"data\":" + line.substring("data:".length()) + "}", faults);
            }
        }
    }

    private void request(Operation operation, Exchange exchange, String path, List<String> faults) {
        String[] names = operation.path().split("/", -1);
        String[] values = path.split("/", -1);
        for (int i = 0; i < names.length; i++) {
            if (names[i].startsWith("{")) {
                parameter(operation, "path", names[i].substring(1, names[i].length() - 1), values[i], faults);
            }
        }
        String[] parts = exchange.target().split("\\?", 2);
        for (String pair : parts.length < 2 ? new String[0] : parts[1].split("&")) {
            if (!pair.isEmpty()) {
                String[] sides = pair.split("=", 2);
                parameter(operation, "query", sides[0], sides.length < 2 ? "" : sides[1], faults);
            }
        }
        if (exchange.body() != null) {
            requestBody(operation, exchange, faults);
        }
    }

    private void parameter(Operation operation, String in, String name, String value, List<String> faults) {
        // in a path + is itself
        String text = URLDecoder.decode(in.equals("path") ? value.replace("+", "%2B") : value, StandardCharsets.UTF_8);
        operation.parameters().stream()
                .filter(one -> one.get("in").asText().equals(in)
                        && one.get("name").asText().equals(name))
                .findFirst()
                .ifPresentOrElse(
                        one -> text(one.get("schema"), text, name, faults),
                        () -> faults.add("takes a parameter " + name));
    }

    private void text(JsonNode schema, String text, String name, List<String> faults) {
        boolean whole = schema.path("type").asText().equals("integer") && text.matches("[0-9]{1,18}");
        JsonNode value = whole
                ? JsonNodeFactory.instance.numberNode(Long.parseLong(text))
                : JsonNodeFactory.instance.textNode(text);
        Schema.faults(document, schema, value).forEach(fault -> faults.add(name + fault));
    }

    private void requestBody(Operation operation, Exchange exchange, List<String> faults) {
        JsonNode rule = resolved(operation.node().path("requestBody"));
        if (exchange.body().isEmpty()) {
            if (rule.path("required").asBoolean()) {
                faults.add("was taken without a body");
            }
            return;
        }
        String type = exchange.contentType() == null ? "application/json" : mediaType(exchange.contentType());
        if (rule.isMissingNode()) {
            // a body that nobody asks for is read past, if it is not too much
            return;
        }
        JsonNode content = rule.get("content").get(type);
        if (content == null) {
            faults.add("was taken with a body of the type " + type);
        } else if (operation.id().equals("pushJobs")) {
            pushed(content.get("schema"), type, exchange, faults);
        } else {
            body(content.get("schema"), type, exchange.body(), faults);
        }
    }

    /** Of many jobs only those are as described that were taken. */
    private void pushed(JsonNode schema, String type, Exchange exchange, List<String> faults) {
        boolean lines = type.equals("application/x-ndjson");
        List<JsonNode> jobs = new ArrayList<>();
        if (lines) {
            exchange.body().lines().filter(line -> !line.isBlank()).forEach(line -> jobs.add(jsonOrNull(line)));
        } else {
            json(exchange.body()).forEach(jobs::add);
        }
        List<JsonNode> rows = new ArrayList<>();
        if (lines) {
            exchange.text().lines().forEach(line -> rows.add(json(line)));
        } else {
            json(exchange.text()).get("results").forEach(rows::add);
        }
        for (JsonNode row : rows) {
            if (row.path("status").asInt() == 201) {
                JsonNode rule = schema.get(lines ? "contentSchema" : "items");
                faults.addAll(
                        Schema.faults(document, rule, jobs.get(row.get("index").asInt())));
            }
        }
    }

    private void value(String reference, String text, List<String> faults) {
        value(Schema.target(document, reference), text, faults);
    }

    private void value(JsonNode schema, String text, List<String> faults) {
        try {
            faults.addAll(Schema.faults(document, schema, JSON.readTree(text)));
        } catch (JsonProcessingException e) {
            faults.add("is not JSON: " + e.getOriginalMessage());
        }
    }

    JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? Schema.target(document, node.get("$ref").asText()) : node;
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode jsonOrNull(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            return JsonNodeFactory.instance.nullNode();
        }
    }

    /** Without its parameters. */
    private static String mediaType(String header) {
        return header == null ? null : header.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    static JsonNode yaml(String resource) {
        try (InputStream in = OpenApi.class.getResourceAsStream(resource)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            Object loaded = new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
            // through text, so that numbers are those that a parser would make
            return JSON.readTree(JSON.writeValueAsString(loaded));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
