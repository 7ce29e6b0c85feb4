package io.delayq.job;

/**
 * When a job is to run, as its pusher said it. Turned into a due time by the script that stores the job, because only
 * Redis' clock counts.
 *
 * @param absolute whether {@code millis} counts from 1970 or from the time of the push
 */
public record When(boolean absolute, long millis) {
    public static final When NOW = new When(false, 0);

    public static When in(long millis) {
        return new When(false, millis);
    }

    public static When at(long epochMillis) {
        return new When(true, epochMillis);
    }
}
