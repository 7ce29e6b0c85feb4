package io.delayq.job;

/**
 * A job's own retry rules; a part that is null follows the topic.
 *
 * @param maxAttempts how many deliveries before the job is dead; 0 is without limit
 */
public record Retry(Integer maxAttempts, Backoff backoff) {
    public static final int DEFAULT_MAX_ATTEMPTS = 10;
    public static final Retry INHERITED = new Retry(null, null);
}
