package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is wrong in a file or a flag, and what is said of it. */
class ConfigFaultsTest extends LoadingTestBase {

    @Test
    void reports_all_faults_at_once_with_key_value_origin_and_expectation() {
        yaml = "namespace: a b\nhttp:\n  port: 70000\n  prot: 1\n";
        env("DELAYQ_BUCKETS", "none");
        flags("--redis.queue=0", "--instances.scaner=1");
        ConfigFaults e = failed();
        assertEquals(6, e.faults().size(), e.getMessage());
        assertLine(e, "http.prot (" + file() + " line 4): unknown; the nearest known key is http.port");
        assertLine(e, "http.port: \"70000\" (" + file() + " line 3): expected a whole number, 0 to 65535");
        assertLine(e, "namespace: \"a b\" (" + file() + " line 1): expected 1-64 of letters, digits, '.', '_' and '-'");
        assertLine(e, "buckets: \"none\" (variable DELAYQ_BUCKETS): expected a whole number, 1 to 1024");
        assertLine(e, "redis.queue: \"0\" (flag --redis.queue): expected a whole number, 1 to 1000000");
        assertLine(
                e, "instances.scaner (flag --instances.scaner): unknown; the nearest known key is instances.scanner");
        assertTrue(e.getMessage().startsWith("the configuration has 6 faults:\n"), e.getMessage());
    }

    @Test
    void names_the_nearest_section_for_an_unknown_one() {
        yaml = "htttp: {port: 1}";
        assertEquals("unknown; the nearest known key is http", onlyFault().problem());
    }

    @Test
    void says_how_to_write_a_dotted_key_in_the_file() {
        yaml = "http.port: 1";
        assertTrue(
                onlyFault().problem().contains("http: { port: ... }"),
                onlyFault().problem());
    }

    @Test
    void reports_a_section_given_as_a_value_even_when_the_environment_sets_a_key_in_it() {
        yaml = "redis: redis://:" + SECRET + "@h";
        env("DELAYQ_REDIS_QUEUE", "5");
        assertEquals("redis", onlyFault().key());
        assertFalse(failed().getMessage().contains(SECRET));
    }

    @Test
    void reports_a_value_given_as_a_section() {
        yaml = "namespace: {a: b}";
        assertEquals("namespace", onlyFault().key());
        assertNull(onlyFault().given());
    }

    @Test
    void reports_keys_given_twice() {
        yaml =
                "buckets: 1\nhttp: {port: 1, port: 2}\nbuckets: 2\ntokens: [{name: a, name: b, token: t, rights: [push]}]\n";
        List<String> keys = failed().faults().stream().map(Fault::key).toList();
        assertEquals(List.of("http.port", "buckets", "tokens[0].name"), keys);
    }

    @ParameterizedTest
    @ValueSource(strings = {"9277", "\"9277\"", "'9277'", "!!int 9277", "!!str 9277"})
    void takes_a_whole_number_quoted_or_not(String port) {
        yaml = "http: {port: " + port + "}";
        assertEquals(9277, loaded().http().port());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "010",
                "0x10",
                "0b1",
                "1_000",
                "1:30",
                "+80",
                "\"010\"",
                "-1",
                "1.0",
                "1e3",
                "\" 80\"",
                "\"\"",
                "65536",
                "99999999999999999999",
                "true",
                "[80]",
                "eighty",
                "2024-01-01"
            })
    void refuses_a_number_that_is_not_plain(String port) {
        yaml = "http: {port: " + port + "}";
        assertEquals("http.port", onlyFault().key());
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "on", "True", "TRUE", "1", "\"yes\"", "'True'", "[true]"})
    void refuses_a_boolean_that_is_not_true_or_false(String text) {
        yaml = "insecure: " + text;
        assertEquals("insecure", onlyFault().key());
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "1", "", "TRUE", "on"})
    void refuses_a_boolean_flag_that_is_not_true_or_false(String text) {
        flags("--insecure=" + text);
        assertEquals("insecure", onlyFault().key());
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", "017", "1.10", "2024-01-01", "true"})
    void refuses_text_that_YAML_would_change(String text) {
        yaml = "namespace: " + text;
        assertEquals("namespace", onlyFault().key());
        assertEquals(text, onlyFault().given());
    }

    @ParameterizedTest
    @CsvSource({"on", "017", "1.10", "2024-01-01"})
    void takes_such_text_in_quotes(String text) {
        yaml = "namespace: '" + text + "'";
        assertEquals(text, loaded().namespace());
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "5 s", "1.5s", "-1s", "99ms", "25h", "1:30", "\"\"", "true"})
    void refuses_a_bad_duration(String text) {
        yaml = "http: {idle: " + text + "}";
        assertEquals("http.idle", onlyFault().key());
    }

    @Test
    void reports_broken_YAML_with_its_line_and_without_the_text() {
        yaml = "buckets: 4\nredis: {url: redis://:" + SECRET + "@h\n";
        env("DELAYQ_BUCKETS", "0");
        List<Fault> faults = failed().faults();
        assertEquals(List.of("file", "buckets"), faults.stream().map(Fault::key).toList());
        assertTrue(faults.get(0).origin().contains(" line "), faults.toString());
        assertFalse(failed().getMessage().contains(SECRET), failed().getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tokens: [{token: *" + SECRET + "}]",
                "tokens: [{token: !" + SECRET + " a}]",
                "tokens: [{token: !" + SECRET + "!a b}]",
                "tokens: &a [*a]",
                "http: &" + SECRET + " {}",
                "http: {<<: {port: 1}}",
                "1: 2",
                "~: 2",
                "[a]: 2",
                "tokens: [{1: 2}]",
                "- a",
                "just text",
                "a: 1\n---\nb: 2",
                "buckets: !!float x",
                "buckets: !!set {a, b}",
                "\ta: 1",
                "tokens: [*]",
            })
    void reports_YAML_that_it_does_not_take_as_one_fault_without_secrets(String text) {
        yaml = text;
        assertEquals("file", onlyFault().key());
        assertFalse(failed().getMessage().contains(SECRET), failed().getMessage());
    }

    @Test
    void reports_an_argument_that_is_not_a_flag_without_showing_it() {
        flags("--http.port=1", SECRET, "--tokens:" + SECRET + "=x", "-p");
        assertEquals(
                List.of("argument 2", "argument 3", "argument 4"),
                failed().faults().stream().map(Fault::key).toList());
        assertFalse(failed().getMessage().contains(SECRET));
    }

    @Test
    void reports_a_flag_without_a_value() {
        flags("--http.port", "--insecure");
        assertEquals("http.port", onlyFault().key());
        assertTrue(onlyFault().problem().startsWith("has no value"), onlyFault().problem());
    }

    @Test
    void does_not_show_the_value_of_an_unknown_flag() {
        flags("--redis.uri", "redis://:" + SECRET + "@h", "--token=" + SECRET);
        assertEquals(
                List.of("redis.uri", "token"),
                failed().faults().stream().map(Fault::key).toList());
        assertFalse(failed().getMessage().contains(SECRET));
    }

    @Test
    void keeps_a_value_with_line_breaks_on_one_line() {
        env("DELAYQ_NAMESPACE", "a\n  b: fine\u0000");
        assertEquals("a?  b: fine?", onlyFault().given());
    }

    @Test
    void cuts_a_long_value() {
        env("DELAYQ_NAMESPACE", "x".repeat(10_000));
        assertTrue(onlyFault().given().length() < 100);
    }
}
