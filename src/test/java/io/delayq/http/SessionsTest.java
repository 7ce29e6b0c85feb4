package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionsTest {
    private static final Settings.User ALICE = new Settings.User("alice.b@shop", "$2a$04$one", false);
    private static final Settings.User BOB = new Settings.User("bob", "$2a$04$two", true);
    private static final byte[] KEY = new byte[32];

    private final AtomicLong seconds = new AtomicLong(1_798_761_600);
    private final Sessions sessions = sessions(KEY, ALICE, BOB);

    private Sessions sessions(byte[] key, Settings.User... users) {
        return new Sessions(List.of(users), () -> key, seconds::get);
    }

    @Test
    void every_server_with_the_same_key_knows_whose_it_is() {
        String cookie = sessions.open(ALICE);
        assertTrue(cookie.matches("[A-Za-z0-9._@-]+"), cookie);
        assertEquals(ALICE, sessions.of(cookie));
        assertEquals(ALICE, sessions(KEY.clone(), BOB, ALICE).of(cookie));
        assertEquals(BOB, sessions.of(sessions.open(BOB)));
    }

    @Test
    void it_ends_after_twelve_hours() {
        String cookie = sessions.open(ALICE);
        seconds.addAndGet(12 * 3600 - 1);
        assertEquals(ALICE, sessions.of(cookie));
        seconds.addAndGet(1);
        assertNull(sessions.of(cookie));
    }

    @Test
    void another_key_another_password_and_a_user_who_is_gone_end_it() {
        String cookie = sessions.open(ALICE);
        byte[] other = KEY.clone();
        other[31] = 1;
        assertNull(sessions(other, ALICE, BOB).of(cookie));
        assertNull(sessions(KEY, new Settings.User(ALICE.name(), "$2a$04$new", false))
                .of(cookie));
        assertNull(sessions(KEY, BOB).of(cookie));
    }

    @Test
    void the_role_is_what_it_is_now() {
        Settings.User promoted = new Settings.User(ALICE.name(), ALICE.bcrypt(), true);
        assertTrue(sessions(KEY, promoted).of(sessions.open(ALICE)).admin());
    }

    @Test
    void nothing_of_it_can_be_changed() {
        String cookie = sessions.open(ALICE);
        for (int i = 0; i < cookie.length(); i++) {
            char other = cookie.charAt(i) == '1' ? '2' : '1';
            assertNull(sessions.of(cookie.substring(0, i) + other + cookie.substring(i + 1)), "at " + i);
        }
        String[] parts = cookie.split("\\.", 3);
        assertNull(sessions.of(parts[0] + "." + parts[1] + ".bob"));
        assertNull(sessions.of(cookie + "x"));
        assertNull(sessions.of("0" + cookie));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "...",
                "alice.b@shop",
                "1.2.bob",
                "99999999999999999999.x.bob",
                "-1.x.bob",
                "x.y.bob"
            })
    void nonsense_is_nobodys(String cookie) {
        assertNull(sessions.of(cookie));
        assertNull(sessions.of("9".repeat(100_000) + cookie));
    }
}
