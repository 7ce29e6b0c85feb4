package io.delayq.ingress.docs;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Schemas in words, as lists of fields. */
final class Shape {
    private final JsonNode document;

    /** @param document what references lead into */
    Shape(JsonNode document) {
        this.document = document;
    }

    JsonNode resolved(JsonNode node) {
        JsonNode found = node;
        while (found.has("$ref") && found.get("$ref").asText().startsWith("#/")) {
            found = document.at(found.get("$ref").asText().substring(1));
        }
        return found;
    }

    /**
     * The fields of an object, of each kind of object, or of the objects in a list; nothing for anything else.
     *
     * @param asked whether the reader is to send it, and so wants to know what is required
     */
    void fields(Html out, JsonNode schema, boolean asked) {
        JsonNode plain = resolved(schema);
        if (plain.has("items")) {
            fields(out, plain.get("items"), asked);
        } else if (plain.has("contentSchema")) {
            fields(out, plain.get("contentSchema"), asked);
        } else if (plain.has("oneOf")) {
            List<JsonNode> objects = new ArrayList<>();
            plain.get("oneOf").forEach(branch -> {
                if (!members(branch).isEmpty()) {
                    objects.add(branch);
                }
            });
            for (JsonNode branch : objects) {
                if (objects.size() > 1) {
                    out.open("p", "class", "either");
                    Markup.line(out, (branch == objects.get(0) ? "Either: " : "Or: ") + describe(branch));
                    out.close("p");
                }
                fields(out, branch, asked);
            }
        } else {
            object(out, schema, asked);
        }
    }

    private void object(Html out, JsonNode schema, boolean asked) {
        Map<String, JsonNode> members = members(schema);
        if (members.isEmpty()) {
            return;
        }
        Set<String> required = required(schema);
        out.open("dl", "class", "fields");
        members.forEach((name, rule) -> field(out, name, rule, required.contains(name), asked));
        out.close("dl");
    }

    private void field(Html out, String name, JsonNode rule, boolean required, boolean asked) {
        out.open("dt").put("code", name).text(" ").put("span", type(rule), "class", "type");
        if (required && asked) {
            out.text(" ").put("span", "required", "class", "must");
        } else if (!required && !asked) {
            out.text(" ").put("span", "not always there", "class", "type");
        }
        JsonNode value = own(rule, "default");
        if (value != null && asked) {
            out.put("span", ", default " + value.asText(), "class", "type");
        }
        out.close("dt").open("dd");
        Markup.line(out, describe(rule));
        fields(out, rule, asked);
        out.close("dd");
    }

    /** Its own words before those of what it refers to. */
    private String describe(JsonNode rule) {
        JsonNode words = own(rule, "description");
        return words == null ? "" : words.asText();
    }

    private JsonNode own(JsonNode rule, String word) {
        JsonNode found = rule.get(word);
        return found != null || !rule.has("$ref") ? found : resolved(rule).get(word);
    }

    private Map<String, JsonNode> members(JsonNode schema) {
        Map<String, JsonNode> members = new LinkedHashMap<>();
        parts(schema).forEach(part -> part.path("properties")
                .fields()
                .forEachRemaining(member -> members.put(member.getKey(), member.getValue())));
        return members;
    }

    private Set<String> required(JsonNode schema) {
        Set<String> names = new LinkedHashSet<>();
        parts(schema).forEach(part -> part.path("required").forEach(name -> names.add(name.asText())));
        return names;
    }

    /** A schema is what it says itself and what it refers to. */
    private List<JsonNode> parts(JsonNode schema) {
        List<JsonNode> parts = new ArrayList<>();
        if (schema.has("$ref")) {
            parts.addAll(parts(resolved(schema)));
        }
        schema.path("allOf").forEach(part -> parts.addAll(parts(part)));
        parts.add(schema);
        return parts;
    }

    String type(JsonNode rule) {
        JsonNode plain = resolved(rule);
        if (plain.has("const")) {
            return plain.get("const").toString();
        }
        if (plain.has("enum")) {
            return words(plain.get("enum"), " | ");
        }
        if (plain.has("oneOf")) {
            Set<String> types = new LinkedHashSet<>();
            // a number or a text, which the reader is to see as one thing
            for (JsonNode branch : plain.get("oneOf")) {
                if (branch.path("$ref").asText().endsWith("/DurationText")) {
                    return "duration";
                }
                if (branch.path("format").asText().equals("date-time")) {
                    return "time";
                }
            }
            plain.get("oneOf").forEach(branch -> types.add(type(branch)));
            return String.join(" or ", types);
        }
        if (plain.path("type").isArray()) {
            List<String> types = new ArrayList<>();
            plain.get("type").forEach(type -> types.add(word(type.asText())));
            return String.join(" or ", types);
        }
        if (plain.has("items")) {
            return ("list of " + type(plain.get("items"))).replaceAll("object$", "objects")
                    + bounds(plain, "minItems", "maxItems", ", ");
        }
        String word = plain.has("type") || plain.has("allOf")
                ? word(plain.path("type").asText("object"))
                : "any JSON";
        return word
                + bounds(plain, "minimum", "maximum", " ")
                + bounds(plain, "minLength", "maxLength", " of ")
                + (plain.has("maxProperties") ? " of at most " + plain.get("maxProperties") : "");
    }

    private static String words(JsonNode values, String between) {
        List<String> words = new ArrayList<>();
        values.forEach(value -> words.add(value.toString()));
        return words.stream().collect(Collectors.joining(between));
    }

    private static String word(String type) {
        return switch (type) {
            case "string" -> "text";
            case "integer" -> "whole number";
            case "boolean" -> "true or false";
            default -> type;
        };
    }

    private static String bounds(JsonNode rule, String low, String high, String before) {
        boolean from = rule.has(low) && !(rule.get(low).asInt() == 0 && !rule.has(high));
        if (!from && !rule.has(high)) {
            return "";
        }
        return before
                + (from && rule.has(high)
                        ? rule.get(low) + "–" + rule.get(high)
                        : from ? "from " + rule.get(low) : "up to " + rule.get(high));
    }
}
