package io.delayq.redis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.OnExpire;
import io.delayq.job.TopicSettings.RedisList;
import io.delayq.job.TopicSettings.Webhook;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A topic's settings as stored in {@code topics}: nothing if none were set, else the version, a space, 1 if it is paused
 * or 0, a space, and the settings as JSON, which the scripts read under these names.
 */
record SettingsRecord(boolean paused, TopicSettings settings) {
    static final SettingsRecord NONE = new SettingsRecord(false, TopicSettings.NONE);

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern FORM = Pattern.compile("(\\d+) ([01]) (.+)", Pattern.DOTALL);

    static SettingsRecord decode(String stored) {
        Matcher form = FORM.matcher(stored);
        return form.matches() ? new SettingsRecord(form.group(2).equals("1"), settings(form.group(3))) : NONE;
    }

    static byte[] encode(TopicSettings settings) {
        ObjectNode node = JSON.createObjectNode();
        put(node, "ttr", settings.ttr());
        put(node, "maxAttempts", settings.retry().maxAttempts());
        if (settings.retry().backoff() != null) {
            node.set("backoff", JobRecord.backoff(settings.retry().backoff()));
        }
        put(
                node,
                "priority",
                settings.priority() == null ? null : settings.priority().word());
        put(node, "ttl", settings.ttl());
        put(
                node,
                "onExpire",
                settings.onExpire() == null ? null : settings.onExpire().word());
        if (settings.callback() != null) {
            node.set("callback", JobRecord.callback(settings.callback()));
        }
        Webhook webhook = settings.webhook();
        if (webhook != null) {
            ObjectNode inner = node.putObject("webhook");
            ArrayNode secrets = inner.putArray("secrets");
            webhook.secrets().forEach(secrets::add);
            put(
                    inner,
                    "success",
                    webhook.success() == null ? null : webhook.success().word());
        }
        if (settings.redisList() != null) {
            node.putObject("redisList")
                    .put("key", settings.redisList().key())
                    .put("payload", settings.redisList().payload().word());
        }
        put(node, "keepDone", settings.keepDone());
        put(node, "keepDead", settings.keepDead());
        put(node, "maxInFlight", settings.maxInFlight());
        put(node, "ratePerSecond", settings.ratePerSecond());
        return JobRecord.bytes(node);
    }

    private static void put(ObjectNode node, String name, Number value) {
        if (value != null) {
            node.put(name, value.longValue());
        }
    }

    private static void put(ObjectNode node, String name, String value) {
        if (value != null) {
            node.put(name, value);
        }
    }

    private static TopicSettings settings(String json) {
        JsonNode node = JobRecord.parse(Bytes.of(json));
        return new TopicSettings(
                number(node, "ttr"),
                new Retry(
                        whole(node, "maxAttempts"),
                        node.has("backoff") ? JobRecord.backoff(node.get("backoff")) : null),
                node.has("priority") ? Priority.valueOf(upper(node, "priority")) : null,
                number(node, "ttl"),
                node.has("onExpire") ? OnExpire.valueOf(upper(node, "onExpire")) : null,
                node.has("callback") ? JobRecord.callback(node.get("callback")) : null,
                node.has("webhook") ? webhook(node.get("webhook")) : null,
                node.has("redisList") ? redisList(node.get("redisList")) : null,
                number(node, "keepDone"),
                number(node, "keepDead"),
                whole(node, "maxInFlight"),
                whole(node, "ratePerSecond"));
    }

    private static Webhook webhook(JsonNode node) {
        List<String> secrets = new ArrayList<>();
        node.get("secrets").forEach(secret -> secrets.add(secret.asText()));
        Webhook.Success success = null;
        for (Webhook.Success known : Webhook.Success.values()) {
            if (node.path("success").asText().equals(known.word())) {
                success = known;
            }
        }
        return new Webhook(secrets, success);
    }

    private static RedisList redisList(JsonNode node) {
        return new RedisList(node.get("key").asText(), RedisList.Payload.valueOf(upper(node, "payload")));
    }

    private static String upper(JsonNode node, String name) {
        return node.get(name).asText().toUpperCase(Locale.ROOT);
    }

    private static Long number(JsonNode node, String name) {
        return node.has(name) ? node.get(name).asLong() : null;
    }

    private static Integer whole(JsonNode node, String name) {
        return node.has(name) ? node.get(name).asInt() : null;
    }
}
