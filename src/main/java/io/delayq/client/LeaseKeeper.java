package io.delayq.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Extends the leases of one connection's jobs at half their time, many in one message. Owned by the client's context.
 *
 * <p>A delivery says when its lease ends by the server's clock, not how long it lasts. So the first job of a client, and
 * one a minute, is extended as it arrives, by {@link #PROBE_MILLIS}: the answer tells what the server's clock shows.
 */
final class LeaseKeeper {
    static final long PROBE_MILLIS = 5_000;
    private static final long SHORTEST_MILLIS = 100;
    private static final long LONGEST_MILLIS = 86_400_000;
    private static final int MAX_JOBS = 1_000;
    private static final long MILLI = 1_000_000;

    private final Vertx vertx;
    private final Session session;
    private final ServerClock clock;
    private final long extendNanos;
    /** The job whose extension is to tell the server's time; null if none is under way. */
    private Held probe;

    private long timer = -1;
    private long timerAtNanos;

    LeaseKeeper(Vertx vertx, Session session, ServerClock clock, long extendNanos) {
        this.vertx = vertx;
        this.session = session;
        this.clock = clock;
        this.extendNanos = extendNanos;
    }

    void arrived(Collection<Held> jobs) {
        if (extendNanos <= 0) {
            return;
        }
        if (clock.isKnown()) {
            jobs.forEach(this::plan);
        }
        if (probe == null && !clock.isFresh(System.nanoTime())) {
            probe(jobs);
        }
    }

    /** The server has taken the job's outcome, or the job is lost. */
    void gone(Held held) {
        if (held == probe) {
            probe = null;
            if (!clock.isKnown()) {
                probe(session.held());
            }
        }
    }

    void stop() {
        vertx.cancelTimer(timer);
        timer = -1;
    }

    private void probe(Collection<Held> among) {
        for (Held held : among) {
            if (!held.finished) {
                probe = held;
                held.ttrMillis = PROBE_MILLIS;
                extend(List.of(held));
                return;
            }
        }
    }

    /** Half-way from its arrival to the end of the lease. */
    private void plan(Held held) {
        long left = leftAtArrival(held);
        held.ttrMillis = bounded(left);
        held.extendAtNanos = held.arrivedNanos + Math.max(0, Math.min(LONGEST_MILLIS, left)) / 2 * MILLI;
        arm(held.extendAtNanos);
    }

    private long leftAtArrival(Held held) {
        return held.job.deadlineMillis() - clock.millisAt(held.arrivedNanos);
    }

    private static long bounded(long millis) {
        return Math.max(SHORTEST_MILLIS, Math.min(LONGEST_MILLIS, millis));
    }

    private void arm(long atNanos) {
        if (timer >= 0 && timerAtNanos <= atNanos) {
            return;
        }
        stop();
        timerAtNanos = atNanos;
        timer = vertx.setTimer(Math.max(1, (atNanos - System.nanoTime()) / MILLI), fired -> {
            timer = -1;
            runOnce();
        });
    }

    /** Extends what has to be now or soon, and sets the alarm for the next. */
    private void runOnce() {
        long now = System.nanoTime();
        long next = Held.NEVER;
        List<Held> due = new ArrayList<>();
        for (Held held : session.held()) {
            if (held.extendAtNanos == Held.NEVER || held.finished && !held.sentBefore) {
                continue;
            }
            if (now - held.arrivedNanos > extendNanos) {
                held.extendAtNanos = Held.NEVER;
            } else if (held.extendAtNanos - held.ttrMillis * MILLI / 8 <= now) {
                due.add(held);
            } else {
                next = Math.min(next, held.extendAtNanos);
            }
        }
        for (int from = 0; from < due.size(); from += MAX_JOBS) {
            extend(due.subList(from, Math.min(due.size(), from + MAX_JOBS)));
        }
        if (next != Held.NEVER) {
            arm(next);
        }
    }

    private void extend(List<Held> jobs) {
        ObjectNode frame = Json.MAPPER.createObjectNode().put("op", "extend").put("topic", session.topic());
        ArrayNode list = frame.putArray("jobs");
        for (Held held : jobs) {
            held.extendAtNanos = Held.NEVER;
            list.addObject()
                    .put("id", held.job.id())
                    .put("lease", held.job.lease())
                    .put("ttr", held.ttrMillis);
        }
        List<Held> asked = List.copyOf(jobs);
        long sentNanos = System.nanoTime();
        session.ask(frame, answer -> answered(asked, sentNanos, answer));
    }

    private void answered(List<Held> asked, long sentNanos, Json.Message answer) {
        boolean refused = answer.fields().path("op").asText().equals("error");
        Map<String, Long> deadlines = new HashMap<>();
        answer.jobs()
                .forEach(job -> deadlines.put(
                        job.fields().path("id").asText(),
                        job.fields().path("deadline").asLong()));
        Set<String> stale = new HashSet<>();
        answer.fields().path("stale").forEach(id -> stale.add(id.asText()));
        for (Held held : asked) {
            Long deadline = deadlines.get(held.job.id());
            if (deadline != null) {
                clock.learn(deadline - held.ttrMillis, sentNanos);
                held.extendAtNanos = sentNanos + held.ttrMillis / 2 * MILLI;
            } else if (stale.contains(held.job.id()) && !held.finished) {
                session.lost(held);
            } else if (refused) {
                // soon again: the store was away, and half of the lease is left
                held.extendAtNanos = System.nanoTime() + held.ttrMillis / 8 * MILLI;
            }
            if (held.extendAtNanos != Held.NEVER) {
                arm(held.extendAtNanos);
            }
        }
        if (probe != null && !refused && asked.contains(probe)) {
            Held asker = probe;
            probe = null;
            probed(asker, deadlines.containsKey(asker.job.id()));
        }
    }

    private void probed(Held asker, boolean answered) {
        if (answered) {
            // it keeps its time, and asks for what is its own from now on
            asker.ttrMillis = bounded(leftAtArrival(asker));
        }
        if (!clock.isKnown()) {
            probe(session.held());
            return;
        }
        for (Held held : session.held()) {
            if (held.ttrMillis == 0) {
                plan(held);
            }
        }
    }
}
