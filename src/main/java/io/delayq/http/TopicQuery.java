package io.delayq.http;

import io.delayq.job.Durations;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.job.Names;
import java.util.List;

/** The query parameters of calls about a topic's jobs. What these return counts only if no fault was noted. */
public final class TopicQuery {
    private static final List<String> LIST = List.of("state", "limit", "cursor", "idPrefix", "from", "to", "body");
    private static final long SECOND = 1_000;
    private static final long HOUR = 3_600 * SECOND;
    private static final long DAY = 24 * HOUR;
    private static final long MAX_STEPS = 1_000;

    private TopicQuery() {}

    /** How far a forecast looks, and in steps of what length. */
    public record Span(long windowMillis, long stepMillis) {}

    /** @param query as it was sent; null if there is none */
    public static JobQuery jobs(String topic, String query, Faults faults) {
        QueryReader in = QueryReader.read(query, LIST, faults);
        return new JobQuery(
                topic,
                in.state(),
                in.limit(),
                in.text("cursor", TopicQuery::cursorFault),
                in.text("idPrefix", prefix -> Names.textFault(prefix, Names.MAX_ID_BYTES)),
                in.time("from"),
                in.time("to"),
                in.flag("body"));
    }

    /** Which jobs to purge; null: all. */
    public static JobState state(String query, Faults faults) {
        return QueryReader.read(query, List.of("state"), faults).state();
    }

    /** Null only along with a fault. */
    public static Span forecast(String query, Faults faults) {
        QueryReader in = QueryReader.read(query, List.of("window", "step"), faults);
        Long window = in.duration("window", SECOND, JobFields.FURTHEST, DAY, "from one step to 3650d");
        Long step = in.duration("step", SECOND, JobFields.FURTHEST, HOUR, "from 1s to 3650d");
        if (window == null || step == null) {
            return null;
        }
        if (window < step) {
            faults.add("/window", "expected at least one step, which is " + Durations.text(step));
        }
        long steps = (window + step - 1) / step;
        if (steps > MAX_STEPS) {
            faults.add("/step", "expected at most 1000 steps in the window, found " + steps + "; make them longer");
        }
        return new Span(window, step);
    }

    private static String cursorFault(String cursor) {
        return cursor.isEmpty() ? "expected a cursor as it came with the page before" : null;
    }
}
