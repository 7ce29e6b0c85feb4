package io.delayq.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopicAliasTest {
    @ParameterizedTest
    @CsvSource({
        "order, order",
        "a:b.c_d-e, a:b.c_d-e",
        "关闭, x:e585b3e997ad",
        "' b', x:2062",
        "-a, x:2d61",
        "x:6162, x:783a36313632",
        "x:, x:783a",
        "a/b, x:612f62",
    })
    void a_name_outside_our_characters_is_kept_as_hex_and_shown_as_it_was(String foreign, String ours) {
        assertEquals(ours, TopicAlias.of(foreign));
        assertEquals(foreign, TopicAlias.shown(ours));
        assertNull(Names.topicFault(ours));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x:", "x:6", "x:zz", "x:ff", "x:6162", "x:E585B3"})
    void what_only_looks_like_one_is_shown_as_it_is(String topic) {
        assertEquals(topic, TopicAlias.shown(topic));
    }
}
