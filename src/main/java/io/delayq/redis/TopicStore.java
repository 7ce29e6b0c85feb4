package io.delayq.redis;

import io.delayq.job.Forecast;
import io.delayq.job.JobPage;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.job.TopicSettings;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BooleanSupplier;

/** What can be done to a topic as a whole, in steps each of which is one script. */
public final class TopicStore {
    /** Whether any bucket knows the topic. */
    public Future<Boolean> exists(String topic) {
        throw new UnsupportedOperationException();
    }

    /** The settings of a topic that exists; null if there is no such topic. */
    public Future<TopicSettings> settings(String topic) {
        throw new UnsupportedOperationException();
    }

    /** Replaces all settings; completes when every bucket, and so every process, obeys them. Makes the topic. */
    public Future<Void> configure(String topic, TopicSettings settings) {
        throw new UnsupportedOperationException();
    }

    /** After this has completed nothing of a paused topic is reserved. */
    public Future<Void> pause(String topic, boolean paused) {
        throw new UnsupportedOperationException();
    }

    /** A page of jobs. An unknown cursor fails with {@link IllegalArgumentException}. */
    public Future<JobPage> list(JobQuery query) {
        throw new UnsupportedOperationException();
    }

    /**
     * Deletes the jobs that were there when it began.
     *
     * @param state null: every state
     * @param stop asked between steps: whether to leave it at what was done
     * @return how many
     */
    public Future<Long> purge(String topic, JobState state, BooleanSupplier stop) {
        throw new UnsupportedOperationException();
    }

    /** Deletes jobs, settings, everything. Returns how many jobs. */
    public Future<Long> delete(String topic, BooleanSupplier stop) {
        throw new UnsupportedOperationException();
    }

    /**
     * Makes dead jobs ready, their attempts anew.
     *
     * @param ids null: all that are dead now
     * @return how many
     */
    public Future<Long> requeue(String topic, List<String> ids, BooleanSupplier stop) {
        throw new UnsupportedOperationException();
    }

    /** Cancels the group's delayed, ready and reserved jobs. Returns how many. */
    public Future<Long> cancelGroup(String topic, String group, BooleanSupplier stop) {
        throw new UnsupportedOperationException();
    }

    /** @param windowMillis from now, {@code stepMillis} a step, the last one perhaps cut short */
    public Future<Forecast> forecast(String topic, long windowMillis, long stepMillis) {
        throw new UnsupportedOperationException();
    }
}
