package io.delayq.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.delayq.redis.TestRedis;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Whoever the originals' tasks call: says yes to all, and remembers what came. */
final class Called implements AutoCloseable {
    private static final byte[] YES = "{\"success\":true}".getBytes(StandardCharsets.UTF_8);

    private final HttpServer server;
    private final Queue<Came> calls = new ConcurrentLinkedQueue<>();

    private record Came(String line, List<String> headers, String body) {}

    Called() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        List<String> headers = new ArrayList<>();
        exchange.getRequestHeaders()
                .forEach((name, values) ->
                        values.forEach(value -> headers.add(name.toLowerCase(Locale.ROOT) + ": " + value)));
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        calls.add(new Came(exchange.getRequestMethod() + " " + exchange.getRequestURI(), headers, body));
        exchange.sendResponseHeaders(200, YES.length);
        exchange.getResponseBody().write(YES);
        exchange.close();
    }

    /** This call comes, or has come. */
    void await(String place, String line, List<String> headers, List<String> body) {
        TestRedis.await(place + " " + line, () -> calls.stream().anyMatch(came -> came.line.equals(line)));
        Came came =
                calls.stream().filter(one -> one.line.equals(line)).findFirst().orElseThrow();
        calls.remove(came);
        assertEquals(String.join("\r\n", body), came.body, place);
        for (String header : headers) {
            String[] parts = header.split(": ", 2);
            assertTrue(
                    came.headers.contains(parts[0].toLowerCase(Locale.ROOT) + ": " + parts[1]),
                    () -> place + " has no " + header + " in " + came.headers);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
