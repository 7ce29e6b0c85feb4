package io.delayq.bus;

import io.delayq.bus.Said.OfTopic;
import io.delayq.ops.Meters;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** How many jobs of each topic this server has to do with a second. Kept only while somebody wants to know. */
final class TopicRates {
    private static final long WINDOW_NANOS = 1_800_000_000L;
    private static final int MOST_MARKS = 16;

    private final Meters meters;
    private final Deque<Mark> marks = new ArrayDeque<>();

    private record Mark(Map<String, Meters.OfTopic> topics, long nanos) {}

    TopicRates(Meters meters) {
        this.meters = meters;
    }

    List<OfTopic> none() {
        marks.clear();
        return List.of();
    }

    /** Topics with subscribers, and those with which something was done in about the last two seconds. */
    List<OfTopic> since(long nanos) {
        marks.add(new Mark(meters.topics(), nanos));
        while (marks.size() > MOST_MARKS || marks.size() > 2 && second().nanos <= nanos - WINDOW_NANOS) {
            marks.poll();
        }
        Mark from = marks.peek();
        Mark to = marks.peekLast();
        double seconds = Math.max(0.001, (to.nanos - from.nanos) / 1e9);
        Map<String, Integer> subscribers = meters.subscribers();
        TreeSet<String> names = new TreeSet<>(to.topics.keySet());
        names.addAll(subscribers.keySet());
        List<OfTopic> active = new ArrayList<>();
        for (String name : names) {
            Meters.OfTopic now = to.topics.getOrDefault(name, Meters.OfTopic.NONE);
            Meters.OfTopic before = from.topics.getOrDefault(name, Meters.OfTopic.NONE);
            OfTopic one = new OfTopic(
                    name,
                    (now.pushed() - before.pushed()) / seconds,
                    (now.delivered() - before.delivered()) / seconds,
                    (now.acked() - before.acked()) / seconds,
                    subscribers.getOrDefault(name, 0));
            if (one.pushed() + one.delivered() + one.acked() + one.subscribers() > 0) {
                active.add(one);
            }
        }
        return active;
    }

    private Mark second() {
        return marks.stream().skip(1).findFirst().orElseThrow();
    }
}
