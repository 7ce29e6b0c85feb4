package io.delayq.redis;

import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The nearer way to a Redis of our own: a socket in the file system spares the kernel the work of a network. Looked for
 * with every connection that is made, so that its port serves when the file is gone.
 */
public final class Sockets {
    /** No Redis here is our own. */
    public static final Sockets NONE = new Sockets(Map.of());

    /** What fits into an address of the kernel, with a byte for its end. */
    private static final int LONGEST_PATH = 107;

    private final Map<String, Path> byUrl;

    private Sockets(Map<String, Path> byUrl) {
        this.byUrl = byUrl;
    }

    /** Those of them that can be used from here. */
    static Sockets of(Vertx vertx, Map<String, Path> byUrl) {
        if (!((VertxInternal) vertx).transport().supportsDomainSockets()) {
            return NONE;
        }
        return new Sockets(byUrl.entrySet().stream()
                .filter(one -> one.getValue().toString().getBytes(StandardCharsets.UTF_8).length <= LONGEST_PATH)
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    /** Where to connect to reach the Redis of that address. */
    String nearest(String url) {
        Path socket = byUrl.get(url);
        if (socket == null || !Files.exists(socket)) {
            return url;
        }
        String password = URI.create(url).getRawUserInfo().substring(1);
        return "unix://" + socket.toUri().getRawPath() + "?password=" + password;
    }
}
