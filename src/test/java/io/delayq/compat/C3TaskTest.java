package io.delayq.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.delayq.http.AnyTarget;
import io.delayq.job.Backoff;
import io.delayq.job.NewJob;
import io.delayq.job.When;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tasks as they come on the list delay_queue_task. */
class C3TaskTest {
    private static final long NOW = 1_593_317_127_000L;

    private static NewJob job(String json) {
        return C3Task.read(json.getBytes(StandardCharsets.UTF_8), AnyTarget.ANY).job("id", NOW);
    }

    @Test
    void is_a_job_with_a_callback_that_is_tried_seven_times() {
        NewJob job = job(
                """
                {"notify_url":"http://shop.example/close","plan_time":"2020-06-28T12:06:07.5+08:00",\
                "method_name":"post","notify_param":"a=1&b=2"}""");
        assertEquals("delay_queue_task", job.topic());
        assertEquals("id", job.id());
        assertEquals(When.at(1_593_317_167_500L), job.when());
        assertEquals("\"a=1&b=2\"", job.body().toString());
        assertEquals("http://shop.example/close", job.options().callback().url());
        assertEquals("POST", job.options().callback().method());
        assertEquals(
                Map.of("Content-Type", "application/x-www-form-urlencoded"),
                job.options().callback().headers());
        assertEquals(7, job.options().retry().maxAttempts());
        assertEquals(
                new Backoff.Steps(List.of(5_000L, 15_000L, 30_000L, 180_000L, 3_600_000L, 7_200_000L)),
                job.options().retry().backoff());
    }

    @ParameterizedTest
    @CsvSource({
        "0001-01-01T00:00:00Z, false, 10000",
        "2020-06-28T04:05:27Z, false, 10000",
        "2020-06-28T04:05:27.000000001Z, true, 1593317127001",
        "2020-06-28T04:05:28.123456789Z, true, 1593317128124",
    })
    void is_planned_to_the_millisecond_never_early_and_for_the_past_in_ten_seconds(
            String time, boolean absolute, long millis) {
        NewJob job = job("{\"notify_url\":\"http://a.example/\",\"plan_time\":\"" + time + "\"}");
        assertEquals(new When(absolute, millis), job.when());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            textBlock =
                    """
                    {}                                                          | 通知地址参数必须
                    {"notify_url":""}                                           | 通知地址参数必须
                    {"notify_url":7}                                            | json: cannot unmarshal number into Go struct field RedisTask.notify_url of type string
                    {"notify_url"                                               | unexpected end of JSON input
                    {"notify_url":"http://a.example/","plan_time":"soon"}       | plan_time: expected a time as in RFC 3339
                    {"notify_url":"http://a.example/","plan_time":"2020-06-28"} | plan_time: expected a time as in RFC 3339
                    {"notify_url":"http://a.example/","plan_time":"2920-06-28T00:00:00Z"} | plan_time: expected at most 2^31 s from now
                    {"notify_url":"/close"}                                     | notify_url: expected an absolute address that begins with http:// or https://
                    """)
    void what_is_wrong_is_told(String json, String reason) {
        assertEquals(
                reason,
                assertThrows(IllegalArgumentException.class, () -> job(json)).getMessage());
    }
}
