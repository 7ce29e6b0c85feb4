package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttemptsTest {
    private static final long SECOND = 1_000_000_000;

    private final Attempts attempts = new Attempts(List.of("alice", "bob"));

    @ParameterizedTest
    @ValueSource(strings = {"alice", "nobody"})
    void after_five_tries_a_name_waits_whoever_it_is_and_wherever_they_come_from(String name) {
        for (int i = 0; i < 5; i++) {
            assertEquals(0, attempts.begin(name, "10.0.0." + i, 1));
        }
        assertEquals(30 * SECOND, attempts.begin(name, "10.0.1.1", 1));
        assertEquals(0, attempts.begin("bob", "10.0.1.1", 1));
        assertEquals(0, attempts.begin(name, "10.0.1.1", 1 + 30 * SECOND));
    }

    @Test
    void an_address_waits_whatever_names_it_tries() {
        for (int i = 0; i < 20; i++) {
            assertEquals(0, attempts.begin("n" + i, "10.0.0.1", 1));
        }
        assertEquals(5 * SECOND, attempts.begin("alice", "10.0.0.1", 1));
        // and alice has not used up one of hers
        for (int i = 0; i < 5; i++) {
            assertEquals(0, attempts.begin("alice", "10.0.0.2", 1));
        }
    }

    @Test
    void addresses_of_one_ipv6_network_are_one() {
        for (int i = 0; i < 20; i++) {
            assertEquals(0, attempts.begin("n" + i, "2001:db8:0:1::" + i, 1));
        }
        assertTrue(attempts.begin("alice", "2001:db8:0:1:ffff::1", 1) > 0);
        assertEquals(0, attempts.begin("alice", "2001:db8:0:2::1", 1));
    }

    @Test
    void tries_that_were_right_do_not_count() {
        for (int i = 0; i < 100; i++) {
            assertEquals(0, attempts.begin("alice", "10.0.0.1", 1));
            attempts.giveBack("alice", "10.0.0.1");
        }
    }

    @Test
    void a_flood_of_names_and_addresses_does_not_make_it_forget_a_user() {
        for (int i = 0; i < 5; i++) {
            attempts.begin("alice", "10.0.0.1", 1);
        }
        for (int i = 0; i < 50_000; i++) {
            attempts.begin("n" + i, "10." + i / 65536 + "." + i / 256 % 256 + "." + i % 256, 1);
        }
        assertTrue(attempts.begin("alice", "10.9.9.9", 1) > 0);
    }
}
