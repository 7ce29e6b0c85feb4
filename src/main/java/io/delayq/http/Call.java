package io.delayq.http;

import io.vertx.core.http.HttpServerRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One request on its way through a route.
 *
 * @param segments the path's parts, decoded
 * @param inPath what is wrong with the names in the path; these cannot be had then
 * @param body empty if none was sent
 */
public record Call(HttpServerRequest request, List<String> segments, Faults inPath, byte[] body, Access.Caller caller) {
    /** The third part of {@code /v1/topics/{topic}/…}. Asked for after the body was read, so that all faults are told. */
    public String topic() {
        inPath.throwIfAny();
        return segments.get(2);
    }

    /** The fifth part of {@code /v1/topics/{topic}/jobs/{id}/…}. */
    public String id() {
        inPath.throwIfAny();
        return segments.get(4);
    }

    /** The topic as it was sent, for a reader that checks it itself. */
    public String uncheckedTopic() {
        return segments.get(2);
    }

    public String uncheckedId() {
        return segments.get(4);
    }

    /** The query parameters by name. Any but those known is a fault, as is one given twice or not decodable. */
    public Map<String, String> query(List<String> known, Faults faults) {
        Map<String, String> found = new LinkedHashMap<>();
        String query = request.query();
        for (String pair : query == null || query.isEmpty() ? new String[0] : query.split("&")) {
            String[] parts = pair.split("=", 2);
            try {
                String name = Paths.decode(parts[0].replace('+', ' '));
                if (!known.contains(name)) {
                    faults.add(Faults.child("", name), "unknown parameter; expected " + String.join(", ", known));
                } else if (found.put(name, parts.length < 2 ? "" : Paths.decode(parts[1].replace('+', ' '))) != null) {
                    faults.add(Faults.child("", name), "expected once");
                }
            } catch (Problem e) {
                faults.add(Faults.child("", parts[0]), "expected percent-encoded UTF-8");
            }
        }
        return found;
    }

    /** Who calls, for a job's attempt log. */
    public String by() {
        return caller.by(request.remoteAddress());
    }

    /** Whether the client is known to have gone. */
    public boolean isGone() {
        return request.response().closed();
    }
}
