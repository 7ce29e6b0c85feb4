package io.delayq.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replays a file of exchanges, each after the other, and compares what comes back byte for byte.
 *
 * <pre>
 * # a comment
 * > POST /push                         a request; >> one that is repeated until its answer fits
 * @ pushed                             its time has this name from now on
 * : Content-Type: text/plain           a header
 * = {"id":"1"}                         its body; the lines of a longer one are joined by CR LF
 * < 200 text/plain; charset=utf-8      the status and type of its answer
 * - {"code":0}                         the answer's body; none: it is empty
 * ! redis dies                         or: is back
 * $ HSET key field 'two words'         a command of a client of Redis; $$ one that is repeated until its answer fits
 * - 1                                  its answer, a list with a line for each; (nil) for none
 * % POST /close                        a call that comes to whoever is to be called, with at least these headers
 * </pre>
 *
 * Times are the only thing that is not written out, in seconds: {@code <<now+5>>}, also to name one in a request, {@code
 * <<soon=now+5>>} and {@code <<soon>>}, or to count from a request's time, {@code <<pushed+5>>}; {@code <<clock>>} is the
 * time of day. And ids that are drawn: {@code <<uuid>>}. Whoever is to be called listens on {@code <<port>>}, and answers
 * {@code {"success":true}}.
 */
final class Replay {
    private static final Pattern HOLE = Pattern.compile("<<(?:(\\w+)=)?(\\w+)(?:\\+(\\d+))?>>");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\\S+");
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    private static final Duration LIMIT = Duration.ofSeconds(15);

    private final TestServer server;
    private final TestRedis redis;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, Span> times = new HashMap<>();
    private final Called called;

    private record Span(long from, long to) {}

    private record Reply(int status, String type, String body) {}

    private static final class Exchange {
        int line;
        boolean until;
        /** Of a client of Redis; null: it is HTTP. */
        String command;
        /** From the server, not to it. */
        boolean isCall;

        String method;
        String path;
        String name;
        final List<String> headers = new ArrayList<>();
        final List<String> body = new ArrayList<>();
        int status;
        String type;
        final List<String> expected = new ArrayList<>();
    }

    Replay(TestServer server, TestRedis redis, Called called) {
        this.server = server;
        this.redis = redis;
        this.called = called;
        times.put("port", new Span(called.port(), called.port()));
    }

    /** How many exchanges there were. */
    int run(String file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(Path.of("src/test/resources/compat", file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Exchange open = null;
        int count = 0;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String rest = line.replaceFirst("^\\S+ ?", "");
            if (line.matches("[>!$%].*")) {
                count += finish(file, open);
                open = null;
            }
            switch (line.split(" ")[0]) {
                case ">", ">>" -> {
                    open = new Exchange();
                    open.line = i + 1;
                    open.until = line.startsWith(">>");
                    open.method = rest.split(" ")[0];
                    open.path = rest.split(" ")[1];
                }
                case "$", "$$" -> {
                    open = new Exchange();
                    open.line = i + 1;
                    open.until = line.startsWith("$$");
                    open.command = rest;
                }
                case "%" -> {
                    open = new Exchange();
                    open.line = i + 1;
                    open.isCall = true;
                    open.method = rest.split(" ")[0];
                    open.path = rest.split(" ")[1];
                }
                case "!" -> event(rest);
                case "@" -> open.name = rest;
                case ":" -> open.headers.add(rest);
                case "=" -> open.body.add(rest);
                case "-" -> open.expected.add(rest);
                case "<" -> {
                    open.status = Integer.parseInt(rest.split(" ")[0]);
                    open.type = rest.substring(rest.indexOf(' ') + 1);
                }
                default -> throw new IllegalArgumentException(file + ":" + (i + 1) + " begins with no mark");
            }
        }
        return count + finish(file, open);
    }

    private void event(String what) {
        switch (what) {
            case "redis dies" -> {
                redis.kill();
                TestRedis.await("not ready", () -> server.get("/health/ready").status() == 503);
            }
            case "redis is back" -> {
                redis.restart();
                TestRedis.await("ready", () -> server.get("/health/ready").status() == 200);
            }
            default -> throw new IllegalArgumentException(what);
        }
    }

    private int finish(String file, Exchange exchange) {
        if (exchange == null) {
            return 0;
        }
        if (exchange.isCall) {
            called.await(
                    file + ":" + exchange.line, exchange.method + " " + exchange.path, exchange.headers, exchange.body);
            return 1;
        }
        String place = file + ":" + exchange.line + " "
                + (exchange.command == null ? exchange.method + " " + exchange.path : exchange.command);
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            String request = filled(String.join("\r\n", exchange.body));
            long from = System.currentTimeMillis() / 1_000;
            Reply reply = exchange.command == null ? send(exchange, request) : command(exchange);
            Span span = new Span(from, System.currentTimeMillis() / 1_000);
            times.put("now", span);
            if (exchange.name != null) {
                times.put(exchange.name, span);
            }
            try {
                assertEquals(exchange.status, reply.status, place);
                assertEquals(exchange.type, reply.type, place);
                compare(place, String.join("\n", exchange.expected), reply.body);
                return 1;
            } catch (AssertionError e) {
                if (!exchange.until || System.nanoTime() > end) {
                    throw e;
                }
            }
        }
    }

    private Reply command(Exchange exchange) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(filled(exchange.command));
        while (word.find()) {
            words.add(word.group(1) == null ? word.group() : word.group(1));
        }
        Object answer = redis.command(words.toArray(String[]::new));
        List<?> parts = answer instanceof List<?> list ? list : Collections.singletonList(answer);
        List<String> lines = parts.stream()
                .map(part -> part == null ? "(nil)" : part.toString())
                .toList();
        return new Reply(0, null, String.join("\n", lines));
    }

    private Reply send(Exchange exchange, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.port() + exchange.path))
                .timeout(LIMIT)
                .method(
                        exchange.method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8));
        exchange.headers.forEach(header -> request.header(header.split(": ", 2)[0], header.split(": ", 2)[1]));
        try {
            HttpResponse<byte[]> response = http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            return new Reply(
                    response.statusCode(),
                    response.headers().firstValue("Content-Type").orElse("none"),
                    new String(response.body(), StandardCharsets.UTF_8));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(exchange.line + ": " + e, e);
        }
    }

    /** A request with its times put in, each of which is then known by its name. */
    private String filled(String text) {
        long now = System.currentTimeMillis() / 1_000;
        return HOLE.matcher(text).replaceAll(hole -> {
            long base = hole.group(2).equals("now") ? now : times.get(hole.group(2)).from;
            long time = base + (hole.group(3) == null ? 0 : Long.parseLong(hole.group(3)));
            if (hole.group(1) != null) {
                times.put(hole.group(1), new Span(time, time));
            }
            return Long.toString(time);
        });
    }

    private void compare(String place, String expected, String found) {
        StringBuilder regex = new StringBuilder();
        List<Matcher> holes = new ArrayList<>();
        int from = 0;
        Matcher hole = HOLE.matcher(expected);
        while (hole.find()) {
            regex.append(Pattern.quote(expected.substring(from, hole.start())));
            regex.append(
                    switch (hole.group(2)) {
                        case "uuid" -> "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
                        case "clock" -> "(\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d)";
                        default -> "(\\d+)";
                    });
            if (!hole.group(2).equals("uuid")) {
                Matcher one = HOLE.matcher(hole.group());
                one.find();
                holes.add(one);
            }
            from = hole.end();
        }
        regex.append(Pattern.quote(expected.substring(from)));
        Matcher filled = Pattern.compile(regex.toString(), Pattern.DOTALL).matcher(found);
        if (!filled.matches()) {
            assertEquals(expected, found, place);
        }
        for (int i = 0; i < holes.size(); i++) {
            check(place, holes.get(i), filled.group(i + 1), found);
        }
    }

    private void check(String place, Matcher hole, String value, String found) {
        boolean isClock = hole.group(2).equals("clock");
        Span span = times.get(isClock ? "now" : hole.group(2));
        long plus = hole.group(3) == null ? 0 : Long.parseLong(hole.group(3));
        long time = isClock
                ? LocalDateTime.parse(value, CLOCK)
                        .atZone(ZoneId.systemDefault())
                        .toEpochSecond()
                : Long.parseLong(value);
        if (time < span.from + plus || time > span.to + plus) {
            throw new AssertionError(place + " " + hole.group() + ": " + value + " is not within " + (span.from + plus)
                    + " and " + (span.to + plus) + " in " + found);
        }
    }
}
