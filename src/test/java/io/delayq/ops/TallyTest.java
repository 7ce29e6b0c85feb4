package io.delayq.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;

class TallyTest {
    private final Meters meters = new Meters(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));

    @Test
    void counts_what_was_done_over_all_topics() {
        meters.pushed("a", 3);
        meters.pushed("b", 4);
        meters.acked("a", 1);
        meters.ended("a", 5, 6, 7);
        for (int i = 0; i < 300; i++) {
            meters.pushed("t" + i, 1);
        }
        meters.delivered("a", 10);
        Tally tally = meters.tally();
        assertEquals(307, tally.count(Tally.NAMES.indexOf("pushed")));
        assertEquals(1, tally.count(Tally.NAMES.indexOf("delivered")));
        assertEquals(1, tally.count(Tally.NAMES.indexOf("acked")));
        assertEquals(5, tally.count(Tally.NAMES.indexOf("retried")));
        assertEquals(6, tally.count(Tally.NAMES.indexOf("dead")));
        assertEquals(7, tally.count(Tally.NAMES.indexOf("expired")));
    }

    @Test
    void can_be_said_and_read_again() {
        meters.delivered("a", 70);
        meters.delivered("a", 100_000);
        Tally tally = meters.tally();
        assertEquals(tally, Tally.read(tally.text()));
        assertNull(Tally.read("1,2"));
        assertNull(Tally.read(""));
        assertNull(Tally.read(tally.text().replace("1", "x")));
    }

    @Test
    void lateness_is_told_as_well_as_its_bounds_allow() {
        assertNull(meters.tally().lateness(0.5));
        for (int i = 0; i < 99; i++) {
            meters.delivered("a", 0);
        }
        assertEquals(0.5, meters.tally().lateness(0.5), 0.02);
        for (int i = 0; i < 99; i++) {
            meters.delivered("a", 15);
        }
        assertEquals(1, meters.tally().lateness(0.5), 0.01);
        assertEquals(19.8, meters.tally().lateness(0.99), 0.1);
        Tally before = meters.tally();
        meters.delivered("a", 200_000);
        assertEquals(60_000, meters.tally().since(before).lateness(0.5), "beyond all bounds");
    }
}
