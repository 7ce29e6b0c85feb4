package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings.Address;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which older delay queues' clients are served, where, and as whom. */
class CompatTest extends LoadingTestBase {
    private static final String TOKENS = "tokens: [{name: shop, token: abc, rights: [push]}]\n";

    @Test
    void none_are_served_unless_the_configuration_says_so() {
        assertEquals(Set.of(), loaded().compat());
        assertNull(loaded().frontEnds().token());
        assertEquals(Map.of(), loaded().frontEnds().listen());
        assertEquals(178_000, loaded().frontEnds().holdMillis());
    }

    @ParameterizedTest
    @ValueSource(strings = {"[c1, c3]", "c1,c3", "[ c3 , c1 ]"})
    void in_a_variable_it_is_a_list_with_commas(String text) {
        env("DELAYQ_COMPAT", text);
        assertEquals(Set.of(Compat.C1, Compat.C3), loaded().compat());
    }

    @Test
    void all_are_served_by_one_word() {
        env("DELAYQ_COMPAT", "all");
        assertEquals(EnumSet.allOf(Compat.class), loaded().compat());
    }

    @ParameterizedTest
    @ValueSource(strings = {"[c1, c2]", "[c1,c2]"})
    void in_the_file_it_is_a_list(String text) {
        yaml = "compat: " + text;
        assertEquals(Set.of(Compat.C1, Compat.C2), loaded().compat());
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "''", "c6", "[c1, c1]", "C1", "[none]", "[all, c1]", "true", "7"})
    void what_is_no_list_of_them_is_refused(String text) {
        yaml = "compat: " + text;
        assertEquals("compat", onlyFault().key());
        assertEquals(
                "expected none, all, or a list of some of c1, c2, c3, c4, c5, each once",
                onlyFault().problem());
    }

    @Test
    void on_a_cluster_there_is_no_c5() {
        yaml = "compat: all\nredis:\n  mode: cluster\n  url: redis://127.0.0.1:7000";
        assertEquals("compat", onlyFault().key());
        assertTrue(
                onlyFault().problem().startsWith("c5 needs a single Redis"),
                onlyFault().problem());
    }

    @Test
    void an_address_of_its_own_may_leave_the_host_to_http_host() {
        yaml = "compat: all\ncompatListen: [c1=9278, c3=localhost:8080, 'c4=[::1]:9090']\ncompatHold: 3s";
        assertEquals(
                Map.of(
                        Compat.C1,
                        new Address("127.0.0.1", 9278),
                        Compat.C3,
                        new Address("localhost", 8080),
                        Compat.C4,
                        new Address("::1", 9090)),
                loaded().frontEnds().listen());
        assertEquals(3_000, loaded().frontEnds().holdMillis());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "c5=1",
                "c1",
                "c1=",
                "c1=x",
                "c1=70000",
                "c1=0",
                "c1=:80",
                "c1=a b:80",
                "[c1=1, c1=2]",
                "9277"
            })
    void what_is_no_address_is_refused(String text) {
        yaml = "compat: all\ncompatListen: " + (text.startsWith("[") ? text : "'" + text + "'");
        assertEquals("compatListen", onlyFault().key());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    compat: c1  | c3=8080         | compat does not name c3; expected an address only for what it names
                    compat: all | c3=9277         | the same as http.host and http.port; expected another one
                    compat: all | c3=0.0.0.0:8080 | not a loopback address, and no tokens are set: set tokens, or pass --insecure to let whoever reaches it do anything
                    """)
    void an_address_that_makes_no_sense_is_told(String compat, String listen, String problem) {
        yaml = compat + "\ncompatListen: '" + listen + "'";
        assertEquals("compatListen", onlyFault().key());
        assertEquals(problem, onlyFault().problem());
    }

    @ParameterizedTest
    @ValueSource(strings = {TOKENS, "insecure: true\n"})
    void an_open_address_needs_tokens_for_all_else_or_the_word_that_it_is_insecure(String more) {
        yaml = more + "compat: all\ncompatListen: 'c3=0.0.0.0:8080'";
        assertEquals(new Address("0.0.0.0", 8080), loaded().frontEnds().listen().get(Compat.C3));
    }

    @Test
    void they_run_as_a_token_by_its_name() {
        yaml = TOKENS + "compat: all\ncompatToken: shop";
        assertEquals("shop", loaded().frontEnds().token());
    }

    @Test
    void a_token_that_is_not_there_is_told() {
        yaml = TOKENS + "compat: all\ncompatToken: shpo";
        assertEquals(
                "none of the tokens has this name; expected the name of one of the tokens",
                onlyFault().problem());
    }

    @Test
    void a_token_where_there_are_none_is_told() {
        yaml = "compat: all\ncompatToken: shop";
        assertEquals("no tokens are set; leave it out", onlyFault().problem());
    }
}
