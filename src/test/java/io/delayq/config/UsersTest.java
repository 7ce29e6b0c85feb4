package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsersTest {
    private static final String BCRYPT = "$2y$04$" + "./Az09".repeat(8) + "abcde";

    @Test
    void are_read_from_json() throws Refused {
        assertEquals(
                List.of(new Settings.User("ops", BCRYPT, true), new Settings.User("a@b.c", BCRYPT, false)),
                Users.parse("[{\"name\":\"ops\",\"bcrypt\":\"" + BCRYPT + "\",\"role\":\"admin\"},"
                        + "{\"name\":\"a@b.c\",\"bcrypt\":\"" + BCRYPT + "\",\"role\":\"viewer\"}]"));
    }

    @Test
    void all_faults_are_found_and_no_hash_is_told() {
        Refused refused = assertThrows(
                Refused.class,
                () -> Users.parse("[{\"name\":\"a b\",\"bcrypt\":\"password\",\"role\":\"root\",\"rolle\":1},7]"));
        assertEquals(
                List.of("[0].rolle", "[0].name", "[0].bcrypt", "[0].role", "[1]"),
                refused.wrongs().stream().map(Refused.Wrong::at).toList());
        assertFalse(refused.wrongs().toString().contains("password"));
    }

    @Test
    void a_name_is_given_once() {
        String user = "{\"name\":\"u\",\"bcrypt\":\"" + BCRYPT + "\",\"role\":\"admin\"}";
        Refused refused = assertThrows(Refused.class, () -> Users.parse("[" + user + "," + user + "]"));
        assertEquals("[1].name", refused.wrongs().get(0).at());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "u", "[", "null"})
    void what_is_no_list_is_refused(String text) {
        assertThrows(Refused.class, () -> Users.parse(text));
    }
}
