package io.delayq.job;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IdsTest {
    private final AtomicLong clock = new AtomicLong(1_800_000_000_000L);
    private final Ids ids = new Ids(clock::get, 7);

    @Test
    void makes_ids_of_13_digits_and_small_letters() {
        for (int i = 0; i < 1_000; i++) {
            String id = ids.next();
            assertTrue(id.matches("[0-9a-z]{13}"), id);
            assertNull(Names.idFault(id));
        }
    }

    @Test
    void makes_each_id_greater_than_the_one_before_even_past_one_milliseconds_worth() {
        String last = "";
        for (int i = 0; i < 100_000; i++) {
            String id = ids.next();
            assertTrue(id.compareTo(last) > 0, last + " then " + id);
            last = id;
        }
    }

    @Test
    void sorts_by_time_across_makers() {
        String early = new Ids(clock::get, Ids.TAGS - 1).next();
        clock.incrementAndGet();
        assertTrue(ids.next().compareTo(early) > 0);
        clock.addAndGet(40L * 365 * 86_400_000);
        assertEquals(Ids.LENGTH, ids.next().length());
    }

    @Test
    void keeps_going_up_when_the_clock_is_set_back() {
        String before = ids.next();
        clock.addAndGet(-3_600_000);
        assertTrue(ids.next().compareTo(before) > 0);
    }

    @Test
    void never_repeats_an_id_across_tags_or_threads() {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        Ids other = new Ids(clock::get, 8);
        IntStream.range(0, 200_000).parallel().forEach(i -> assertTrue(seen.add((i % 2 == 0 ? ids : other).next())));
        assertEquals(200_000, seen.size());
    }

    @Test
    void draws_until_the_id_falls_into_the_bucket() {
        Set<String> seen = new HashSet<>();
        for (int bucket = 0; bucket < 64; bucket++) {
            String id = ids.nextIn(bucket, text -> Math.floorMod(new String(text, US_ASCII).hashCode(), 64));
            assertEquals(bucket, Math.floorMod(id.hashCode(), 64));
            assertTrue(seen.add(id));
        }
    }

    @Test
    void gives_up_on_a_bucket_that_no_id_falls_into() {
        assertThrows(IllegalArgumentException.class, () -> ids.nextIn(64, text -> 0));
    }

    @Test
    void refuses_tags_out_of_range() {
        assertThrows(IllegalArgumentException.class, () -> new Ids(clock::get, Ids.TAGS));
        assertThrows(IllegalArgumentException.class, () -> new Ids(clock::get, -1));
    }
}
