package io.delayq.ready;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.bus.Demand;
import io.delayq.job.Delivery;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopicTest {
    private static final int BUCKETS = 4;

    private final Topic topic = new Topic("t", BUCKETS);

    private static List<Delivery> jobs(int count) {
        List<Delivery> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            jobs.add(new Delivery("t", "j" + i, "lease", 1, 10, 0, 0, null, Buffer.buffer("null")));
        }
        return jobs;
    }

    private void demand(long consumer, long granted, boolean once, boolean now) {
        topic.demanded(new Demand("room", consumer, "t", 0, granted, once, now), 0);
    }

    private void seenEmpty(int... buckets) {
        for (int bucket : buckets) {
            int count = topic.want(bucket, 100);
            topic.asking(bucket, count);
            topic.answered(bucket, count, count, false);
        }
    }

    @Test
    void asks_for_no_more_than_is_wanted() {
        demand(1, 10, false, false);
        int asked = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            int count = topic.want(bucket, 100);
            topic.asking(bucket, count);
            asked += count;
        }
        assertEquals(10, asked);
        demand(1, 10, false, false);
        assertFalse(topic.hungry(), "the same demand again asks for nothing");
    }

    @Test
    void asks_no_bucket_that_was_seen_empty_until_it_may_have_some() {
        demand(1, 10, false, false);
        seenEmpty(0, 1, 2, 3);
        assertFalse(topic.hungry());
        topic.mayHave(2);
        assertEquals(0, topic.want(1, 100));
        assertEquals(10, topic.want(2, 100));
    }

    @Test
    void asks_again_when_a_hint_came_during_the_question() {
        demand(1, 10, false, false);
        seenEmpty(0, 1, 2);
        topic.asking(3, 5);
        topic.mayHave(3);
        topic.answered(3, 5, 5, false);
        assertEquals(10, topic.want(3, 100));
    }

    @Test
    void gives_each_consumer_with_room_its_share() {
        demand(1, 100, false, false);
        demand(2, 100, false, false);
        demand(3, 5, false, false);
        assertEquals(List.of(), topic.give(jobs(90), false));
        List<Integer> shares =
                topic.consumers().stream().map(c -> c.gathered.size()).sorted().toList();
        assertEquals(5, shares.get(0));
        assertTrue(shares.get(1) >= 40, "shares " + shares);
        assertEquals(90, shares.stream().mapToInt(Integer::intValue).sum());
    }

    @Test
    void gives_some_a_share_that_is_worth_a_message_while_there_are_more() {
        for (int consumer = 1; consumer <= 100; consumer++) {
            demand(consumer, 100, false, false);
        }
        topic.give(jobs(250), true);
        assertEquals(10, topic.full().size());
        topic.full().forEach(consumer -> assertEquals(25, consumer.gathered.size()));
        topic.give(jobs(90), false);
        assertEquals(100, topic.full().size(), "the last ones are for all");
    }

    @Test
    void serves_consumers_in_turn_when_jobs_come_one_by_one() {
        demand(1, 100, false, false);
        demand(2, 100, false, false);
        for (int i = 0; i < 10; i++) {
            topic.give(jobs(1), false);
        }
        topic.consumers().forEach(consumer -> assertEquals(5, consumer.gathered.size()));
    }

    @Test
    void hands_back_what_nobody_has_room_for() {
        demand(1, 3, false, false);
        assertEquals(2, topic.give(jobs(5), false).size());
    }

    @Test
    void one_that_refused_has_no_room_until_it_says_so_again() {
        demand(1, 3, false, false);
        topic.give(jobs(2), false);
        topic.refused(topic.full().get(0), 2);
        assertFalse(topic.hungry());
        demand(1, 3, false, false);
        assertTrue(topic.hungry());
        assertEquals(3, topic.consumers().get(0).room());
    }

    @Test
    void the_last_word_on_room_counts() {
        demand(1, 10, false, false);
        topic.give(jobs(4), false);
        demand(1, 4, false, false);
        assertFalse(topic.hungry());
        demand(1, 14, false, false);
        assertEquals(10, topic.consumers().get(0).room());
    }

    @Test
    void one_that_was_forgotten_comes_back_with_its_history() {
        topic.demanded(new Demand("room", 1, "t", 5_000, 5_100, false, false), 0);
        assertEquals(100, topic.consumers().get(0).room());
    }

    @Test
    void a_single_batch_ends_when_it_is_long() {
        demand(1, 1_000, true, false);
        Delivery large = new Delivery("t", "l", "x", 1, 10, 0, 0, null, Buffer.buffer("x".repeat(600_000)));
        assertEquals(List.of(), topic.give(List.of(large), false));
        assertEquals(0, topic.full().size());
        topic.give(List.of(large), false);
        assertEquals(2, topic.full().get(0).gathered.size());
        assertFalse(topic.hungry());
    }

    @Test
    void forgets_one_that_has_not_been_heard_of() {
        topic.demanded(new Demand("room", 1, "t", 0, 5, false, false), 0);
        topic.demanded(new Demand("room", 2, "t", 0, 5, false, false), 900);
        topic.give(jobs(2), false);
        assertEquals(1, topic.forgetSilent(1_000, 500).size());
        assertEquals(1, topic.consumers().size());
        assertEquals(4, topic.consumers().get(0).room());
    }

    @Test
    void one_that_takes_a_single_batch_waits_for_buckets_that_have_more() {
        demand(1, 10, true, false);
        seenEmpty(1, 2, 3);
        topic.asking(0, 3);
        topic.answered(0, 3, 3, true);
        topic.give(jobs(3), false);
        assertEquals(0, topic.full().size());
        seenEmpty(0);
        assertEquals(1, topic.full().size());
        assertTrue(topic.unused());
    }

    @Test
    void one_that_takes_a_single_batch_does_not_wait_for_what_may_be_there() {
        demand(1, 10, true, false);
        seenEmpty(0, 1, 2, 3);
        topic.mayHave(2);
        topic.asking(0, 1);
        topic.answered(0, 1, 1, false);
        topic.give(jobs(1), false);
        assertEquals(1, topic.full().size());
    }

    @Test
    void one_that_will_not_wait_is_not_served_by_an_answer_to_an_earlier_question() {
        demand(1, 10, false, false);
        topic.asking(0, 2);
        demand(2, 1, true, true);
        topic.answered(0, 2, 2, false);
        seenEmpty(1, 2, 3);
        assertEquals(0, topic.full().size());
        seenEmpty(0);
        assertEquals(1, topic.full().size());
    }

    @Test
    void one_that_will_not_wait_goes_empty_once_all_buckets_were_asked() {
        demand(1, 10, true, true);
        seenEmpty(0, 1, 2);
        assertEquals(0, topic.full().size());
        seenEmpty(3);
        assertEquals(1, topic.full().size());
    }

    @Test
    void one_that_will_not_wait_trusts_no_earlier_look() {
        demand(1, 10, false, false);
        seenEmpty(0, 1, 2, 3);
        demand(2, 1, true, true);
        assertTrue(topic.hungry());
    }

    @Test
    void what_was_gathered_for_one_that_left_is_given_back() {
        demand(1, 10, true, false);
        topic.give(jobs(2), false);
        assertEquals(2, topic.withdrawn("room", 1).size());
        assertTrue(topic.unused());
    }
}
