package io.delayq.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.delayq.client.Transport.Request;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Many jobs in requests of bounded size, one after another. Rows that the store could not take now are sent again. */
final class BulkPush {
    private static final int MAX_JOBS = 1_000;
    private static final int MAX_CHARS = 2 << 20;
    private static final long FIRST_WAIT_MILLIS = 50;
    private static final long LONGEST_WAIT_MILLIS = 1_000;

    private final Vertx vertx;
    private final Transport transport;
    private final long requestMillis;
    private final List<ObjectNode> jobs;
    private final Pushed[] results;
    /** Whether an earlier try may have stored the job. */
    private final boolean[] perhapsDone;
    /** Whether the same id stands further up in the list, so that job-exists is no echo of our own push. */
    private final boolean[] repeated;

    BulkPush(Vertx vertx, Transport transport, long requestMillis, List<ObjectNode> jobs) {
        this.vertx = vertx;
        this.transport = transport;
        this.requestMillis = requestMillis;
        this.jobs = jobs;
        this.results = new Pushed[jobs.size()];
        this.perhapsDone = new boolean[jobs.size()];
        this.repeated = new boolean[jobs.size()];
        Set<List<String>> keys = new HashSet<>();
        for (int i = 0; i < jobs.size(); i++) {
            repeated[i] = !keys.add(List.of(text(jobs.get(i), "topic"), text(jobs.get(i), "id")));
        }
    }

    Future<List<Pushed>> run() {
        return chunk(0).map(done -> Arrays.asList(results));
    }

    private Future<Void> chunk(int from) {
        if (from == jobs.size()) {
            return Future.succeededFuture();
        }
        List<Integer> rows = new ArrayList<>();
        int chars = 0;
        int to = from;
        while (to < jobs.size() && rows.size() < MAX_JOBS && (to == from || chars < MAX_CHARS)) {
            chars += Json.text(jobs.get(to)).length();
            rows.add(to++);
        }
        int next = to;
        long deadline = System.nanoTime() + requestMillis * 1_000_000;
        return send(rows, new Waits(FIRST_WAIT_MILLIS, LONGEST_WAIT_MILLIS), deadline)
                .compose(done -> chunk(next));
    }

    private Future<Void> send(List<Integer> rows, Waits waits, long deadline) {
        ArrayNode list = Json.MAPPER.createArrayNode();
        rows.forEach(row -> list.add(jobs.get(row)));
        return transport.send(new Request(HttpMethod.POST, "/v1/jobs", list)).compose(answer -> {
            if (answer.status() != 200) {
                return Future.failedFuture(answer.problem());
            }
            JsonNode all = Json.read(answer.text()).fields().path("results");
            if (all.size() != rows.size()) {
                return Future.failedFuture(DelayqException.noAnswer("the server did not answer for every job", null));
            }
            List<Integer> left = new ArrayList<>();
            for (int i = 0; i < rows.size(); i++) {
                int row = rows.get(i);
                perhapsDone[row] |= answer.perhapsDone();
                if (isPassing(row, all.get(i))) {
                    left.add(row);
                }
            }
            long wait = waits.nextMillis();
            if (left.isEmpty() || System.nanoTime() + wait * 1_000_000 > deadline) {
                return Future.succeededFuture();
            }
            Promise<Void> waited = Promise.promise();
            vertx.setTimer(wait, fired -> waited.complete());
            return waited.future().compose(go -> send(left, waits, deadline));
        });
    }

    /** Keeps the row's outcome; returns whether to send it again. */
    private boolean isPassing(int row, JsonNode answer) {
        int status = answer.path("status").asInt();
        String type = answer.path("type").asText(null);
        boolean ours = status == 409 && perhapsDone[row] && !repeated[row];
        results[row] = new Pushed(
                ours ? 201 : status,
                text(jobs.get(row), "topic"),
                text(jobs.get(row), "id"),
                Json.state(answer),
                Json.time(answer, "due"),
                ours ? null : type,
                ours ? null : answer.path("detail").asText(null));
        if (status != 503 || "/problems/not-replicated".equals(type)) {
            return false;
        }
        perhapsDone[row] |= "/problems/outcome-unknown".equals(type);
        return true;
    }

    private static String text(JsonNode job, String name) {
        return job.path(name).asText("");
    }
}
