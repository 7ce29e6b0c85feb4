package io.delayq.client;

import io.delayq.job.JobState;
import java.time.Instant;

/**
 * What became of a push.
 *
 * @param status 201: stored, 200: a PUT replaced a job; otherwise why one of many was refused
 * @param id null if refused and not known
 * @param state null if refused, or if an earlier try had stored the job and its answer was lost
 * @param due likewise
 * @param type of the problem, null if stored
 * @param detail of the problem, null if stored
 */
public record Pushed(int status, String topic, String id, JobState state, Instant due, String type, String detail) {
    public boolean isStored() {
        return status < 300;
    }
}
