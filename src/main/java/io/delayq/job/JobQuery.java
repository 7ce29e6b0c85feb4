package io.delayq.job;

/**
 * Which jobs of a topic are to be listed, and from where on.
 *
 * @param state null: all, one state after the other
 * @param cursor as it came with the page before; null for the first
 * @param idPrefix null or empty: any
 * @param from due at this time or later, ms since 1970; null: any
 * @param to due before this time; null: any
 * @param body whether bodies are wanted
 */
public record JobQuery(
        String topic, JobState state, int limit, String cursor, String idPrefix, Long from, Long to, boolean body) {
    public static JobQuery all(String topic, JobState state, int limit, String cursor) {
        return new JobQuery(topic, state, limit, cursor, null, null, null, true);
    }
}
