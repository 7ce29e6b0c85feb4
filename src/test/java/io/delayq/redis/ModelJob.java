package io.delayq.redis;

import io.delayq.job.Callback;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.TopicSettings;
import java.util.ArrayList;
import java.util.List;

/** What {@link QueueModel} knows of one job. */
final class ModelJob {
    private static final int LOGGED = 10;

    final String topic;
    final String id;
    final JobOptions options;
    final Priority priority;
    final Long ttl;
    final long created;
    /** Attempt and outcome of those that ended. */
    final List<String> log = new ArrayList<>();

    JobState state;
    long due;
    /** Null: never; of no account while it is reserved. */
    Long expires;

    int attempts;
    int losses;
    String lease = "";
    long deadline;
    /** When it was dead or done. */
    long ended;

    String lastError;

    ModelJob(NewJob job, TopicSettings settings, long now) {
        this.topic = job.topic();
        this.id = job.id();
        this.options = job.options();
        this.priority = options.priority() != null
                ? options.priority()
                : settings.priority() != null ? settings.priority() : Priority.NORMAL;
        this.ttl = options.ttl() != null ? options.ttl() : settings.ttl();
        this.created = now;
    }

    /** @param name a topic, or what its jobs that go by callback are called */
    boolean isFor(String name) {
        boolean called = options.callback() != null;
        return name.equals(called ? Callback.jobsOf(topic) : topic) && state == JobState.READY;
    }

    /** The due time that push, put, PATCH or requeue set. */
    void schedule(long at, long now) {
        due = at;
        state = at > now ? JobState.DELAYED : JobState.READY;
        expires = ttl == null ? null : Long.valueOf(at + ttl);
    }

    boolean isOver(long now) {
        return expires != null && expires <= now;
    }

    void write(String outcome) {
        log.add(attempts + " " + outcome);
        if (log.size() > LOGGED) {
            log.remove(0);
        }
    }

    @Override
    public String toString() {
        return topic + "/" + id + " " + state + " due " + due + " expires " + expires + " attempts " + attempts;
    }
}
