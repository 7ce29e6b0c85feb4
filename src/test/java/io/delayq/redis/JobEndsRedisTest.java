package io.delayq.redis;

import static io.delayq.redis.StoreHarness.job;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.job.Backoff;
import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.NewJob;
import io.delayq.job.Retry;
import io.delayq.job.When;
import io.delayq.ops.Tally;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs that are retried, die or expire are counted, wherever that happens. */
class JobEndsRedisTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Retry TWICE = new Retry(2, new Backoff.Steps(List.of(0L)));

    private final StoreHarness store = new StoreHarness(TestRedis.shared(), 2);

    @AfterEach
    void close() {
        store.close();
    }

    /** Retried, dead, expired. */
    private List<Long> counted() {
        Tally tally = store.meters.tally();
        return List.of(
                tally.count(Tally.NAMES.indexOf("retried")),
                tally.count(Tally.NAMES.indexOf("dead")),
                tally.count(Tally.NAMES.indexOf("expired")));
    }

    private void push(String id, Retry retry, Long ttr) {
        store.call(s -> s.push(job("t", id, When.in(0), retry, ttr)));
    }

    private void pushWithTtl(String id, long ttl) {
        JobOptions options = new JobOptions(null, Retry.INHERITED, null, null, ttl, null, null);
        store.call(s -> s.push(new NewJob("t", id, When.in(0), options, Buffer.buffer("null"))));
    }

    private void nack(Delivery job) {
        store.call(s -> s.nack("t", job.id(), job.lease(), null, "no", "test"));
    }

    @Test
    void nacks_count_by_what_becomes_of_the_job() {
        push("a", TWICE, null);
        Delivery first = store.reserve("t", 1).get(0);
        nack(first);
        nack(first);
        assertEquals(List.of(1L, 0L, 0L), counted());
        nack(store.reserve("t", 1).get(0));
        assertEquals(List.of(1L, 1L, 0L), counted());
        assertEquals(2, store.meters.topics().size() + 1, "counted under its topic");
    }

    @Test
    void leases_that_end_count_too() {
        push("a", TWICE, 100L);
        push("b", TWICE, 100L);
        assertEquals(2, store.reserve("t", 2).size());
        TestRedis.await("both leases ended", LIMIT, () -> {
            store.dueAll();
            return counted().equals(List.of(2L, 0L, 0L));
        });
        assertEquals(2, store.reserve("t", 2).size());
        TestRedis.await("again, for the last time", LIMIT, () -> {
            store.dueAll();
            return counted().equals(List.of(2L, 2L, 0L));
        });
    }

    @Test
    void jobs_whose_ttl_ends_count_as_expired_also_if_reserve_finds_them_first() {
        pushWithTtl("a", 1_000);
        pushWithTtl("b", 1_000);
        assertEquals(List.of(0L, 0L, 0L), counted());
        TestRedis.await("nothing to reserve any more", () -> store.reserve("t", 2).stream()
                .peek(job -> store.call(s -> s.release("t", job.id(), job.lease())))
                .toList()
                .isEmpty());
        assertEquals(List.of(0L, 0L, 2L), counted());
        pushWithTtl("c", 1_000);
        TestRedis.await("found by the scanner", LIMIT, () -> {
            store.dueAll();
            return counted().equals(List.of(0L, 0L, 3L));
        });
    }
}
