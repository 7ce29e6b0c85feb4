package io.delayq.redis;

import io.delayq.job.Backoff;
import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.NewJob;
import io.delayq.job.Retry;
import io.delayq.job.TopicCounts;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.OnExpire;
import io.delayq.job.When;
import io.delayq.redis.Store.Nacked;
import io.delayq.redis.Store.Pushed;
import io.delayq.redis.Store.Rescheduled;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The whole life of jobs and topics as the contract has it, in plain memory: what the store must answer. */
final class QueueModel {
    static final String EXPIRED = "its ttl ended before it was done";
    static final String LEASE_ENDED = "the lease ended without an answer";
    static final String LOST = "the connection ended before the job was settled";

    private final Map<String, ModelJob> jobs = new LinkedHashMap<>();
    private final Map<String, TopicSettings> settings = new TreeMap<>();
    private final TreeSet<String> paused = new TreeSet<>();
    long now;

    List<ModelJob> jobs(Predicate<ModelJob> which) {
        return new ArrayList<>(jobs.values().stream().filter(which).toList());
    }

    ModelJob job(String topic, String id) {
        return jobs.get(topic + "|" + id);
    }

    List<String> topics() {
        return List.copyOf(settings.keySet());
    }

    TopicSettings settings(String topic) {
        return settings.getOrDefault(topic, TopicSettings.NONE);
    }

    boolean isPaused(String topic) {
        return paused.contains(topic);
    }

    private void remove(ModelJob job) {
        jobs.remove(job.topic + "|" + job.id);
    }

    /** Removes these; how many there were. */
    Long remove(Predicate<ModelJob> which) {
        List<ModelJob> gone = jobs(which);
        gone.forEach(this::remove);
        return (long) gone.size();
    }

    private long dueOf(When when) {
        return when.absolute() ? Math.max(when.millis(), now) : now + when.millis();
    }

    private JobState stateAt(long due) {
        return due > now ? JobState.DELAYED : JobState.READY;
    }

    Pushed push(NewJob job) {
        settings.putIfAbsent(job.topic(), TopicSettings.NONE);
        ModelJob old = job(job.topic(), job.id());
        return old == null || old.state == JobState.DONE
                ? new Pushed(true, store(job), stateAt(dueOf(job.when())))
                : new Pushed(false, -1, JobState.READY);
    }

    Pushed put(NewJob job) {
        settings.putIfAbsent(job.topic(), TopicSettings.NONE);
        ModelJob old = job(job.topic(), job.id());
        long due = store(job);
        return new Pushed(old == null || old.state == JobState.DONE, due, stateAt(due));
    }

    private long store(NewJob job) {
        ModelJob stored = new ModelJob(job, settings(job.topic()), now);
        stored.schedule(dueOf(job.when()), now);
        jobs.put(job.topic() + "|" + job.id(), stored);
        return stored.due;
    }

    boolean cancel(String topic, String id) {
        return jobs.remove(topic + "|" + id) != null;
    }

    Rescheduled reschedule(String topic, String id, When when) {
        ModelJob job = job(topic, id);
        long due = dueOf(when);
        JobState before = job == null ? null : job.state;
        if (before == JobState.DEAD) {
            job.attempts = job.losses = 0;
        }
        if (job != null && before != JobState.RESERVED && before != JobState.DONE) {
            job.schedule(due, now);
        }
        return new Rescheduled(before, stateAt(due), due);
    }

    /** A job that is ready is found expired instead of being reserved. */
    void findExpired(String topic) {
        jobs(job -> job.isFor(topic) && job.isOver(now)).forEach(this::expireWaiting);
    }

    void reserved(Delivery delivery) {
        ModelJob job = job(delivery.topic(), delivery.id());
        job.state = JobState.RESERVED;
        job.lease = delivery.lease();
        job.attempts++;
        job.deadline = now + ttr(job);
    }

    boolean holds(Delivery delivery) {
        return held(delivery) != null;
    }

    private ModelJob held(Delivery delivery) {
        ModelJob job = job(delivery.topic(), delivery.id());
        boolean held = job != null && job.state == JobState.RESERVED && job.lease.equals(delivery.lease());
        return held ? job : null;
    }

    boolean ack(Delivery delivery) {
        ModelJob job = held(delivery);
        if (job == null) {
            return false;
        }
        if (keepDone(job.topic) == 0) {
            remove(job);
        } else {
            job.write("acked");
            job.state = JobState.DONE;
            job.ended = now;
            job.lease = "";
            job.lastError = null;
        }
        return true;
    }

    /** @param wait null: by backoff */
    Nacked nack(Delivery delivery, Long wait, String error) {
        ModelJob job = held(delivery);
        if (job == null) {
            return new Nacked(true, null, 0);
        }
        job.losses = 0;
        job.lastError = error;
        return runAgain(job, "nacked", wait);
    }

    Nacked lost(Delivery delivery) {
        ModelJob job = held(delivery);
        if (job == null) {
            return new Nacked(true, null, 0);
        }
        job.losses++;
        job.lastError = LOST;
        return runAgain(job, "lost", job.losses == 1 ? 0L : null);
    }

    private Nacked runAgain(ModelJob job, String how, Long wait) {
        boolean over = job.isOver(now);
        job.write(over ? "expired" : how);
        job.lease = "";
        Integer most = retry(job).maxAttempts();
        if (over) {
            return new Nacked(false, expire(job), job.due);
        }
        if (most > 0 && job.attempts >= most) {
            die(job);
        } else {
            long pause = wait == null ? pause(retry(job).backoff(), job.attempts) : wait;
            job.due = now + pause;
            job.state = stateAt(job.due);
        }
        return new Nacked(false, job.state, job.due);
    }

    private JobState expire(ModelJob job) {
        if (settings(job.topic).onExpire() != OnExpire.DEAD) {
            remove(job);
            return null;
        }
        job.lastError = EXPIRED;
        die(job);
        return JobState.DEAD;
    }

    private void expireWaiting(ModelJob job) {
        expire(job);
    }

    private void die(ModelJob job) {
        job.state = JobState.DEAD;
        job.ended = now;
        job.expires = null;
    }

    Long extend(Delivery delivery, Long ttr) {
        ModelJob job = held(delivery);
        if (job == null) {
            return -1L;
        }
        job.deadline = now + (ttr == null ? ttr(job) : ttr);
        return job.deadline;
    }

    boolean release(Delivery delivery, long wait) {
        ModelJob job = held(delivery);
        if (job == null) {
            return false;
        }
        job.state = wait > 0 ? JobState.DELAYED : JobState.READY;
        job.due = wait > 0 ? now + wait : job.due;
        job.lease = "";
        job.attempts--;
        return true;
    }

    Long requeue(String topic, List<String> ids) {
        List<ModelJob> dead = jobs(
                job -> job.topic.equals(topic) && job.state == JobState.DEAD && (ids == null || ids.contains(job.id)));
        for (ModelJob job : dead) {
            job.attempts = job.losses = 0;
            job.schedule(now, now);
        }
        return (long) dead.size();
    }

    void configure(String topic, TopicSettings wanted) {
        settings.put(topic, wanted);
    }

    void pause(String topic, boolean on) {
        settings.putIfAbsent(topic, TopicSettings.NONE);
        if (on) {
            paused.add(topic);
        } else {
            paused.remove(topic);
        }
    }

    Long delete(String topic) {
        settings.remove(topic);
        paused.remove(topic);
        return remove(job -> job.topic.equals(topic));
    }

    /** All that is due now, as a scanner leaves it. */
    void due() {
        for (ModelJob job : jobs(job -> job.state == JobState.RESERVED && job.deadline <= now)) {
            job.losses = 0;
            job.lastError = LEASE_ENDED;
            runAgain(job, "lease-ended", null);
        }
        jobs(job -> isWaiting(job) && job.isOver(now)).forEach(this::expireWaiting);
        jobs(job -> job.state == JobState.DELAYED && job.due <= now).forEach(job -> job.state = JobState.READY);
        remove(job -> job.state == JobState.DEAD && job.ended <= now - keepDead(job.topic));
        remove(job -> job.state == JobState.DONE && job.ended <= now - keepDone(job.topic));
    }

    private static boolean isWaiting(ModelJob job) {
        return job.state == JobState.DELAYED || job.state == JobState.READY;
    }

    /** When something is to be done about the job, by itself. */
    long alarmOf(ModelJob job) {
        long own =
                switch (job.state) {
                    case DELAYED -> job.due;
                    case READY -> Long.MAX_VALUE;
                    case RESERVED -> job.deadline;
                    case DEAD -> job.ended + keepDead(job.topic);
                    case DONE -> job.ended + keepDone(job.topic);
                };
        return isWaiting(job) && job.expires != null ? Math.min(own, job.expires) : own;
    }

    private long keepDead(String topic) {
        Long set = settings(topic).keepDead();
        return set == null ? TopicSettings.DEFAULT_KEEP_DEAD : set;
    }

    private long keepDone(String topic) {
        Long set = settings(topic).keepDone();
        return set == null ? 0 : set;
    }

    long ttr(ModelJob job) {
        return first(job.options.ttr(), settings(job.topic).ttr(), JobOptions.DEFAULT_TTR);
    }

    Retry retry(ModelJob job) {
        Retry own = job.options.retry();
        Retry ofTopic = settings(job.topic).retry();
        return new Retry(
                first(own.maxAttempts(), ofTopic.maxAttempts(), Retry.DEFAULT_MAX_ATTEMPTS),
                first(own.backoff(), ofTopic.backoff(), Backoff.DEFAULT));
    }

    private static <T> T first(T own, T ofTopic, T fallback) {
        return own != null ? own : ofTopic != null ? ofTopic : fallback;
    }

    private static long pause(Backoff backoff, int attempt) {
        if (backoff instanceof Backoff.Steps steps) {
            return steps.waits().get(Math.min(attempt, steps.waits().size()) - 1);
        }
        Backoff.Exponential rule = (Backoff.Exponential) backoff;
        return (long) Math.min(rule.base() * Math.pow(rule.factor(), attempt - 1), rule.max());
    }

    TopicCounts counts(String topic) {
        long[] by = new long[JobState.values().length];
        jobs(job -> job.topic.equals(topic)).forEach(job -> by[job.state.ordinal()]++);
        return new TopicCounts(topic, by[0], by[1], by[2], by[3], by[4], isPaused(topic));
    }
}
