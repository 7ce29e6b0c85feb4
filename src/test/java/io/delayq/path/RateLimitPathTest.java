package io.delayq.path;

import static io.delayq.path.RawHttp.request;
import static io.delayq.path.Wire.problem;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Requests per second per token. */
class RateLimitPathTest {
    private static final String[] RIGHTS = {"push", "consume", "admin"};

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start(set -> Wire.with(
                set,
                set.http(),
                List.of(
                        Wire.token("one", 1, RIGHTS),
                        Wire.token("five", 5, RIGHTS),
                        Wire.token("forbidden", 1, "push"),
                        Wire.token("free", 0, RIGHTS)),
                List.of()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void one_too_many_answers_429_with_the_time_to_wait_and_others_are_served() {
        RawHttp.Answer refused = null;
        long begin = System.nanoTime();
        int served = 0;
        for (int i = 0; refused == null && i < 1_000; i++) {
            RawHttp.Answer answer = get("one");
            if (answer.status() == 429) {
                refused = answer;
            } else {
                served++;
            }
            assertEquals(200, get("free").status());
        }
        problem(429, "rate-limited", refused);
        assertEquals("1", refused.header("Retry-After"));
        long seconds = (System.nanoTime() - begin) / 1_000_000_000;
        assertTrue(served <= seconds + 2, served + " in " + seconds + " s");
    }

    @Test
    void a_request_that_is_not_allowed_counts_too() {
        int[] status = new int[3];
        for (int i = 0; i < status.length; i++) {
            status[i] = get("forbidden").status();
        }
        assertEquals(403, status[0]);
        assertTrue(status[1] == 429 || status[2] == 429);
    }

    @Test
    void messages_of_a_websocket_are_read_no_faster_and_none_is_refused() throws IOException {
        int count = 12;
        long begin = System.nanoTime();
        try (RawSocket socket = new RawSocket(server, "Authorization: Bearer five")) {
            for (int i = 0; i < count; i++) {
                socket.text("{\"op\":\"ping\",\"ref\":" + i + "}");
            }
            for (int i = 0; i < count; i++) {
                assertEquals(
                        "{\"op\":\"pong\",\"ref\":" + i + "}", socket.read().data());
            }
        }
        // five at once, the handshake among them, and five a second from then on
        long millis = (System.nanoTime() - begin) / 1_000_000;
        assertTrue(millis >= 1_400, "took " + millis + " ms");
    }

    private static RawHttp.Answer get(String token) {
        return RawHttp.once(server.port(), request("GET", "/v1/topics", null, "Authorization: Bearer " + token));
    }
}
