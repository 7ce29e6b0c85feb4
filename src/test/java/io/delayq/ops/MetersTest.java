package io.delayq.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.TopicCounts;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MetersTest {
    private static final int MOST = 200;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Meters meters = new Meters(registry);

    private static TopicCounts ready(String topic, long jobs) {
        return new TopicCounts(topic, 0, jobs, 0, 0, 0, false);
    }

    private long lines(String beginning) {
        return registry.scrape()
                .lines()
                .filter(line -> line.startsWith(beginning))
                .count();
    }

    private boolean says(String line) {
        return registry.scrape().lines().anyMatch(line::equals);
    }

    @Test
    void only_the_first_topics_have_depths_of_their_own() {
        List<TopicCounts> topics = new ArrayList<>();
        for (int i = 0; i < MOST + 50; i++) {
            topics.add(ready("t" + i, 2));
        }
        topics.add(ready("", 1_000));
        meters.depths(topics);
        assertEquals(MOST + 1, lines("delayq_depth{state=\"ready\""));
        assertTrue(says("delayq_depth{state=\"ready\",topic=\"t0\"} 2.0"));
        assertTrue(says("delayq_depth{state=\"ready\",topic=\"_other\"} 1100.0"));
        meters.depths(List.of(ready("t249", 7), ready("t1", 3)));
        assertTrue(says("delayq_depth{state=\"ready\",topic=\"t1\"} 3.0"));
        assertTrue(says("delayq_depth{state=\"ready\",topic=\"t0\"} 0.0"), "it is gone");
        assertTrue(says("delayq_depth{state=\"ready\",topic=\"_other\"} 7.0"));
    }

    @Test
    void depths_are_wanted_once_somebody_has_looked() {
        assertFalse(meters.depthsWanted(60_000));
        meters.depths(List.of(ready("t", 1)));
        assertFalse(meters.depthsWanted(60_000));
        registry.scrape();
        assertTrue(meters.depthsWanted(60_000));
    }

    @Test
    void without_jobs_elsewhere_there_is_no_other_topic() {
        meters.depths(List.of(ready("t", 1), ready("", 0)));
        assertEquals(0, lines("delayq_depth{state=\"ready\",topic=\"_other\"}"));
    }

    @Test
    void answers_count_by_the_first_digit_of_their_status() {
        meters.answered(200);
        meters.answered(204);
        meters.answered(503);
        assertTrue(says("delayq_http_requests_total{status=\"2xx\"} 2.0"));
        assertTrue(says("delayq_http_requests_total{status=\"4xx\"} 0.0"));
        assertTrue(says("delayq_http_requests_total{status=\"5xx\"} 1.0"));
    }
}
