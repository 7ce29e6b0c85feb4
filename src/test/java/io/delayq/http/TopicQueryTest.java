package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicQueryTest {
    private static final long HOUR = 3_600_000;

    // a list of jobs

    @Test
    void reads_every_parameter_of_a_list() {
        assertEquals(
                new JobQuery("t", JobState.DEAD, 500, "c/1", "order é", 1_800_000_000_000L, 1_900_000_000_500L, true),
                jobs("state=dead&limit=500&cursor=c%2F1&idPrefix=order+%C3%A9&from=1800000000000"
                        + "&to=2030-03-17T19:46:40.5%2B02:00&body=true"));
    }

    @Test
    void a_list_has_defaults() {
        JobQuery all = new JobQuery("t", null, 50, null, null, null, null, false);
        assertEquals(all, jobs(null));
        assertEquals(all, jobs(""));
        assertEquals(all, jobs("body=false"));
        assertEquals("", jobs("idPrefix=").idPrefix());
        assertEquals(7, jobs("&limit=7&&").limit());
    }

    @Test
    void takes_each_state_and_no_other_word() {
        for (JobState state : JobState.values()) {
            assertEquals(state, jobs("state=" + state.word()).state());
            assertEquals(state, read(TopicQuery::state, "state=" + state.word()));
        }
        for (String word : List.of("", "DEAD", "gone", "deads", "dead,done")) {
            assertEquals(List.of("/state"), faults(TopicQueryTest::jobs, "state=" + word));
            assertEquals(List.of("/state"), faults(TopicQuery::state, "state=" + word));
        }
    }

    @Test
    void a_time_before_1970_is_1970_and_a_finer_one_is_rounded_up() {
        assertEquals(0, jobs("from=1960-01-01T00:00:00Z").from());
        assertEquals(0, jobs("to=0").to());
        assertEquals(1_900_000_000_001L, jobs("from=2030-03-17T17:46:40.0001Z").from());
        assertEquals(999_999_999_999_999L, jobs("to=999999999999999").to());
    }

    @Test
    void takes_a_prefix_as_long_as_an_id_and_one_that_is_no_id() {
        assertEquals("x".repeat(256), jobs("idPrefix=" + "x".repeat(256)).idPrefix());
        assertEquals("..", jobs("idPrefix=..").idPrefix());
    }

    @ParameterizedTest
    @CsvSource({
        "limit=0, /limit",
        "limit=501, /limit",
        "limit=1.0, /limit",
        "limit=, /limit",
        "limit=-1, /limit",
        "limit=99999999999999999999, /limit",
        "cursor=, /cursor",
        "from=, /from",
        "from=-1, /from",
        "from=1e3, /from",
        "from=1000000000000000, /from",
        "from=yesterday, /from",
        "to=2030-03-17, /to",
        "to=2030-03-17T19:46:40+02:00, /to",
        "body=, /body",
        "body=1, /body",
        "body=TRUE, /body",
        "idPrefix=%0A, /idPrefix",
        "idPrefix=%FF, /idPrefix",
        "idPrefix=%, /idPrefix",
        "limit=1&limit=1, /limit",
        "topic=a, /topic",
        "a/b=1, /a~1b",
        "state=x&limit=0&cursor=&from=x&to=x&body=x&idPrefix=%00&prefix=a, "
                + "/prefix /state /limit /cursor /idPrefix /from /to /body"
    })
    void refuses_a_bad_list_with_all_its_faults(String query, String pointers) {
        assertEquals(List.of(pointers.split(" ")), faults(TopicQueryTest::jobs, query));
    }

    @Test
    void refuses_a_prefix_longer_than_any_id() {
        assertEquals(List.of("/idPrefix"), faults(TopicQueryTest::jobs, "idPrefix=" + "x".repeat(257)));
    }

    // a purge

    @Test
    void a_purge_without_state_is_of_all() {
        assertNull(read(TopicQuery::state, null));
    }

    @ParameterizedTest
    @CsvSource({"states=dead, /states", "state=dead&state=done, /state", "status=dead&state=x, /status /state"})
    void refuses_a_bad_purge(String query, String pointers) {
        assertEquals(List.of(pointers.split(" ")), faults(TopicQuery::state, query));
    }

    // a forecast

    @Test
    void reads_window_and_step_with_their_defaults() {
        assertEquals(new TopicQuery.Span(24 * HOUR, HOUR), forecast(null));
        assertEquals(new TopicQuery.Span(2 * HOUR, HOUR), forecast("window=2h"));
        assertEquals(new TopicQuery.Span(24 * HOUR, 5_400_000), forecast("step=1h30m"));
        assertEquals(new TopicQuery.Span(1_500, 1_000), forecast("window=1500&step=PT1S"));
    }

    @ParameterizedTest
    @CsvSource({
        "window=1s&step=1s, 1000, 1000",
        "window=1000s&step=1s, 1000000, 1000",
        "window=999001&step=1s, 999001, 1000",
        "window=3650d&step=3650d, 315360000000, 315360000000",
        "window=3650d&step=315360000, 315360000000, 315360000"
    })
    void takes_a_forecast_at_its_bounds(String query, long window, long step) {
        assertEquals(new TopicQuery.Span(window, step), forecast(query));
    }

    @ParameterizedTest
    @CsvSource({
        "step=999ms&window=10s, /step",
        "step=0, /step",
        "step=, /step",
        "step=3651d, /step",
        "step=1e3, /step",
        "step=-1s, /step",
        "window=0, /window",
        "window=999ms&step=1s, /window",
        "window=59m, /window",
        "step=25h, /window",
        "window=315360000001&step=30d, /window",
        "window=99999999999999999999d, /window",
        "window=, /window",
        "window=1000001&step=1s, /step",
        "step=1s, /step",
        "window=3650d, /step",
        "window=x&step=y&steps=1, /steps /window /step",
        "window=1h&window=2h, /window"
    })
    void refuses_a_bad_forecast_with_all_its_faults(String query, String pointers) {
        assertEquals(List.of(pointers.split(" ")), faults(TopicQuery::forecast, query));
    }

    @Test
    void says_how_to_have_fewer_steps() {
        Faults faults = new Faults();
        TopicQuery.forecast("step=1s", faults);
        assertTrue(
                faults.list().get(0).detail().contains("86400"), faults.list().toString());
    }

    private interface Reader<T> {
        T read(String query, Faults faults);
    }

    private static JobQuery jobs(String query) {
        return read(TopicQueryTest::jobs, query);
    }

    private static JobQuery jobs(String query, Faults faults) {
        return TopicQuery.jobs("t", query, faults);
    }

    private static TopicQuery.Span forecast(String query) {
        return read(TopicQuery::forecast, query);
    }

    private static <T> T read(Reader<T> reader, String query) {
        Faults faults = new Faults();
        T read = reader.read(query, faults);
        assertEquals(List.of(), faults.list());
        return read;
    }

    private static List<String> faults(BiConsumer<String, Faults> reader, String query) {
        Faults faults = new Faults();
        reader.accept(query, faults);
        return faults.list().stream().map(Faults.Fault::pointer).toList();
    }
}
