package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ProblemTest {
    @Test
    void has_every_type_of_the_contract_with_its_status() {
        Map<String, Integer> contract = new TreeMap<>(Map.ofEntries(
                Map.entry("/problems/invalid-request", 400),
                Map.entry("/problems/unauthorized", 401),
                Map.entry("/problems/forbidden", 403),
                Map.entry("/problems/not-found", 404),
                Map.entry("/problems/job-not-found", 404),
                Map.entry("/problems/topic-not-found", 404),
                Map.entry("/problems/method-not-allowed", 405),
                Map.entry("/problems/job-exists", 409),
                Map.entry("/problems/stale-lease", 409),
                Map.entry("/problems/wrong-state", 409),
                Map.entry("/problems/too-large", 413),
                Map.entry("/problems/unsupported-media-type", 415),
                Map.entry("/problems/request-timeout", 408),
                Map.entry("/problems/headers-too-large", 431),
                Map.entry("/problems/rate-limited", 429),
                Map.entry("/problems/internal", 500),
                Map.entry("/problems/store-unavailable", 503),
                Map.entry("/problems/shutting-down", 503),
                Map.entry("/problems/outcome-unknown", 503),
                Map.entry("/problems/not-replicated", 503),
                Map.entry("/problems/store-full", 507)));
        assertEquals(
                contract,
                Arrays.stream(ProblemType.values())
                        .collect(Collectors.toMap(ProblemType::uri, ProblemType::status, (a, b) -> a, TreeMap::new)));
    }

    @Test
    void writes_the_body_of_rfc_9457_with_all_faults() {
        Faults faults = new Faults();
        faults.add("/delay", "expected \"30s\"");
        faults.add("/retry/backoff/3", "expected a duration");
        assertEquals(
                "{\"type\":\"/problems/invalid-request\",\"title\":\"The request is not valid\",\"status\":400,"
                        + "\"detail\":\"2 faults in the request; correct what errors names and send it again\","
                        + "\"errors\":[{\"pointer\":\"/delay\",\"detail\":\"expected \\\"30s\\\"\"},"
                        + "{\"pointer\":\"/retry/backoff/3\",\"detail\":\"expected a duration\"}]}",
                faults.toProblem().toJson().toString());
        assertEquals(
                "/delay expected \"30s\"; /retry/backoff/3 expected a duration",
                faults.toProblem().oneLine());
    }

    @Test
    void leaves_errors_out_when_there_are_none() {
        JsonObject json = Problem.staleLease().toJson().toJsonObject();
        assertEquals(409, json.getInteger("status"));
        assertTrue(!json.containsKey("errors"));
    }

    @Test
    void carries_the_existing_job_and_the_time_to_wait() {
        Problem exists = Problem.jobExists("order", "a\"b", Buffer.buffer("{\"state\":\"ready\"}"));
        JsonObject json = exists.toJson().toJsonObject();
        assertEquals("ready", json.getJsonObject("job").getString("state"));
        assertTrue(json.getString("detail").contains("a\"b"));
        assertNull(exists.retryAfterSeconds());
        assertEquals(2, Problem.storeUnavailable(2).retryAfterSeconds());
        assertEquals(
                2, Problem.rateLimited(2).withMember("x", Buffer.buffer("1")).retryAfterSeconds());
    }

    @Test
    void has_no_stack_trace() {
        assertEquals(0, Problem.staleLease().getStackTrace().length);
    }

    @Test
    void escapes_pointers_as_rfc_6901_asks() {
        assertEquals("/a~1b~0c~01", Faults.child("", "a/b~c~1"));
        assertEquals("/retry/", Faults.child("/retry", ""));
    }

    @Test
    void lists_at_most_100_faults_but_counts_them_all() {
        Faults faults = new Faults();
        for (int i = 0; i < 250; i++) {
            faults.add("/" + i, "x");
        }
        assertEquals(100, faults.toProblem().faults().size());
        assertTrue(faults.toProblem().detail().startsWith("250 faults"));
    }
}
