package io.delayq.job;

/**
 * The rules a job brings along. Null means: not given, the topic decides.
 *
 * @param ttr how long one lease lasts, ms
 * @param ttl how long after its due time the job expires, ms
 * @param traceparent the W3C trace context of the push, given back with each delivery
 */
public record JobOptions(
        Long ttr, Retry retry, Callback callback, Priority priority, Long ttl, String group, String traceparent) {
    public static final long DEFAULT_TTR = 60_000;
    public static final JobOptions NONE = new JobOptions(null, Retry.INHERITED, null, null, null, null, null);

    public Priority priorityOrDefault() {
        return priority == null ? Priority.NORMAL : priority;
    }
}
