package io.delayq.job;

import java.util.List;

/**
 * A part of a list of jobs.
 *
 * @param jobs perhaps fewer than asked for, even none
 * @param cursor for the next page; null on the last
 */
public record JobPage(List<JobView> jobs, String cursor) {
    public JobPage {
        jobs = List.copyOf(jobs);
    }
}
