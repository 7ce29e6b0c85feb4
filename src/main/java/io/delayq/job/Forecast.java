package io.delayq.job;

import java.util.List;

/**
 * How many delayed jobs come due in each step of time.
 *
 * @param from Redis' now, ms since 1970; what is overdue counts to the first step
 * @param step ms
 */
public record Forecast(long from, long step, List<Long> due) {
    public Forecast {
        due = List.copyOf(due);
    }
}
