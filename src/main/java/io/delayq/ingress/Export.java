package io.delayq.ingress;

import io.delayq.http.JobLine;
import io.delayq.http.Outflow;
import io.delayq.job.JobPage;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Predicate;

/**
 * Writes jobs page by page, each one read when the client has taken most of the one before. A job that moves on meanwhile
 * comes at least once, as the states are taken in the order in which it goes through them; one that is sent back, for a
 * retry or by hand, may be missed.
 */
final class Export {
    private static final List<JobState> STATES = List.of(JobState.DELAYED, JobState.READY, JobState.RESERVED);
    private static final int TOPICS = 100;
    private static final int JOBS = 500;
    private static final int WRITE_BYTES = 64 << 10;

    private final Store store;
    private final Predicate<String> wanted;
    private final Outflow out;
    private final Promise<Void> done = Promise.promise();
    private final ArrayDeque<String> topics = new ArrayDeque<>();
    private String lastTopic;
    private boolean moreTopics;
    private int state;
    private String cursor;
    private long jobs;

    Export(Store store, Predicate<String> wanted, Outflow out) {
        this.store = store;
        this.wanted = wanted;
        this.out = out;
    }

    Future<Void> all() {
        moreTopics = true;
        return begin();
    }

    Future<Void> one(String topic) {
        topics.add(topic);
        return begin();
    }

    /** How many were written. */
    long jobs() {
        return jobs;
    }

    private Future<Void> begin() {
        out.whenCut(done::tryComplete);
        step();
        return done.future();
    }

    /** Not a chain of futures: that would grow with every page. */
    private void step() {
        if (done.future().isComplete()) {
            return;
        }
        try {
            if (!topics.isEmpty()) {
                store.topics()
                        .list(JobQuery.all(topics.peek(), STATES.get(state), JOBS, cursor))
                        .onSuccess(this::write)
                        .onFailure(done::tryFail);
            } else if (moreTopics) {
                store.topics("", lastTopic, TOPICS).onSuccess(this::take).onFailure(done::tryFail);
            } else {
                out.end(Buffer.buffer());
                done.tryComplete();
            }
        } catch (RuntimeException e) {
            done.tryFail(e);
        }
    }

    private void take(List<String> names) {
        moreTopics = names.size() == TOPICS;
        if (!names.isEmpty()) {
            lastTopic = names.get(names.size() - 1);
        }
        names.stream().filter(wanted).forEach(topics::add);
        step();
    }

    private void write(JobPage page) {
        try {
            Buffer lines = Buffer.buffer();
            jobs += page.jobs().size();
            for (JobView job : page.jobs()) {
                JobLine.write(lines, job);
                if (lines.length() >= WRITE_BYTES) {
                    out.write(lines);
                    lines = Buffer.buffer();
                }
            }
            if (lines.length() > 0) {
                out.write(lines);
            }
            advance(page.cursor());
            out.whenRoom(this::step);
        } catch (RuntimeException e) {
            done.tryFail(e);
        }
    }

    private void advance(String next) {
        cursor = next;
        if (next == null && ++state == STATES.size()) {
            state = 0;
            topics.poll();
        }
    }
}
