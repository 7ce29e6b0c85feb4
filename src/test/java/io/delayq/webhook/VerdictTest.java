package io.delayq.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.delayq.job.TopicSettings.Webhook.Success;
import io.delayq.webhook.CallClient.Answer;
import io.delayq.webhook.Verdict.Outcome;
import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerdictTest {
    /** 2026-11-16T12:00:00Z. */
    private static final long NOW = 1_794_830_400_000L;

    @ParameterizedTest
    @CsvSource({
        "200, DONE, false",
        "204, DONE, false",
        "299, DONE, false",
        "302, AGAIN, false",
        "400, AGAIN, false",
        "404, AGAIN, false",
        "408, AGAIN, true",
        "410, DEAD, false",
        "429, AGAIN, true",
        "500, AGAIN, true",
        "503, AGAIN, true",
        "999, AGAIN, true",
    })
    void judges_by_the_status(int status, Outcome outcome, boolean hostFailed) {
        Verdict verdict = Verdict.of(answer(status, ""), null, NOW);
        assertEquals(outcome, verdict.outcome());
        assertEquals(hostFailed, verdict.hostFailed());
        assertEquals(verdict, Verdict.of(answer(status, ""), Success.ANY_2XX, NOW));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    200 | {"success":true}                | DONE
                    200 | { "n":1, "success" : true }     | DONE
                    200 | {"success":false}               | AGAIN
                    200 | {"success":"true"}              | AGAIN
                    200 | {"success":1}                   | AGAIN
                    200 | [true]                          | AGAIN
                    200 | true                            | AGAIN
                    200 | {"success":true                 | AGAIN
                    201 | {"success":true}                | AGAIN
                    500 | {"success":true}                | AGAIN
                    410 | {"success":true}                | DEAD
                    """)
    void asks_for_success_where_the_topic_says_so(int status, String body, Outcome outcome) {
        assertEquals(
                outcome,
                Verdict.of(answer(status, body), Success.SUCCESS_TRUE, NOW).outcome());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    1                             | 1000
                    ' 120 '                       | 120000
                    999999999                     | 3600000
                    Mon, 16 Nov 2026 12:00:30 GMT | 30000
                    Tue, 17 Nov 2026 12:00:00 GMT | 3600000
                    """)
    void waits_as_long_as_it_is_asked_to_but_an_hour_at_most(String header, long millis) {
        assertEquals(millis, Verdict.retryAfter(header, NOW));
        Verdict verdict = Verdict.of(new Answer(503, header, Buffer.buffer()), null, NOW);
        assertEquals(millis, verdict.waitMillis());
    }

    @ParameterizedTest
    @CsvSource({"0", "-1", "soon", "''", "1.5", "9999999999", "'Mon, 16 Nov 2026 11:59:59 GMT'", "'Mon, 99 Nov 2026'"})
    void leaves_it_to_the_backoff_if_that_says_nothing(String header) {
        assertNull(Verdict.retryAfter(header, NOW));
    }

    @Test
    void says_why() {
        assertEquals("answered 500", Verdict.of(answer(500, ""), null, NOW).error());
        assertEquals(
                "answered 302; redirects are not followed",
                Verdict.of(answer(302, ""), null, NOW).error());
        assertEquals(
                "answered 200 without {\"success\":true}",
                Verdict.of(answer(200, ""), Success.SUCCESS_TRUE, NOW).error());
    }

    private static Answer answer(int status, String body) {
        return new Answer(status, null, Buffer.buffer(body));
    }
}
