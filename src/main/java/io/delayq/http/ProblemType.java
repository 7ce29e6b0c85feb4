package io.delayq.http;

import java.util.Locale;

/** Every way a request can fail, as the wire contract lists them. */
public enum ProblemType {
    INVALID_REQUEST(400, "The request is not valid"),
    UNAUTHORIZED(401, "A valid token is needed"),
    FORBIDDEN(403, "Not allowed"),
    NOT_FOUND(404, "There is no such path"),
    JOB_NOT_FOUND(404, "There is no such job"),
    TOPIC_NOT_FOUND(404, "There is no such topic"),
    METHOD_NOT_ALLOWED(405, "The path does not take this method"),
    REQUEST_TIMEOUT(408, "The request came too slowly"),
    JOB_EXISTS(409, "The id is in use"),
    STALE_LEASE(409, "The lease does not hold"),
    WRONG_STATE(409, "The job's state does not allow this"),
    TOO_LARGE(413, "The request is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "The content type is not taken here"),
    RATE_LIMITED(429, "Too many requests"),
    HEADERS_TOO_LARGE(431, "The headers are too large"),
    INTERNAL(500, "The server made a mistake"),
    STORE_UNAVAILABLE(503, "The store is out of reach"),
    SHUTTING_DOWN(503, "The server is stopping"),
    OUTCOME_UNKNOWN(503, "The store did not answer in time"),
    NOT_REPLICATED(503, "Too few replicas confirmed the write"),
    STORE_FULL(507, "The store is full");

    private final String uri;
    private final int status;
    private final String title;

    ProblemType(int status, String title) {
        this.uri = "/problems/" + name().toLowerCase(Locale.ROOT).replace('_', '-');
        this.status = status;
        this.title = title;
    }

    /** The {@code type} member; also the path of the page that explains it. */
    public String uri() {
        return uri;
    }

    public int status() {
        return status;
    }

    public String title() {
        return title;
    }

    /** @param detail what was expected and what to do about it */
    public Problem with(String detail) {
        return new Problem(this, detail);
    }
}
