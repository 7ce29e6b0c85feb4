package io.delayq.http;

import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Map;

/**
 * One request on its way through a route.
 *
 * @param segments the path's parts, decoded
 * @param body empty if none was sent
 */
public record Call(HttpServerRequest request, List<String> segments, byte[] body, Access.Caller caller) {
    /** The third part of {@code /v1/topics/{topic}/…}. */
    public String topic() {
        return segments.get(2);
    }

    /** The fifth part of {@code /v1/topics/{topic}/jobs/{id}/…}. */
    public String id() {
        return segments.get(4);
    }

    /** The value of a query parameter, null if absent. Any but those known is a fault, as is one given twice. */
    public Map<String, String> query(List<String> known) {
        Faults faults = new Faults();
        Map<String, String> found = new java.util.LinkedHashMap<>();
        request.params().forEach((name, value) -> {
            if (!known.contains(name)) {
                faults.add(Faults.child("", name), "unknown parameter; expected " + String.join(", ", known));
            } else if (found.put(name, value) != null) {
                faults.add(Faults.child("", name), "expected once");
            }
        });
        faults.throwIfAny();
        return found;
    }

    /** Whether the client is known to have gone. */
    public boolean isGone() {
        return request.response().closed();
    }
}
