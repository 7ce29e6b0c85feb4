package io.delayq.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
    @ParameterizedTest
    @ValueSource(strings = {"order", "0", "A.b_c:d-e", "9lives", "a.."})
    void takes_topics_of_letters_digits_and_four_marks(String topic) {
        assertNull(Names.topicFault(topic));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ".", "..", "a{b", "a}b", "-a", "_a", ":a", "a b", "a/b", "a%b", "é", "a\n", "a\0", "a*", "İ"
            })
    void refuses_other_topics(String topic) {
        assertNotNull(Names.topicFault(topic));
    }

    @Test
    void takes_a_topic_of_128_characters_and_no_longer() {
        assertNull(Names.topicFault("a".repeat(128)));
        assertNotNull(Names.topicFault("a".repeat(129)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1001", "50%", "\"quoted\"", "it's", "a/b/c", "😀", "...", " ", "a{b}c", "\\", "\u00a0", "é"})
    void takes_ids_of_any_text(String id) {
        assertNull(Names.idFault(id));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a\nb", "\0", "\t", "\u001f", "\u007f", "\u0080", "\u009f", "\ud83d", "\ude00", "a\ud83db"})
    void refuses_ids_that_are_empty_or_have_control_characters_or_half_a_pair(String id) {
        assertNotNull(Names.idFault(id));
    }

    @Test
    void refuses_dots_which_do_not_survive_in_a_path() {
        assertNotNull(Names.idFault("."));
        assertNotNull(Names.idFault(".."));
    }

    @Test
    void counts_ids_in_bytes_of_utf_8() {
        assertNull(Names.idFault("a".repeat(256)));
        assertNotNull(Names.idFault("a".repeat(257)));
        assertNull(Names.idFault("é".repeat(128)));
        assertNotNull(Names.idFault("é".repeat(128) + "a"));
        assertNull(Names.idFault("😀".repeat(64)));
        assertNotNull(Names.idFault("😀".repeat(64) + "a"));
        assertNull(Names.idFault("€".repeat(85) + "a"));
        assertNotNull(Names.idFault("€".repeat(86)));
    }

    @Test
    void names_the_word_that_was_probably_meant() {
        List<String> known = List.of("delay", "at", "body", "priority");
        assertEquals("delay", Names.nearest("dealy", known));
        assertEquals("delay", Names.nearest("Delay", known));
        assertEquals("priority", Names.nearest("prioritiy", known));
        assertNull(Names.nearest("colour", known));
        assertNull(Names.nearest("x", known));
        assertNull(Names.nearest("delay".repeat(1_000), known));
    }
}
