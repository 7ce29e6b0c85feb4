package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.delayq.job.Backoff;
import io.delayq.job.Callback;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobLineTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final Retry IN_FORCE = new Retry(10, new Backoff.Steps(List.of(1L)));

    @Test
    void only_the_jobs_own_rules_are_written() {
        assertEquals(
                "{\"topic\":\"t\",\"id\":\"a\",\"at\":1800000001000,\"body\":null}\n",
                line(view(JobOptions.NONE, "null")));
        assertEquals(
                "{\"topic\":\"t\",\"id\":\"a\",\"at\":1800000001000,\"retry\":{\"maxAttempts\":3},\"body\":1}\n",
                line(view(new JobOptions(null, new Retry(3, null), null, null, null, null, null), "1")));
    }

    @Test
    void the_same_job_is_read_from_the_line() {
        JobOptions all = new JobOptions(
                5_000L,
                new Retry(0, new Backoff.Exponential(500, 1.5, 60_000, 0.25)),
                new Callback("https://shop.example/x", "PUT", Map.of("X-App", "shop")),
                Priority.HIGH,
                60_000L,
                "g\"\u2028",
                null);
        for (JobOptions options : List.of(
                all,
                JobOptions.NONE,
                new JobOptions(
                        null,
                        new Retry(null, new Backoff.Steps(List.of(5L, 10L))),
                        null,
                        Priority.LOW,
                        null,
                        null,
                        null))) {
            Row row = JobRequest.line(0, bytes(line(view(options, "{\"n\":1.50}"))), null, null, NOW, AnyTarget.ANY);
            assertNull(row.problem(), () -> row.problem().oneLine());
            NewJob job = row.job();
            assertEquals("t", job.topic());
            assertEquals("a", job.id());
            assertEquals(true, job.when().absolute());
            assertEquals(NOW + 1_000, job.when().millis());
            assertEquals(options, job.options());
            assertEquals("{\"n\":1.50}", job.body().toString());
        }
    }

    @Test
    void a_body_that_was_spelled_on_many_lines_stands_on_one() {
        String line = line(view(JobOptions.NONE, "{\r\n  \"a\": \"x\\ny\",\n  \"b\": [1,\n2]\n}"));
        assertEquals(1, line.lines().count(), line);
        assertEquals(
                "{    \"a\": \"x\\ny\",   \"b\": [1, 2] }",
                JobRequest.line(0, bytes(line), null, null, NOW, AnyTarget.ANY)
                        .job()
                        .body()
                        .toString());
    }

    private static byte[] bytes(String line) {
        return Buffer.buffer(line.strip()).getBytes();
    }

    private static String line(JobView job) {
        Buffer out = Buffer.buffer();
        JobLine.write(out, job);
        return out.toString();
    }

    private static JobView view(JobOptions own, String body) {
        return new JobView(
                "t",
                "a",
                JobState.DELAYED,
                NOW + 1_000,
                NOW,
                2,
                60_000,
                IN_FORCE,
                own,
                null,
                "error",
                null,
                Buffer.buffer(body));
    }
}
