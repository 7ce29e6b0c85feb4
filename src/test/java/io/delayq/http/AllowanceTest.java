package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllowanceTest {
    private static final long SECOND = 1_000_000_000;

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE / 4, Long.MAX_VALUE / 4})
    void all_may_be_taken_at_once_and_come_back_one_by_one(long now) {
        Allowance allowance = new Allowance(10, SECOND / 10);
        for (int i = 0; i < 10; i++) {
            assertEquals(0, allowance.take(now));
        }
        assertEquals(SECOND / 10, allowance.take(now));
        assertEquals(1, allowance.take(now + SECOND / 10 - 1));
        assertEquals(0, allowance.take(now + SECOND / 10));
        assertEquals(SECOND / 10, allowance.take(now + SECOND / 10));
        // a long rest brings back no more than all
        for (int i = 0; i < 10; i++) {
            assertEquals(0, allowance.take(now + 100 * SECOND));
        }
        assertEquals(SECOND / 10, allowance.take(now + 100 * SECOND));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1_000_000})
    void what_is_given_back_can_be_taken_again(int most) {
        Allowance allowance = new Allowance(most, SECOND / most);
        for (int i = 0; i < 3 * most; i++) {
            assertEquals(0, allowance.take(5));
            allowance.giveBack();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10})
    void what_is_owed_has_to_be_waited_for(int most) {
        Allowance allowance = new Allowance(most, SECOND);
        for (int i = 0; i < most; i++) {
            assertEquals(0, allowance.owe(7));
        }
        assertEquals(SECOND, allowance.owe(7));
        assertEquals(2 * SECOND, allowance.owe(7));
        assertEquals(2 * SECOND, allowance.owe(7 + SECOND));
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000})
    void many_threads_get_no_more_than_there_is(int most) {
        Allowance allowance = new Allowance(most, SECOND);
        AtomicInteger taken = new AtomicInteger();
        IntStream.range(0, 4 * most).parallel().forEach(i -> {
            if (allowance.take(1) == 0) {
                taken.incrementAndGet();
            }
        });
        assertEquals(most, taken.get());
    }
}
