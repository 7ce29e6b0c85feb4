package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.fault.History.Ack;
import io.delayq.fault.History.Delivery;
import io.delayq.fault.History.Fault;
import io.delayq.fault.History.Outcome;
import io.delayq.fault.History.Push;
import java.io.StringReader;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

/** Made-up histories: what is wrong in them is told, and what is right is not held against anybody. */
class VerdictTest {
    private static final long DUE = 100_000;
    private static final long LEASE = 2_000;

    private final History history = new History();

    private void pushed(String id, Outcome outcome) {
        history.add(new Push(id, outcome, outcome == Outcome.YES ? DUE : 0));
    }

    private void delivered(String id, int attempt, long at) {
        history.add(new Delivery(id, "lease" + attempt, attempt, DUE, at + LEASE, at, "c" + attempt, "s" + attempt));
    }

    private void acked(String id, int attempt, Outcome outcome, long at) {
        history.add(new Ack(id, "lease" + attempt, outcome, at));
    }

    /** Pushed, delivered and acked. */
    private void done(String id) {
        pushed(id, Outcome.YES);
        delivered(id, 1, DUE + 5);
        acked(id, 1, Outcome.YES, DUE + 6);
    }

    private Verdict verdict() {
        return new Verdict("made-up", history, new Verdict.Terms(LEASE, 0, List.of()));
    }

    private Verdict broken() {
        Verdict verdict = verdict();
        assertThrows(AssertionError.class, verdict::assertKept, verdict.line());
        return verdict;
    }

    @Test
    void jobs_that_were_done_once_are_counted_and_nothing_is_wrong() {
        done("a");
        done("b");
        Verdict verdict = verdict();
        verdict.assertKept();
        assertEquals(2, verdict.accepted);
        assertEquals(2, verdict.delivered);
        assertEquals(2, verdict.acked);
        assertEquals(1, verdict.mostAcks);
        assertEquals(0, verdict.duplicated);
    }

    @Test
    void what_the_host_took_after_the_end_of_a_lease_is_not_held_against_the_redelivery() {
        pushed("a", Outcome.YES);
        delivered("a", 1, DUE);
        delivered("a", 2, DUE + LEASE + 700);
        acked("a", 2, Outcome.YES, DUE + LEASE + 701);
        assertEquals(700, verdict().redeliveryMillis);
        Verdict.Terms terms = new Verdict.Terms(
                LEASE, 0, List.of(), (from, to) -> from == DUE + LEASE && to == DUE + LEASE + 700 ? 300 : 0);
        assertEquals(400, new Verdict("made-up", history, terms).redeliveryMillis);
    }

    @Test
    void a_job_that_was_taken_and_never_came_is_lost() {
        done("a");
        pushed("b", Outcome.YES);
        assertEquals(Set.of("b"), broken().lost);
    }

    @Test
    void a_job_that_came_and_whose_consumer_died_and_that_did_not_come_again_is_lost() {
        pushed("a", Outcome.YES);
        delivered("a", 1, DUE);
        pushed("b", Outcome.UNKNOWN);
        delivered("b", 1, DUE);
        acked("b", 1, Outcome.NO, DUE + 1);
        assertEquals(Set.of("a", "b"), broken().lost);
    }

    @Test
    void a_push_of_unknown_outcome_may_be_there_or_not() {
        pushed("a", Outcome.UNKNOWN);
        pushed("b", Outcome.UNKNOWN);
        delivered("b", 1, DUE);
        acked("b", 1, Outcome.UNKNOWN, DUE + 1);
        Verdict verdict = verdict();
        verdict.assertKept();
        assertEquals(2, verdict.indeterminate);
    }

    @Test
    void a_job_that_nobody_pushed_or_that_was_refused_is_unexpected() {
        delivered("a", 1, DUE);
        pushed("b", Outcome.NO);
        delivered("b", 1, DUE);
        assertEquals(Set.of("a", "b"), broken().unexpected);
    }

    @Test
    void a_job_before_its_time_is_early_by_the_clock_of_redis() {
        pushed("a", Outcome.YES);
        delivered("a", 1, DUE - 1);
        acked("a", 1, Outcome.YES, DUE);
        assertEquals(Set.of("a"), broken().early);
        new Verdict("ahead", history, new Verdict.Terms(LEASE, 1, List.of())).assertKept();
    }

    @Test
    void a_job_that_comes_again_while_its_consumer_has_it_has_no_explanation() {
        pushed("a", Outcome.YES);
        delivered("a", 1, DUE);
        delivered("a", 2, DUE + LEASE - 1);
        acked("a", 2, Outcome.YES, DUE + LEASE);
        Verdict verdict = broken();
        assertEquals(1, verdict.duplicated);
        assertEquals(Set.of("a"), verdict.unexplained);
    }

    @Test
    void a_job_that_comes_again_after_its_lease_or_the_end_of_whoever_had_it_is_explained() {
        for (String id : List.of("lease", "consumer", "server")) {
            pushed(id, Outcome.YES);
        }
        delivered("lease", 1, DUE);
        delivered("lease", 2, DUE + LEASE + 400);
        history.add(new Delivery("consumer", "x", 1, DUE, DUE + LEASE, DUE, "dies", "lives"));
        delivered("consumer", 2, DUE + 20);
        history.add(new Delivery("server", "x", 1, DUE, DUE + LEASE, DUE, "lives", "falls"));
        delivered("server", 2, DUE + 20);
        history.add(new Fault("cut", "dies", DUE + 10));
        history.add(new Fault("kill", "falls", DUE + 10));
        for (String id : List.of("lease", "consumer", "server")) {
            acked(id, 2, Outcome.YES, DUE + LEASE + 500);
        }
        Verdict verdict = verdict();
        verdict.assertKept();
        assertEquals(3, verdict.duplicated);
        assertEquals(400, verdict.redeliveryMillis);
    }

    @Test
    void an_end_that_came_after_the_second_delivery_explains_nothing() {
        pushed("a", Outcome.YES);
        delivered("a", 1, DUE);
        delivered("a", 2, DUE + 20);
        history.add(new Fault("kill", "s1", DUE + 21));
        acked("a", 2, Outcome.YES, DUE + LEASE);
        assertEquals(Set.of("a"), broken().unexplained);
    }

    @Test
    void a_settled_job_that_comes_back_has_no_explanation_whoever_died() {
        done("a");
        history.add(new Fault("kill", "s1", DUE + 10));
        delivered("a", 2, DUE + 2 * LEASE);
        assertEquals(Set.of("a"), broken().unexplained);
    }

    @Test
    void attempts_that_nobody_saw_take_a_lease_each() {
        pushed("a", Outcome.YES);
        delivered("a", 3, DUE + 2 * LEASE + 600);
        acked("a", 3, Outcome.YES, DUE + 3 * LEASE);
        assertEquals(300, verdict().redeliveryMillis);
    }

    @Test
    void a_second_accepted_ack_and_one_with_a_lease_that_had_ended_are_told() {
        done("a");
        acked("a", 1, Outcome.YES, DUE + 7);
        pushed("b", Outcome.YES);
        delivered("b", 1, DUE);
        delivered("b", 2, DUE + LEASE);
        acked("b", 1, Outcome.YES, DUE + LEASE + 1);
        Verdict verdict = broken();
        assertEquals(2, verdict.mostAcks);
        assertEquals(Set.of("a"), verdict.ackedTwice);
        assertEquals(Set.of("b"), verdict.staleTaken);
    }

    @Test
    void a_lease_that_had_ended_and_was_refused_is_counted() {
        pushed("a", Outcome.YES);
        delivered("a", 1, DUE);
        delivered("a", 2, DUE + LEASE);
        acked("a", 1, Outcome.NO, DUE + LEASE + 1);
        acked("a", 2, Outcome.YES, DUE + LEASE + 2);
        Verdict verdict = verdict();
        verdict.assertKept();
        assertEquals(1, verdict.staleRefused);
    }

    @Test
    void orphans_and_errors_are_told() {
        Verdict verdict = new Verdict("made-up", history, new Verdict.Terms(LEASE, 0, List.of("a stands on no index")));
        assertThrows(AssertionError.class, verdict::assertKept);
        history.error("500");
        assertEquals(List.of("500"), broken().errors);
    }

    @Test
    void the_line_the_json_and_the_plot_tell_it() throws Exception {
        done("a");
        pushed("b", Outcome.YES);
        history.add(new Fault("kill <9>", "s1", DUE + 10));
        Verdict verdict = verdict();
        assertTrue(verdict.line().startsWith("made-up: accepted 2, indeterminate 0, "), verdict.line());
        assertTrue(verdict.line().contains(" lost 1, "), verdict.line());
        assertEquals(1, verdict.json().getJsonObject("lost").getInteger("count"));
        String svg = LatenessPlot.of("made-up", history);
        var picture =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
        assertEquals(2, picture.getElementsByTagName("circle").getLength());
        assertEquals(
                "kill <9> s1", picture.getElementsByTagName("title").item(0).getTextContent());
    }
}
