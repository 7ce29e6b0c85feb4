package io.delayq.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the outcomes of one connection's jobs, many in one message: what finishes in one turn of the event loop, or while
 * the message before is being written, goes together. Owned by the client's context.
 */
final class Settler {
    private static final Logger log = LoggerFactory.getLogger(Settler.class);
    private static final int MAX_JOBS = 1_000;
    /** Of a message's 1 MiB, with room for its frame. */
    private static final int MAX_BYTES = (1 << 20) - 4_096;

    private static final int JOB_BYTES = 160;
    /** The longest escape of one character. */
    private static final int CHAR_BYTES = 6;

    private static final long FIRST_WAIT_MILLIS = 50;
    private static final long LONGEST_WAIT_MILLIS = 2_000;

    private final Vertx vertx;
    private final Context context;
    private final Session session;
    private final Deque<Held> acks = new ArrayDeque<>();
    private final Deque<Held> nacks = new ArrayDeque<>();
    private final Waits waits = new Waits(FIRST_WAIT_MILLIS, LONGEST_WAIT_MILLIS);
    private boolean planned;
    private boolean writing;

    Settler(Vertx vertx, Context context, Session session) {
        this.vertx = vertx;
        this.context = context;
        this.session = session;
    }

    void settle(Held held) {
        (held.failure == null ? acks : nacks).add(held);
        if (!planned && !writing) {
            planned = true;
            context.runOnContext(turn -> {
                planned = false;
                flush();
            });
        }
    }

    private void flush() {
        if (writing || session.isEnded()) {
            return;
        }
        if (!acks.isEmpty()) {
            send("ack", acks);
        } else if (!nacks.isEmpty()) {
            send("nack", nacks);
        }
    }

    private void send(String op, Deque<Held> queue) {
        ObjectNode frame = Json.MAPPER.createObjectNode().put("op", op).put("topic", session.topic());
        ArrayNode list = frame.putArray("jobs");
        List<Held> batch = new ArrayList<>();
        int bytes = 0;
        while (!queue.isEmpty() && batch.size() < MAX_JOBS) {
            bytes += bytes(queue.peek());
            if (bytes > MAX_BYTES && !batch.isEmpty()) {
                break;
            }
            Held held = queue.poll();
            batch.add(held);
            ObjectNode job = list.addObject().put("id", held.job.id()).put("lease", held.job.lease());
            if (held.failure != null) {
                job.put("error", held.failure);
            }
        }
        writing = true;
        session.ask(frame, answer -> answered(batch, answer)).onComplete(written -> {
            writing = false;
            flush();
        });
    }

    private void answered(List<Held> batch, Json.Message answer) {
        if (answer.fields().path("op").asText().equals("error")) {
            refused(batch, answer.fields().path("problem"));
            return;
        }
        waits.reset();
        int stale = answer.fields().path("stale").size();
        boolean again = batch.stream().anyMatch(held -> held.sentBefore);
        session.settled(batch, again ? 0 : stale);
    }

    private void refused(List<Held> batch, JsonNode problem) {
        if (problem.path("status").asInt() < 500) {
            // nothing that a repetition would change; the leases end by themselves
            log.warn("outcomes refused topic={} jobs={} problem={}", session.topic(), batch.size(), problem);
            session.settled(batch, batch.size());
            return;
        }
        // perhaps some of them were taken: a stale lease is then our own doing
        batch.forEach(held -> held.sentBefore = true);
        vertx.setTimer(waits.nextMillis(), fired -> {
            if (!session.isEnded()) {
                batch.forEach(this::settle);
            }
        });
    }

    private static int bytes(Held held) {
        int failure = held.failure == null ? 0 : held.failure.length();
        return JOB_BYTES + CHAR_BYTES * (held.job.id().length() + failure);
    }
}
