package io.delayq.job;

/** How many jobs of a topic stand in each state. */
public record TopicCounts(String topic, long delayed, long ready, long reserved, long dead, long done, boolean paused) {
    public static TopicCounts none(String topic) {
        return new TopicCounts(topic, 0, 0, 0, 0, 0, false);
    }

    public TopicCounts plus(TopicCounts other) {
        return new TopicCounts(
                topic,
                delayed + other.delayed,
                ready + other.ready,
                reserved + other.reserved,
                dead + other.dead,
                done + other.done,
                paused || other.paused);
    }
}
