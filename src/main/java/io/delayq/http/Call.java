package io.delayq.http;

import io.vertx.core.http.HttpServerRequest;
import java.util.List;

/**
 * One request on its way through a route.
 *
 * @param segments the path's parts, decoded
 * @param inPath what is wrong with the names in the path, and with the query once it was read; these names cannot be had
 *     then
 * @param body empty if none was sent
 */
public record Call(
        HttpServerRequest request,
        List<String> segments,
        Faults inPath,
        byte[] body,
        Access.Caller caller,
        Audit audit) {
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

    /** The fifth part of {@code /v1/topics/{topic}/groups/{group}}. */
    public String group() {
        return id();
    }

    /** As it was sent; null if there is none. */
    public String query() {
        return request.query();
    }

    /** For a route without query parameters: each one is a fault, told along with those of path and body. */
    public void refuseQuery() {
        QueryReader.read(query(), List.of(), inPath);
    }

    /** Who calls, for a job's attempt log. */
    public String by() {
        return caller.by(request.remoteAddress());
    }

    /** For the audit log: for example how many jobs it came to. Never what the client sent. */
    public void note(String name, Object value) {
        audit.note(name, value);
    }

    /** Whether the client is known to have gone. */
    public boolean isGone() {
        return request.response().closed();
    }
}
