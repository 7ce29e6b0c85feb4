package io.delayq.http;

import io.vertx.core.buffer.Buffer;
import java.util.Map;

/** What a route comes to. */
public record Answer(int status, String mediaType, Buffer body, Map<String, String> headers) {
    public static final String JSON = "application/json";

    public static Answer json(int status, Buffer body) {
        return new Answer(status, JSON, body, Map.of());
    }

    public static Answer text(String mediaType, String body) {
        return new Answer(200, mediaType, Buffer.buffer(body), Map.of());
    }

    public static Answer empty() {
        return new Answer(204, null, Buffer.buffer(), Map.of());
    }

    public Answer with(String header, String value) {
        return new Answer(status, mediaType, body, Map.of(header, value));
    }

    static Answer of(Problem problem) {
        Map<String, String> headers = problem.retryAfterSeconds() != null
                ? Map.of("Retry-After", Integer.toString(problem.retryAfterSeconds()))
                : problem.type() == ProblemType.UNAUTHORIZED ? Map.of("WWW-Authenticate", "Bearer") : Map.of();
        return new Answer(problem.status(), Problem.MEDIA_TYPE, problem.toJson(), headers);
    }
}
