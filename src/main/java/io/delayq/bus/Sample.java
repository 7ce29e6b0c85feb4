package io.delayq.bus;

import io.delayq.http.JobJson;
import io.delayq.job.TopicCounts;
import io.delayq.ops.Tally;
import io.vertx.core.buffer.Buffer;

/**
 * How all servers did at one time.
 *
 * @param at by Redis' clock, as far as it is known
 * @param redis whether it can be reached
 * @param done what was done lately, for the rates
 * @param late the same, perhaps of a longer time, for the lateness
 * @param depth of all topics
 */
record Sample(long at, int servers, boolean redis, Flow.Lately done, Tally late, TopicCounts depth) {
    private static final double MEDIAN = 0.5;
    private static final double NEARLY_ALL = 0.99;

    Buffer json() {
        return JobJson.object()
                .number("at", at)
                .number("servers", servers)
                .flag("redis", redis)
                .object("rates", rates -> {
                    for (int i = 0; i < Tally.NAMES.size(); i++) {
                        rates.raw(Tally.NAMES.get(i), Numbers.plain(done.rate(i)));
                    }
                })
                .raw("lateness", lateness())
                .object("depth", states -> states.number("delayed", depth.delayed())
                        .number("ready", depth.ready())
                        .number("reserved", depth.reserved())
                        .number("dead", depth.dead()))
                .end();
    }

    private String lateness() {
        Double median = late.lateness(MEDIAN);
        return median == null
                ? "null"
                : "{\"p50\":" + Numbers.plain(median) + ",\"p99\":" + Numbers.plain(late.lateness(NEARLY_ALL)) + "}";
    }
}
