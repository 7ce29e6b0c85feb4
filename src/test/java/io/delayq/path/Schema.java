package io.delayq.path;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The part of JSON Schema 2020-12 that our descriptions use, to the letter. A keyword that it does not know is an error,
 * so that no rule goes unchecked.
 */
final class Schema {
    private static final Set<String> WORDS = Set.of(
            "$ref",
            "allOf",
            "oneOf",
            "not",
            "type",
            "const",
            "enum",
            "properties",
            "patternProperties",
            "additionalProperties",
            "unevaluatedProperties",
            "required",
            "minProperties",
            "maxProperties",
            "items",
            "minItems",
            "maxItems",
            "minLength",
            "maxLength",
            "pattern",
            "minimum",
            "maximum");
    /** These say nothing that can be wrong, or what cannot be checked here. */
    private static final Set<String> NOTES =
            Set.of("description", "default", "format", "contentMediaType", "contentSchema");

    private static final Map<String, Pattern> patterns = new ConcurrentHashMap<>();
    /** By identity, for it is asked for every value. */
    private static final Set<JsonNode> understood =
            Collections.newSetFromMap(Collections.synchronizedMap(new IdentityHashMap<>()));

    private final JsonNode document;
    private final List<String> faults = new ArrayList<>();

    private Schema(JsonNode document) {
        this.document = document;
    }

    /**
     * What is wrong with a value.
     *
     * @param document what references lead into
     */
    static List<String> faults(JsonNode document, JsonNode schema, JsonNode value) {
        Schema check = new Schema(document);
        check.check(schema, value, "");
        return check.faults;
    }

    static JsonNode target(JsonNode document, String reference) {
        if (!reference.startsWith("#/")) {
            throw new AssertionError("not within the document: " + reference);
        }
        JsonNode found = document.at(reference.substring(1));
        if (found.isMissingNode()) {
            throw new AssertionError("leads nowhere: " + reference);
        }
        return found;
    }

    /** Returns the members that a rule was found for. */
    private Set<String> check(JsonNode schema, JsonNode value, String at) {
        if (understood.add(schema)) {
            schema.fieldNames().forEachRemaining(word -> {
                if (!WORDS.contains(word) && !NOTES.contains(word)) {
                    throw new AssertionError("unknown keyword " + word + " in " + schema);
                }
            });
        }
        Set<String> known = new HashSet<>();
        if (schema.has("$ref")) {
            known.addAll(check(target(document, schema.get("$ref").asText()), value, at));
        }
        schema.path("allOf").forEach(part -> known.addAll(check(part, value, at)));
        if (schema.has("oneOf")) {
            known.addAll(oneOf(schema.get("oneOf"), value, at));
        }
        if (schema.has("not") && faults(document, schema.get("not"), value).isEmpty()) {
            fault(at, "fits what it must not");
        }
        plain(schema, value, at);
        if (value.isObject()) {
            members(schema, value, at, known);
        } else if (value.isArray()) {
            count(schema, "Items", value.size(), at);
            for (int i = 0; i < value.size() && schema.has("items"); i++) {
                check(schema.get("items"), value.get(i), at + "/" + i);
            }
        } else if (value.isTextual()) {
            count(
                    schema,
                    "Length",
                    value.asText().codePointCount(0, value.asText().length()),
                    at);
            if (schema.has("pattern") && !matches(schema.get("pattern").asText(), value.asText())) {
                fault(at, "does not match " + schema.get("pattern"));
            }
        } else if (value.isNumber() && (schema.has("minimum") || schema.has("maximum"))) {
            BigDecimal number = value.decimalValue();
            if (schema.has("minimum") && number.compareTo(schema.get("minimum").decimalValue()) < 0
                    || schema.has("maximum")
                            && number.compareTo(schema.get("maximum").decimalValue()) > 0) {
                fault(at, "out of bounds: " + value);
            }
        }
        return known;
    }

    private Set<String> oneOf(JsonNode branches, JsonNode value, String at) {
        Set<String> known = new HashSet<>();
        List<String> all = new ArrayList<>();
        int fitting = 0;
        for (JsonNode branch : branches) {
            Schema check = new Schema(document);
            Set<String> found = check.check(branch, value, at);
            all.addAll(check.faults);
            if (check.faults.isEmpty()) {
                fitting++;
                known.addAll(found);
            }
        }
        if (fitting != 1) {
            fault(at, "fits " + fitting + " of the alternatives: " + all);
        }
        return known;
    }

    private void plain(JsonNode schema, JsonNode value, String at) {
        JsonNode type = schema.get("type");
        if (type != null) {
            boolean fits = false;
            for (JsonNode one : type.isArray() ? type : List.of(type)) {
                fits |= is(one.asText(), value);
            }
            if (!fits) {
                fault(at, "is not " + type + ": " + value);
            }
        }
        if (schema.has("const") && !schema.get("const").equals(value)) {
            fault(at, "is not " + schema.get("const") + ": " + value);
        }
        if (schema.has("enum")) {
            boolean found = false;
            for (JsonNode one : schema.get("enum")) {
                found |= one.equals(value);
            }
            if (!found) {
                fault(at, "is none of " + schema.get("enum") + ": " + value);
            }
        }
    }

    private static boolean is(String type, JsonNode value) {
        return switch (type) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isTextual();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "null" -> value.isNull();
            default -> throw new AssertionError("unknown type " + type);
        };
    }

    private void members(JsonNode schema, JsonNode value, String at, Set<String> known) {
        count(schema, "Properties", value.size(), at);
        for (JsonNode name : schema.path("required")) {
            if (!value.has(name.asText())) {
                fault(at, "lacks " + name.asText());
            }
        }
        Set<String> own = new HashSet<>();
        for (Iterator<Map.Entry<String, JsonNode>> all = value.fields(); all.hasNext(); ) {
            Map.Entry<String, JsonNode> member = all.next();
            String name = member.getKey();
            JsonNode rule = schema.path("properties").get(name);
            if (rule != null) {
                own.add(name);
                check(rule, member.getValue(), at + "/" + name);
            }
            schema.path("patternProperties").fields().forEachRemaining(pattern -> {
                if (matches(pattern.getKey(), name)) {
                    own.add(name);
                    check(pattern.getValue(), member.getValue(), at + "/" + name);
                }
            });
            if (isClosed(schema, "additionalProperties") && !own.contains(name)) {
                fault(at, "has a member too many: " + name);
            }
        }
        known.addAll(own);
        if (isClosed(schema, "unevaluatedProperties")) {
            value.fieldNames().forEachRemaining(name -> {
                if (!known.contains(name)) {
                    fault(at, "has a member too many: " + name);
                }
            });
        }
    }

    private static boolean isClosed(JsonNode schema, String word) {
        JsonNode rule = schema.get(word);
        if (rule != null && !rule.isBoolean()) {
            throw new AssertionError(word + " is expected to be true or false");
        }
        return rule != null && !rule.asBoolean();
    }

    private void count(JsonNode schema, String what, int count, String at) {
        if (count < schema.path("min" + what).asInt(0)
                || count > schema.path("max" + what).asInt(Integer.MAX_VALUE)) {
            fault(at, "has " + count + " " + what);
        }
    }

    private static boolean matches(String pattern, String text) {
        return patterns.computeIfAbsent(pattern, Pattern::compile).matcher(text).find();
    }

    private void fault(String at, String what) {
        faults.add(at + " " + what);
    }
}
