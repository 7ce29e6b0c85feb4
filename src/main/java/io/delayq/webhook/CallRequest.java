package io.delayq.webhook;

import io.delayq.job.Callback;
import io.delayq.job.Delivery;
import io.delayq.job.Delivery.Hook;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.Json;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A callback as it is sent. */
record CallRequest(URI url, String method, Map<String, String> headers, Buffer body) {
    private static final int LONGEST_BODY_SHOWN = 1024;
    private static final String CONTENT_TYPE = "content-type";

    /** @param seconds the time of the call since 1970 */
    static CallRequest of(Delivery job, URI url, long seconds) {
        Callback callback = job.hook().callback();
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(callback.headers());
        headers.putIfAbsent("user-agent", "delayq");
        Buffer body = Buffer.buffer();
        if (!callback.method().equals("GET")) {
            headers.putIfAbsent(CONTENT_TYPE, "application/json");
            body = body(job.body(), headers.get(CONTENT_TYPE));
        }
        String id = id(job);
        headers.put("webhook-id", id);
        headers.put("webhook-timestamp", Long.toString(seconds));
        List<String> secrets = secrets(job.hook());
        if (!secrets.isEmpty()) {
            headers.put("webhook-signature", Signature.of(secrets, id, seconds, body));
        }
        headers.put("delayq-topic", job.topic());
        headers.put("delayq-id", visible(job.id()));
        headers.put("delayq-attempt", Integer.toString(job.attempt()));
        if (job.traceparent() != null) {
            headers.putIfAbsent("traceparent", job.traceparent());
        }
        return new CallRequest(url, callback.method(), headers, body);
    }

    private static List<String> secrets(Hook hook) {
        return hook.webhook() == null ? List.of() : hook.webhook().secrets();
    }

    /** The same at every attempt, and of no other job: an id is free again when its job is done. */
    private static String id(Delivery job) {
        return job.topic() + "/" + visible(job.id()) + "/"
                + Long.toString(job.hook().created(), Character.MAX_RADIX);
    }

    /** As a header can have it: what is not visible ASCII is percent-encoded. */
    private static String visible(String id) {
        if (id.chars().allMatch(c -> c > 0x20 && c < 0x7f && c != '%')) {
            return id;
        }
        StringBuilder out = new StringBuilder();
        for (byte b : id.getBytes(StandardCharsets.UTF_8)) {
            if (b > 0x20 && b < 0x7f && b != '%') {
                out.append((char) b);
            } else {
                out.append(String.format("%%%02X", b & 0xff));
            }
        }
        return out.toString();
    }

    /** The job's JSON; but a text that is to be sent as something else than JSON is sent as it is. */
    private static Buffer body(Buffer json, String type) {
        boolean isJson = type.toLowerCase(Locale.ROOT).contains("json");
        return isJson || json.length() == 0 || json.getByte(0) != '"'
                ? json
                : Buffer.buffer((String) Json.decodeValue(json));
    }

    String host() {
        String host = url.getHost();
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    int port() {
        return url.getPort() > 0 ? url.getPort() : isTls() ? 443 : 80;
    }

    boolean isTls() {
        return url.getScheme().equalsIgnoreCase("https");
    }

    String target() {
        String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        return url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
    }

    /** A command that makes the same call again. A long body is left to be put into a file. */
    String curl() {
        StringBuilder out =
                new StringBuilder("curl -g -X ").append(method).append(' ').append(quoted(url.toString()));
        headers.forEach((name, value) -> out.append(" -H ")
                // a header without a value has to be said so
                .append(quoted(value.isEmpty() ? name + ";" : name.toLowerCase(Locale.ROOT) + ": " + value)));
        if (body.length() > LONGEST_BODY_SHOWN || body.toString().indexOf('\0') >= 0) {
            out.append(" --data-binary @body");
        } else if (body.length() > 0) {
            out.append(" --data-raw ").append(quoted(body.toString()));
        }
        return out.toString();
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
