package io.delayq.bus;

import io.delayq.ops.Tally;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a server tells the others of its work with each heartbeat.
 *
 * @param watching whether somebody listens to its events: only then do the others tell of single topics
 * @param topics those with subscribers, or with something going on, as far as there is room
 */
record Said(Tally tally, boolean watching, List<OfTopic> topics) {
    static final Said NOTHING = new Said(Tally.NONE, false, List.of());

    private static final String YES = "w";
    private static final String NO = "-";

    /** @param pushed a second, as the others */
    record OfTopic(String topic, double pushed, double delivered, double acked, int subscribers) {
        OfTopic plus(OfTopic other) {
            return new OfTopic(
                    topic,
                    pushed + other.pushed,
                    delivered + other.delivered,
                    acked + other.acked,
                    subscribers + other.subscribers);
        }

        private double rate() {
            return pushed + delivered + acked;
        }

        private String text() {
            return topic + "=" + Numbers.plain(pushed) + "," + Numbers.plain(delivered) + "," + Numbers.plain(acked)
                    + "," + subscribers;
        }

        private static OfTopic read(String text) {
            int split = text.indexOf('=');
            String[] words = text.substring(split + 1).split(",", -1);
            return new OfTopic(
                    text.substring(0, split),
                    Double.parseDouble(words[0]),
                    Double.parseDouble(words[1]),
                    Double.parseDouble(words[2]),
                    Integer.parseInt(words[3]));
        }
    }

    Said {
        topics = List.copyOf(topics);
    }

    /** @param room most characters for topics; the busiest come first */
    String text(int room) {
        StringBuilder text = new StringBuilder(tally.text()).append(' ').append(watching ? YES : NO);
        int left = room;
        char before = ' ';
        for (OfTopic one : topics.stream()
                .sorted(Comparator.comparingDouble(OfTopic::rate).reversed())
                .toList()) {
            String word = one.text();
            left -= word.length() + 1;
            if (left < 0) {
                break;
            }
            text.append(before).append(word);
            before = ';';
        }
        return text.toString();
    }

    /** Nothing, if it was said by a server of another version. */
    static Said read(String text) {
        String[] words = text.split(" ", 3);
        Tally tally = Tally.read(words[0]);
        if (tally == null || words.length < 2) {
            return NOTHING;
        }
        try {
            List<OfTopic> topics = words.length < 3
                    ? List.of()
                    : List.of(words[2].split(";")).stream().map(OfTopic::read).toList();
            return new Said(tally, words[1].equals(YES), topics);
        } catch (RuntimeException e) {
            return new Said(tally, false, List.of());
        }
    }

    static Map<String, OfTopic> byTopic(Collection<Said> all) {
        Map<String, OfTopic> sums = new HashMap<>();
        all.forEach(said -> said.topics.forEach(one -> sums.merge(one.topic, one, OfTopic::plus)));
        return sums;
    }
}
