package io.delayq.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Delivery;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class SubscriptionTest {
    private final Subscription subscription = new Subscription("order");

    private static Delivery job(String id) {
        return new Delivery("order", id, "lease-" + id, 1, 10, 0, 0, null, Buffer.buffer("null"));
    }

    private void join(long consumer, int prefetch) {
        subscription.join(consumer);
        subscription.setPrefetch(prefetch);
    }

    @Test
    void room_is_prefetch_less_what_is_held() {
        join(1, 3);
        subscription.take(List.of(job("a"), job("b")), new Subscription.Outgoing());
        assertEquals(1, subscription.room());
        assertFalse(subscription.settle("a", "another lease"));
        assertTrue(subscription.settle("a", "lease-a"));
        assertEquals(2, subscription.room());
        subscription.setPrefetch(1);
        assertEquals(0, subscription.room());
    }

    @Test
    void what_is_granted_grows_by_what_is_settled_and_not_while_the_connection_is_full() {
        join(1, 3);
        assertEquals(3, subscription.demand("room", false).granted());
        subscription.take(List.of(job("a"), job("b")), new Subscription.Outgoing());
        assertEquals(3, subscription.demand("room", false).granted());
        assertEquals(2, subscription.demand("room", true).granted());
        subscription.settle("a", "lease-a");
        assertEquals(4, subscription.demand("room", false).granted());
    }

    @Test
    void subscribing_again_is_a_new_consumer_that_was_given_nothing_yet() {
        join(1, 8);
        subscription.take(List.of(job("a"), job("b"), job("c")), new Subscription.Outgoing());
        subscription.unsubscribe();
        assertEquals(0, subscription.room());
        join(2, 8);
        assertEquals(2, subscription.demand("room", false).consumer());
        assertEquals(5, subscription.demand("room", false).granted());
    }
}
