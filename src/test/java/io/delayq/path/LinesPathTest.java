package io.delayq.path;

import static io.delayq.path.Wire.job;
import static io.delayq.path.Wire.problem;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs as lines, pushed and answered as streams. */
class LinesPathTest {
    private static final long STALL_MILLIS = 500;
    private static TestServer server;

    private final String topic = Wire.topic();

    @BeforeAll
    static void start() {
        server = Wire.server(LinesPathTest::impatient, TestRedis.shared().url());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Settings.Http impatient(Settings.Http http) {
        return new Settings.Http(http.host(), 0, http.maxConnections(), http.idleMillis(), STALL_MILLIS);
    }

    @Test
    void each_line_is_answered_in_its_order_and_counted_at_the_end() throws Exception {
        HttpResponse<String> answer =
                push(line("a") + "\n" + "\r\n" + line("b") + "\r\n  \n" + line("a") + "\n" + line("c"));
        assertEquals(200, answer.statusCode());
        assertEquals(
                "application/x-ndjson",
                answer.headers().firstValue("Content-Type").orElse(""));
        assertEquals("chunked", answer.headers().firstValue("Transfer-Encoding").orElse(""));
        List<JsonObject> rows = rows(answer.body());
        assertEquals(List.of(0, 1, 2, 3), numbers(rows, "index"));
        assertEquals(List.of(201, 201, 409, 201), numbers(rows, "status"));
        assertEquals("/problems/job-exists", rows.get(2).getString("type"));
        assertEquals(topic, rows.get(0).getString("topic"));
        assertEquals("delayed", rows.get(0).getString("state"));
        assertTrue(rows.get(3).getLong("due") > System.currentTimeMillis());
        assertEquals("{\"accepted\":3,\"rejected\":1}", rows.get(4).encode());
        assertEquals(5, rows.size());
        assertEquals(200, server.get(job(topic, "c")).status());
    }

    @Test
    void a_bad_line_fails_alone() throws Exception {
        List<JsonObject> rows = rows(push(String.join(
                        "\n",
                        line("a"),
                        "{\"topic\":",
                        "{} {}",
                        "[]",
                        "{\"topic\":\"" + topic + "\",\"id\":\"b\",\"ttr\":0}",
                        "\u0001",
                        "{\"id\":\"x\"}",
                        line("c")))
                .body());
        assertEquals(List.of(201, 400, 400, 400, 400, 400, 400, 201), numbers(rows.subList(0, 8), "status"));
        assertEquals("b", rows.get(4).getString("id"));
        assertTrue(rows.get(4).getString("detail").contains("ttr"), rows.get(4).encode());
        assertEquals("{\"accepted\":2,\"rejected\":6}", rows.get(8).encode());
    }

    @Test
    void bytes_that_are_no_text_fail_only_their_line() throws Exception {
        byte[] good = (line("a") + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] all = new byte[good.length + 4];
        all[0] = '"';
        all[1] = (byte) 0xff;
        all[2] = '"';
        all[3] = '\n';
        System.arraycopy(good, 0, all, 4, good.length);
        HttpResponse<String> answer = server.raw(request(HttpRequest.BodyPublishers.ofByteArray(all)));
        assertEquals(List.of(400, 201), numbers(rows(answer.body()).subList(0, 2), "status"));
    }

    @Test
    void a_line_over_1_mib_fails_alone() throws Exception {
        String huge = "{\"topic\":\"" + topic + "\",\"x\":\"" + "x".repeat(3 << 20) + "\"}";
        String large = line("a").replace("}", ",\"body\":\"" + "x".repeat(250_000) + "\"}");
        String blanks = line("b") + " ".repeat((1 << 20) - line("b").length());
        List<JsonObject> rows = rows(push(huge + "\n" + large + "\n" + blanks + "\n" + blanks + " \n")
                .body());
        assertEquals(List.of(413, 201, 201, 413), numbers(rows.subList(0, 4), "status"));
        assertEquals("/problems/too-large", rows.get(0).getString("type"));
        assertTrue(rows.get(0).getString("detail").contains(Integer.toString(huge.length())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "\r\n \n\n"})
    void nothing_but_blank_lines_is_no_jobs(String text) throws Exception {
        // without any body the type does not matter, and a list of jobs was expected
        HttpResponse<String> answer = push(text);
        if (text.isEmpty()) {
            assertEquals(400, answer.statusCode());
        } else {
            assertEquals("{\"accepted\":0,\"rejected\":0}\n", answer.body());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/x-ndjson", "Application/X-NDJSON ; charset=utf-8"})
    void the_media_type_decides(String type) throws Exception {
        assertEquals(1, rows(push("[]", type).body()).get(1).getInteger("rejected"));
        assertEquals(0, new JsonObject(push("[]", "application/json").body()).getInteger("rejected"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/ndjson", "application/x-ndjsonx"})
    void another_media_type_answers_415(String type) throws Exception {
        HttpResponse<String> answer = push(line("a"), type);
        assertEquals(415, answer.statusCode());
        assertTrue(answer.body().contains("application/x-ndjson"), answer.body());
    }

    @Test
    void lines_are_not_taken_where_one_job_is() {
        problem(
                415,
                "unsupported-media-type",
                RawHttp.once(
                        server.port(),
                        RawHttp.request("POST", Wire.jobs("t"), "{}", "Content-Type: application/x-ndjson")));
    }

    @Test
    void http_1_0_is_refused() {
        String request = RawHttp.request("POST", "/v1/jobs", line("a"), "Content-Type: application/x-ndjson");
        problem(400, "invalid-request", RawHttp.once(server.port(), request.replace("HTTP/1.1", "HTTP/1.0")));
    }

    @Test
    void many_small_lines_keep_their_order() throws Exception {
        int count = 50_000;
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(i % 7 == 0 ? "nonsense" : line(Integer.toString(i))).append('\n');
        }
        List<JsonObject> rows = rows(push(text.toString()).body());
        assertEquals(count + 1, rows.size());
        for (int i = 0; i < count; i++) {
            assertEquals(i, rows.get(i).getInteger("index"));
            assertEquals(i % 7 == 0 ? 400 : 201, rows.get(i).getInteger("status"));
            assertEquals(i % 7 == 0 ? null : Integer.toString(i), rows.get(i).getString("id"));
        }
        int bad = (count + 6) / 7;
        assertEquals(bad, rows.get(count).getInteger("rejected"));
        assertEquals(count - bad, server.get("/v1/topics/" + topic).json().getInteger("delayed"));
    }

    @Test
    void a_row_comes_while_the_request_still_goes_on() throws Exception {
        try (LineSocket client = new LineSocket(server.port())) {
            for (int i = 0; i < 20; i++) {
                String text = line(Integer.toString(i)) + "\n";
                client.chunk(text.substring(0, 9)).chunk(text.substring(9));
                assertEquals(i, client.row().getInteger("index"));
            }
            client.end();
            assertEquals(20, client.row().getInteger("accepted"));
            assertNull(client.row());
            assertTrue(client.isWhole());
        }
    }

    @Test
    void a_client_that_stops_sending_is_cut_off_after_what_it_sent_was_answered() throws Exception {
        try (LineSocket client = new LineSocket(server.port())) {
            client.chunk(line("a") + "\n{\"topic\":");
            assertEquals(201, client.row().getInteger("status"));
            assertNull(client.row());
            assertFalse(client.isWhole());
        }
        try (RawHttp http = new RawHttp(server.port())) {
            http.send(LineSocket.HEAD);
            problem(408, "request-timeout", http.read());
        }
    }

    @Test
    void a_last_line_that_was_cut_off_is_not_taken() throws Exception {
        try (LineSocket client = new LineSocket(server.port())) {
            client.chunk(line("a") + "\n" + line("b"));
            assertEquals("a", client.row().getString("id"));
            client.raw("no chunk\r\n");
            assertNull(client.row());
            assertFalse(client.isWhole());
        }
        assertEquals(404, server.get(job(topic, "b")).status());
    }

    @Test
    void a_client_that_does_not_read_is_not_read_from_and_cut_off_in_the_end() throws Exception {
        byte[] lines =
                (("{\"topic\":\"" + topic + "\",\"delay\":\"1h\"}\n").repeat(200)).getBytes(StandardCharsets.UTF_8);
        AtomicInteger sent = new AtomicInteger();
        try (LineSocket client = new LineSocket(server.port(), 8 * 1024)) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try {
                    // far more than the sockets' buffers and the window hold
                    for (int i = 0; i < 20_000; i++) {
                        client.chunk(new String(lines, StandardCharsets.UTF_8));
                        sent.addAndGet(200);
                    }
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            // held back, then closed; never taken to the end
            assertThrows(
                    java.util.concurrent.ExecutionException.class,
                    () -> sending.get(30, java.util.concurrent.TimeUnit.SECONDS));
            assertTrue(sent.get() < 2_000_000, "took " + sent.get());
        }
    }

    @Test
    void a_client_that_reads_late_gets_every_row() throws Exception {
        int count = 40_000;
        try (LineSocket client = new LineSocket(server.port(), 8 * 1024)) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try {
                    StringBuilder text = new StringBuilder();
                    for (int i = 0; i < count; i++) {
                        text.append(line(Integer.toString(i))).append('\n');
                        if (i % 500 == 499) {
                            client.chunk(text.toString());
                            text.setLength(0);
                        }
                    }
                    client.end();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            TestRedis.await(
                    "the first rows", () -> server.get("/v1/topics/" + topic).status() == 200);
            for (int i = 0; i < count; i++) {
                assertEquals(i, client.row().getInteger("index"));
            }
            assertEquals(count, client.row().getInteger("accepted"));
            TestServer.await(sending);
            assertNull(client.row());
            assertTrue(client.isWhole());
        }
    }

    @Test
    void a_client_that_leaves_ends_the_work() throws Exception {
        try (LineSocket client = new LineSocket(server.port())) {
            client.chunk(line("a") + "\n");
            assertEquals(201, client.row().getInteger("status"));
            client.reset();
        }
        try (LineSocket client = new LineSocket(server.port())) {
            client.chunk(line("a") + "\n");
            assertEquals(409, client.row().getInteger("status"));
        }
    }

    @Test
    void a_server_that_stops_answers_what_it_read_and_says_503_to_the_rest() throws Exception {
        TestServer own = TestServer.start();
        CompletableFuture<Void> stopped;
        try (LineSocket client = new LineSocket(own.port())) {
            client.chunk(line("a") + "\n");
            assertEquals(201, client.row().getInteger("status"));
            stopped = CompletableFuture.runAsync(own::close);
            JsonObject row;
            int id = 0;
            do {
                client.chunk(line("b" + id++) + "\n");
                row = client.row();
            } while (row.getInteger("status") == 201);
            assertEquals(503, row.getInteger("status"));
            assertEquals("/problems/shutting-down", row.getString("type"));
            client.end();
            JsonObject last = client.row();
            assertEquals(1, last.getInteger("rejected"));
            assertNull(client.row());
            assertTrue(client.isWhole());
        }
        TestServer.await(stopped);
    }

    @Test
    void a_server_that_stops_cuts_a_stream_off_that_does_not_end() throws Exception {
        TestServer own = TestServer.start();
        try (LineSocket client = new LineSocket(own.port())) {
            client.chunk(line("a") + "\n");
            assertEquals(201, client.row().getInteger("status"));
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(own::close);
            long begin = System.nanoTime();
            assertNull(client.row());
            assertFalse(client.isWhole());
            TestServer.await(stopped);
            assertTrue(System.nanoTime() - begin < Duration.ofSeconds(6).toNanos());
        }
    }

    @Test
    void while_the_store_is_away_lines_get_503_and_the_stream_goes_on() throws Exception {
        TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
        try (TestServer own = Wire.server(http -> http, redis.url());
                LineSocket client = new LineSocket(own.port())) {
            client.chunk(line("a") + "\n");
            assertEquals(201, client.row().getInteger("status"));
            redis.kill();
            for (int i = 0; i < 2; i++) {
                client.chunk(line("b" + i) + "\nnonsense\n");
                assertEquals(503, client.row().getInteger("status"));
                assertEquals(400, client.row().getInteger("status"));
            }
            redis.restart();
            TestRedis.await("ready", () -> own.get("/health/ready").status() == 200);
            client.chunk(line("c") + "\n");
            assertEquals(201, client.row().getInteger("status"));
            client.end();
            assertEquals("{\"accepted\":2,\"rejected\":4}", client.row().encode());
        } finally {
            redis.close();
        }
    }

    private String line(String id) {
        return "{\"topic\":\"" + topic + "\",\"id\":\"" + id + "\",\"delay\":\"1h\"}";
    }

    private static HttpResponse<String> push(String lines) throws Exception {
        return push(lines, "application/x-ndjson");
    }

    private static HttpResponse<String> push(String lines, String type) throws Exception {
        return server.raw(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/jobs"))
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofString(lines))
                .build());
    }

    private static HttpRequest request(HttpRequest.BodyPublisher body) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/jobs"))
                .header("Content-Type", "application/x-ndjson")
                .POST(body)
                .build();
    }

    private static List<JsonObject> rows(String text) {
        List<JsonObject> rows = new ArrayList<>();
        text.lines().forEach(line -> rows.add(new JsonObject(line)));
        return rows;
    }

    private static List<Integer> numbers(List<JsonObject> rows, String name) {
        return rows.stream()
                .filter(row -> row.containsKey("index"))
                .map(row -> row.getInteger(name))
                .toList();
    }
}
