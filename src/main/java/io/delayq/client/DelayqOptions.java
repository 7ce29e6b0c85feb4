package io.delayq.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;

/** Where the server is and how patient the client is. Read once, when the client is made. */
public final class DelayqOptions {
    private URI url = URI.create("http://127.0.0.1:9277");
    private String token;
    private Duration connectTimeout = Duration.ofSeconds(2);
    private Duration requestTimeout = Duration.ofSeconds(10);
    private Duration reconnectMin = Duration.ofMillis(100);
    private Duration reconnectMax = Duration.ofSeconds(10);
    private ObjectMapper mapper;

    /** Of the server, {@code http} or {@code https}, with the path under which a proxy serves it, if any. */
    public DelayqOptions url(String text) {
        URI uri = URI.create(text);
        boolean http = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
        if (!http || uri.getHost() == null || uri.getQuery() != null || uri.getFragment() != null) {
            throw new IllegalArgumentException("expected a url such as http://127.0.0.1:9277, found " + text);
        }
        url = uri;
        return this;
    }

    /** Null: none is sent. */
    public DelayqOptions token(String secret) {
        token = secret;
        return this;
    }

    public DelayqOptions connectTimeout(Duration timeout) {
        connectTimeout = positive("connectTimeout", timeout);
        return this;
    }

    /** For one operation in all, its repetitions included. */
    public DelayqOptions requestTimeout(Duration timeout) {
        requestTimeout = positive("requestTimeout", timeout);
        return this;
    }

    /** How long a handler's lost connection stays closed: the first try after about {@code min}, then doubling. */
    public DelayqOptions reconnect(Duration min, Duration max) {
        reconnectMin = positive("reconnect min", min);
        reconnectMax = positive("reconnect max", max);
        if (max.compareTo(min) < 0) {
            throw new IllegalArgumentException("expected a reconnect max of at least min");
        }
        return this;
    }

    /** Turns bodies into classes and back. */
    public DelayqOptions mapper(ObjectMapper other) {
        mapper = Objects.requireNonNull(other);
        return this;
    }

    String host() {
        return url.getHost();
    }

    boolean ssl() {
        return "https".equalsIgnoreCase(url.getScheme());
    }

    int port() {
        return url.getPort() >= 0 ? url.getPort() : ssl() ? 443 : 80;
    }

    /** What all paths begin with. */
    String prefix() {
        String path = url.getRawPath() == null ? "" : url.getRawPath();
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    String token() {
        return token;
    }

    long connectMillis() {
        return connectTimeout.toMillis();
    }

    long requestMillis() {
        return requestTimeout.toMillis();
    }

    Waits reconnect() {
        return new Waits(reconnectMin.toMillis(), reconnectMax.toMillis());
    }

    ObjectMapper mapper() {
        return mapper == null ? JsonMapper.builder().findAndAddModules().build() : mapper;
    }

    private static Duration positive(String name, Duration value) {
        if (value.toMillis() < 1) {
            throw new IllegalArgumentException("expected " + name + " of at least 1 ms, found " + value);
        }
        return value;
    }
}
