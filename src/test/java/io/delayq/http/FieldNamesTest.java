package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FieldNamesTest {
    private final FieldNames names = new FieldNames();

    @Test
    void each_object_has_names_of_its_own() {
        names.open();
        assertTrue(names.add("a"));
        names.open();
        assertTrue(names.add("a"));
        assertTrue(names.add("b"));
        names.close();
        assertTrue(names.add("b"));
        assertFalse(names.add("a"));
        names.close();
        names.open();
        assertTrue(names.add("a"));
    }

    @Test
    void any_number_of_names_is_told_apart_at_any_depth() {
        Random random = new Random(7);
        Deque<Set<String>> expected = new ArrayDeque<>();
        names.open();
        expected.push(new HashSet<>());
        for (int i = 0; i < 100_000; i++) {
            int step = random.nextInt(20);
            if (step == 0 && expected.size() < 100) {
                names.open();
                expected.push(new HashSet<>());
            } else if (step == 1 && expected.size() > 1) {
                names.close();
                expected.pop();
            } else {
                String name = "n" + random.nextInt(60);
                assertEquals(expected.peek().add(name), names.add(name), name);
            }
        }
    }
}
