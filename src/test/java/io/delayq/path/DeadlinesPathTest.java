package io.delayq.path;

import static io.delayq.path.RawHttp.request;
import static io.delayq.path.Wire.problem;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.redis.TestRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How long a client may take, and who has all the time there is. */
class DeadlinesPathTest {
    private static final int HEADER_MILLIS = 600;

    private static TestServer patient;
    private static TestServer hasty;

    @BeforeAll
    static void start() {
        patient = server(75_000);
        hasty = server(HEADER_MILLIS);
    }

    @AfterAll
    static void stop() {
        patient.close();
        hasty.close();
    }

    private static TestServer server(long idleMillis) {
        return Wire.server(
                http -> new Settings.Http(http.host(), 0, http.maxConnections(), idleMillis, HEADER_MILLIS),
                TestRedis.shared().url());
    }

    /** Long enough for every deadline to be over, by the clock of a request that waits for it. */
    private static void deadlinesPass() {
        assertEquals(
                "{\"jobs\":[]}",
                patient.reserve("nothing-here", 1, 3 * HEADER_MILLIS + "ms").text());
    }

    @Test
    void a_kept_connection_may_be_silent_for_longer_than_headers_may_take() {
        try (RawHttp http = new RawHttp(patient.port())) {
            assertEquals(
                    200, http.send(request("GET", "/health/live", null)).read().status());
            deadlinesPass();
            assertEquals(
                    200, http.send(request("GET", "/health/live", null)).read().status());
        }
    }

    @Test
    void once_it_begins_its_next_request_it_has_the_time_for_headers() {
        try (RawHttp http = new RawHttp(patient.port())) {
            assertEquals(
                    200, http.send(request("GET", "/health/live", null)).read().status());
            deadlinesPass();
            long begin = System.nanoTime();
            assertTrue(http.send("G").ends());
            long millis = (System.nanoTime() - begin) / 1_000_000;
            assertTrue(millis >= HEADER_MILLIS / 2 && millis < 20 * HEADER_MILLIS, "after " + millis + " ms");
        }
    }

    @Test
    void headers_that_trickle_in_fast_enough_in_all_are_taken() {
        try (RawHttp http = new RawHttp(patient.port())) {
            for (int i = 0; i < 3; i++) {
                String text = request("GET", "/health/live", null);
                text.chars().forEach(c -> http.send(Character.toString(c)));
                assertEquals(200, http.read().status());
            }
        }
    }

    @Test
    void a_body_that_trickles_in_answers_408_though_it_never_stalls() {
        try (RawHttp http = new RawHttp(patient.port())) {
            http.send("POST /v1/topics/t/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{");
            long begin = System.nanoTime();
            TestRedis.await("the end of patience", () -> {
                try {
                    // far from a KiB a second, but never long silent
                    http.send(" ");
                    return false;
                } catch (UncheckedIOException ended) {
                    return true;
                }
            });
            long millis = (System.nanoTime() - begin) / 1_000_000;
            assertTrue(millis >= HEADER_MILLIS / 2 && millis < 20 * HEADER_MILLIS, "after " + millis + " ms");
        }
    }

    @Test
    void lines_that_trickle_in_are_cut_off() throws IOException {
        try (LineSocket client = new LineSocket(patient.port())) {
            long begin = System.nanoTime();
            TestRedis.await("the end of patience", () -> {
                try {
                    client.chunk(" ");
                    return false;
                } catch (IOException ended) {
                    return true;
                }
            });
            long millis = (System.nanoTime() - begin) / 1_000_000;
            assertTrue(millis >= HEADER_MILLIS / 2 && millis < 20 * HEADER_MILLIS, "after " + millis + " ms");
        }
    }

    @Test
    void a_websocket_outlives_every_deadline() throws IOException {
        try (RawSocket socket = new RawSocket(hasty)) {
            assertTrue(socket.head.startsWith("HTTP/1.1 101"), socket.head);
            deadlinesPass();
            socket.text("{\"op\":\"ping\",\"ref\":1}");
            assertEquals("{\"op\":\"pong\",\"ref\":1}", socket.read().data());
        }
    }

    @Test
    void a_long_poll_outlives_every_deadline_and_what_is_sent_meanwhile_does_not_end_it() {
        try (RawHttp http = new RawHttp(hasty.port())) {
            http.send(request("POST", "/v1/topics/t/reserve", "{\"wait\":\"1800ms\"}"));
            http.send("G");
            assertEquals("{\"jobs\":[]}", http.read().text());
            assertEquals(
                    200,
                    http.send(request("GET", "/health/live", null).substring(1))
                            .read()
                            .status());
        }
    }

    @Test
    void a_body_that_stalls_is_told_why() {
        try (RawHttp http = new RawHttp(patient.port())) {
            http.send("POST /v1/topics/t/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{");
            assertTrue(problem(408, "request-timeout", http.read())
                    .getString("detail")
                    .contains("1 KiB a second"));
        }
    }
}
