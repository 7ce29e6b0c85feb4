package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.When;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pushes that share a call: what is answered of each follows from Redis' clock, and must be what was stored. */
class PushTogetherRedisTest {
    private static final long HOUR = 3_600_000;
    private static final JobOptions HIGH = new JobOptions(null, Retry.INHERITED, null, Priority.HIGH, null, null, null);
    private static final JobOptions GROUPED = new JobOptions(null, Retry.INHERITED, null, null, null, "g", null);

    private final StoreHarness store = new StoreHarness(TestRedis.shared(), 1);

    @AfterEach
    void close() {
        store.close();
    }

    /** Each with waits of its own, some the same, one at a time and one past. */
    private static List<NewJob> jobs(String topic, JobOptions... options) {
        long later = System.currentTimeMillis() + 2 * HOUR;
        List<When> whens = List.of(
                When.in(HOUR), When.in(0), When.in(HOUR), When.in(2 * HOUR), When.at(later), When.at(1), When.in(HOUR));
        List<NewJob> jobs = new ArrayList<>();
        for (int i = 0; i < whens.size(); i++) {
            String id = topic + "-" + i;
            jobs.add(new NewJob(
                    topic, id, whens.get(i), options[i % options.length], Buffer.buffer("{\"n\":\"" + id + "\"}")));
        }
        return jobs;
    }

    private List<Store.Pushed> push(List<NewJob> jobs) {
        return store.call(s -> Future.all(jobs.stream().map(s::push).toList()).map(done -> done.<Store.Pushed>list()));
    }

    private void check(List<NewJob> jobs, Long ttl) {
        List<Store.Pushed> pushed = push(jobs);
        for (int i = 0; i < jobs.size(); i++) {
            NewJob job = jobs.get(i);
            JobView found = store.call(s -> s.get(job.topic(), job.id()));
            assertEquals(new Store.Pushed(true, found.due(), found.state()), pushed.get(i), job.toString());
            boolean due = job.when().millis() <= 1;
            assertEquals(due ? JobState.READY : JobState.DELAYED, found.state(), job.toString());
            assertEquals(job.options().priorityOrDefault(), found.options().priorityOrDefault(), job.toString());
            assertEquals(job.options().group(), found.options().group(), job.toString());
            assertEquals(job.body(), found.body());
            assertEquals(ttl, found.options().ttl());
        }
    }

    @Test
    void each_has_its_own_time() {
        check(jobs("plain", JobOptions.NONE), null);
    }

    @Test
    void with_options_and_without_in_one_call() {
        check(jobs("mixed", JobOptions.NONE, HIGH, GROUPED), null);
    }

    @Test
    void without_options_in_a_topic_that_has_some() {
        store.call(s ->
                s.topics().configure("set", TopicSettingsRedisTest.settings(null, null, null, HOUR, null, null, null)));
        check(jobs("set", JobOptions.NONE), HOUR);
    }

    @Test
    void those_whose_id_is_in_use_are_refused_alone_in_whichever_topic() {
        push(jobs("a", JobOptions.NONE).subList(2, 4));
        push(jobs("b", JobOptions.NONE).subList(0, 1));
        List<NewJob> both = new ArrayList<>(jobs("a", JobOptions.NONE));
        both.addAll(jobs("b", JobOptions.NONE, HIGH));
        // twice in one call
        both.add(both.get(1));
        List<Integer> refused = new ArrayList<>();
        List<Store.Pushed> pushed = push(both);
        for (int i = 0; i < both.size(); i++) {
            if (!pushed.get(i).created()) {
                refused.add(i);
            }
        }
        assertEquals(List.of(2, 3, 7, 14), refused);
    }
}
