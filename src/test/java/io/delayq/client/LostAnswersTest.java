package io.delayq.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.fault.FaultProxy;
import io.delayq.job.JobState;
import io.delayq.redis.TestRedis;
import io.vertx.core.Future;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests arrive and are served, but their answers are lost on the way back. */
class LostAnswersTest extends ClientTestBase {
    private static final long SEED = 7;
    private static final PushOptions LATER = PushOptions.in(Duration.ofHours(1));

    private FaultProxy proxy;
    private DelayqClient client;

    @BeforeEach
    void openProxy() {
        proxy = new FaultProxy(server.port(), SEED);
        client = client(URI.create(proxy.url()).getPort());
    }

    @AfterEach
    void closeProxy() {
        proxy.close();
    }

    /** The next answer is lost, those after it arrive. */
    private <T> Future<T> losing(Future<T> operation) {
        TestRedis.await("an answer lost", () -> proxy.lost() > 0);
        proxy.loseAnswers(0);
        return operation;
    }

    @Test
    void a_push_repeated_makes_one_job() {
        proxy.loseAnswers(1);
        Pushed pushed = await(losing(client.push(topic, 1, LATER)));
        assertEquals(201, pushed.status());
        assertEquals(JobState.DELAYED, pushed.state());
        assertEquals(await(client.get(topic, pushed.id())).orElseThrow().due(), pushed.due());
        assertEquals(1, count("delayed"));
    }

    @Test
    void a_push_with_an_id_of_the_callers_repeated_makes_one_job() {
        proxy.loseAnswers(1);
        PushOptions options = PushOptions.in(Duration.ofHours(1)).id("x");
        assertTrue(await(losing(client.push(topic, 1, options))).isStored());
        assertEquals(1, count("delayed"));
    }

    @Test
    void many_pushed_in_one_call_repeated_are_stored_once_each() {
        proxy.loseAnswers(1);
        List<Push> jobs = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            jobs.add(new Push(topic, i, LATER));
        }
        jobs.add(new Push(topic, 50, PushOptions.in(Duration.ofHours(1)).id("x")));
        jobs.add(new Push(topic, 51, PushOptions.in(Duration.ofHours(1)).id("x")));
        List<Pushed> results = await(losing(client.pushAll(jobs)));
        assertEquals(51, results.stream().filter(Pushed::isStored).count());
        assertEquals(409, results.get(51).status(), "the same id twice in the list is the caller's own fault");
        assertEquals(51, count("delayed"));
    }

    @Test
    void a_cancel_repeated_has_cancelled() {
        await(client.push(topic, 1, PushOptions.in(Duration.ofHours(1)).id("x")));
        proxy.loseAnswers(1);
        assertTrue(await(losing(client.cancel(topic, "x"))));
        assertEquals(0, count("delayed"));
    }

    @Test
    void an_ack_repeated_is_no_stale_lease() {
        await(client.push(topic, 1));
        Job job = await(client.reserve(topic, 1, Duration.ofSeconds(5))).get(0);
        proxy.loseAnswers(1);
        await(losing(client.ack(job)));
        assertEquals(0, count("reserved"));
    }

    @Test
    void three_hundred_pushes_with_a_fifth_of_the_answers_lost_make_three_hundred_jobs() {
        proxy.loseAnswers(0.2);
        List<Future<Pushed>> all = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            all.add(client.push(topic, i, LATER));
        }
        Set<String> ids = new HashSet<>();
        all.forEach(push -> ids.add(await(push).id()));
        assertTrue(proxy.lost() > 20, "only " + proxy.lost() + " lost: that proves nothing");
        assertEquals(300, ids.size());
        assertEquals(300, count("delayed"));
    }
}
