package io.delayq.http;

import io.delayq.job.NewJob;

/**
 * One of many jobs in a request: either a job or what is wrong with it.
 *
 * @param topic null if not known
 * @param id null if not known
 * @param job null if there is a problem
 * @param problem null if there is a job; of a bulk answer only its {@link Problem#oneLine()} is shown
 */
public record Row(int index, String topic, String id, NewJob job, Problem problem) {}
