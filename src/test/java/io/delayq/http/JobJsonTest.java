package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.job.Backoff;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.Retry;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobJsonTest {
    private static final String LOG =
            "[{\"attempt\":1,\"start\":5,\"end\":6,\"outcome\":\"nacked\",\"error\":\"why\"}]";
    private static final String HEAD = "{\"topic\":\"t\",\"id\":\"a\",\"state\":\"delayed\",\"due\":7,\"created\":4,"
            + "\"attempts\":1,\"ttr\":60000,\"retry\":{\"maxAttempts\":10,\"backoff\":[5]},\"priority\":\"normal\","
            + "\"lastError\":\"why\"";

    @Test
    void a_whole_job_has_its_log_before_its_body() {
        assertEquals(
                HEAD + ",\"log\":" + LOG + ",\"body\":1}",
                JobJson.job(job(LOG), true).toString());
        assertEquals(HEAD + ",\"body\":1}", JobJson.job(job(null), true).toString());
    }

    @Test
    void a_brief_job_has_neither() {
        assertEquals(HEAD + "}", JobJson.job(job(LOG), false).toString());
    }

    @Test
    void a_listed_job_never_has_its_log() {
        assertEquals(HEAD + "}", JobJson.listed(job(LOG), false).toString());
        assertEquals(HEAD + ",\"body\":1}", JobJson.listed(job(LOG), true).toString());
    }

    private static JobView job(String log) {
        return new JobView(
                "t",
                "a",
                JobState.DELAYED,
                7,
                4,
                1,
                60_000,
                new Retry(10, new Backoff.Steps(List.of(5L))),
                JobOptions.NONE,
                null,
                "why",
                log,
                Buffer.buffer("1"));
    }
}
