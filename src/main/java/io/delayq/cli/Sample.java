package io.delayq.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server's figures at one moment.
 *
 * @param counters jobs pushed, delivered and acked since the server's start, by metric and topic
 * @param lateness deliveries that were at most so late, by seconds
 */
record Sample(long nanos, ArrayNode topics, Map<String, Double> counters, Map<Double, Double> lateness) {
    static final String PUSHED = "delayq_jobs_pushed_total";
    static final String DELIVERED = "delayq_jobs_delivered_total";
    static final String ACKED = "delayq_jobs_acked_total";

    private static final Pattern OF_TOPIC =
            Pattern.compile("(delayq_jobs_\\w+_total)\\{.*topic=\"([^\"]*)\".*} (\\S+).*");
    private static final Pattern LATENESS =
            Pattern.compile("delayq_lateness_seconds_bucket\\{.*le=\"([^\"]*)\".*} (\\S+).*");

    static Sample take(Remote remote, String prefix) {
        ArrayNode topics = Topics.all(remote, prefix);
        Map<String, Double> counters = new HashMap<>();
        Map<Double, Double> lateness = new TreeMap<>();
        remote.get("/metrics").text().lines().forEach(line -> {
            Matcher topic = OF_TOPIC.matcher(line);
            Matcher late = LATENESS.matcher(line);
            if (topic.matches()) {
                counters.merge(key(topic.group(1), topic.group(2)), Double.valueOf(topic.group(3)), Double::sum);
            } else if (late.matches()) {
                double seconds =
                        late.group(1).equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(late.group(1));
                lateness.put(seconds, Double.valueOf(late.group(2)));
            }
        });
        return new Sample(System.nanoTime(), topics, counters, lateness);
    }

    double perSecond(Sample before, String metric, String topic) {
        double now = counters.getOrDefault(key(metric, topic), 0.0);
        double then = before.counters.getOrDefault(key(metric, topic), 0.0);
        // a server that was started anew counts from zero
        return Math.max(0, now - then) * 1e9 / Math.max(1, nanos - before.nanos);
    }

    /** Milliseconds within which that share of the deliveries since {@code before} came; negative: there were none. */
    double latenessMillis(Sample before, double share) {
        double all = since(before, Double.POSITIVE_INFINITY);
        if (all <= 0) {
            return -1;
        }
        for (Double bound : lateness.keySet()) {
            if (since(before, bound) >= all * share) {
                return bound * 1_000;
            }
        }
        return -1;
    }

    private double since(Sample before, double bound) {
        return lateness.getOrDefault(bound, 0.0) - before.lateness.getOrDefault(bound, 0.0);
    }

    double sum(String state) {
        double sum = 0;
        for (JsonNode topic : topics) {
            sum += topic.path(state).asDouble();
        }
        return sum;
    }

    private static String key(String metric, String topic) {
        return metric + ' ' + topic;
    }
}
