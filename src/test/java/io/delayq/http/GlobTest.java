package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {
    @ParameterizedTest
    @CsvSource({
        "*, mail",
        "mail, mail",
        "mail*, mail",
        "mail*, mailbox",
        "mail.*, mail.",
        "*.eu, mail.eu",
        "a*b*c, abbabc",
        "a*b*c, abc",
        "**, x",
        "*a*, banana",
        "a.b, a.b"
    })
    void matches(String pattern, String topic) {
        assertTrue(Glob.matches(pattern, topic));
    }

    @ParameterizedTest
    @CsvSource({
        "mail, Mail",
        "mail, mails",
        "mail, mai",
        "mail.*, mailbox",
        "*.eu, mail.eu.x",
        "a*b*c, acb",
        "a*a, a",
        "a.b, axb",
        "a-*, a_1",
        "*x, mail"
    })
    void does_not_match(String pattern, String topic) {
        assertFalse(Glob.matches(pattern, topic));
    }

    @Test
    void agrees_with_a_regular_expression() {
        Random random = new Random(7);
        for (int i = 0; i < 50_000; i++) {
            String pattern = text(random, "ab.*", 6);
            String topic = text(random, "ab.", 8);
            String expression = pattern.replace(".", "\\.").replace("*", ".*");
            assertEquals(Pattern.matches(expression, topic), Glob.matches(pattern, topic), pattern + " and " + topic);
        }
    }

    @Test
    void takes_no_time_for_a_pattern_made_to_take_long() {
        assertTimeoutPreemptively(
                Duration.ofSeconds(5), () -> assertFalse(Glob.matches("*a".repeat(63) + "*b", "a".repeat(128))));
    }

    private static String text(Random random, String alphabet, int most) {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(most + 1); length > 0; length--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }
}
