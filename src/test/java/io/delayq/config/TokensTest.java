package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings.Token;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokensTest extends LoadingTestBase {

    @Test
    void keeps_only_the_hash_of_a_token() {
        yaml =
                """
                tokens:
                  - name: a
                    token: secret
                    rights: [push, consume, push]
                    topics: ["mail.*", x]
                  - name: b
                    sha256: %s
                    rights: [admin]
                """
                        .formatted("AB".repeat(32));
        assertEquals(
                List.of(
                        new Token("a", HASH, List.of("push", "consume"), List.of("mail.*", "x")),
                        new Token("b", "ab".repeat(32), List.of("admin"), List.of("*"))),
                loaded().tokens());
    }

    @Test
    void reports_all_that_is_wrong_with_tokens_and_never_the_secret() {
        yaml =
                """
                tokens:
                  - {name: a b, token: "%1$s with space", rights: [push], topics: [a/b]}
                  - {name: ok, sha256: %1$s, rights: [pusch]}
                  - {name: ok, token: %1$s, sha256: %1$s, rights: []}
                  - {name: c, rights: push, topics: []}
                  - {name: d, tokn: %1$s, token: x, rights: [push]}
                  - %1$s
                  - {name: e, token: x, rights: [[push]]}
                """
                        .formatted(SECRET);
        List<String> keys = failed().faults().stream().map(Fault::key).toList();
        assertEquals(
                List.of(
                        "tokens[0].name",
                        "tokens[0].token",
                        "tokens[0].topics",
                        "tokens[1].sha256",
                        "tokens[1].rights",
                        "tokens[2].name",
                        "tokens[2]",
                        "tokens[2].rights",
                        "tokens[3]",
                        "tokens[3].rights",
                        "tokens[3].topics",
                        "tokens[4].tokn",
                        "tokens[5]",
                        "tokens[6].token",
                        "tokens[6].rights[0]"),
                keys);
        assertFalse(failed().getMessage().contains(SECRET), failed().getMessage());
        assertTrue(failed().getMessage().contains("the nearest known field is token"), failed().getMessage());
    }

    @Test
    void refuses_a_token_that_YAML_would_change() {
        yaml = "tokens: [{name: a, token: 0123, rights: [push]}]";
        assertEquals("tokens[0].token", onlyFault().key());
        assertFalse(failed().getMessage().contains("0123"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "{\"token\":\"" + SECRET + "\"}", "[{\"token\":\"" + SECRET + "\"", SECRET, "3"})
    void refuses_tokens_that_are_no_JSON_list_without_showing_them(String json) {
        env("DELAYQ_TOKENS", json);
        assertEquals("tokens", onlyFault().key());
        assertEquals("(hidden)", onlyFault().given());
        assertFalse(failed().getMessage().contains(SECRET));
    }

    @Test
    void prints_settings_without_secrets() {
        env("DELAYQ_REDIS_URL", "redis://u:" + SECRET + "@h:1");
        env("DELAYQ_TOKENS", "[{\"name\":\"n\",\"token\":\"secret\",\"rights\":[\"push\"]}]");
        String printed = loaded().toString();
        assertFalse(printed.contains(SECRET) || printed.contains(HASH), printed);
        assertTrue(printed.contains("redis://h:1"), printed);
    }
}
