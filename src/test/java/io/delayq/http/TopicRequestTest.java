package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopicRequestTest {
    @Test
    void reads_the_ids_to_requeue() {
        assertEquals(List.of("a", "b/c", "é"), requeue("{\"ids\":[\"a\",\"b/c\",\"é\"]}"));
        assertEquals(1_000, requeue(ids(1_000)).size());
        assertEquals(1, requeue(ids(1)).size());
    }

    @Test
    void requeues_all_when_no_ids_are_given() {
        assertNull(requeue(""));
        assertNull(requeue("{}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/ids | {\"ids\":[]}",
                "/ids | {\"ids\":null}",
                "/ids | {\"ids\":\"a\"}",
                "/ids | {\"ids\":{\"a\":[]}}",
                "/ids/0 | {\"ids\":[7]}",
                "/ids/1 | {\"ids\":[\"a\",\"\"]}",
                "/ids/0 | {\"ids\":[\"..\"]}",
                "/ids/0 /ids/2 /id | {\"ids\":[null,\"a\",\"\\n\"],\"id\":\"a\"}",
                "'' | []"
            })
    void refuses_bad_ids_with_all_faults(String pointers, String json) {
        assertEquals(List.of(pointers.split(" ")), faults(TopicRequestTest::requeue, json));
    }

    @Test
    void refuses_more_than_1000_ids() {
        assertEquals(List.of("/ids"), faults(TopicRequestTest::requeue, ids(1_001)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", " { } "})
    void takes_nothing_in_either_form(String json) {
        assertDoesNotThrow(() -> nothing(json));
    }

    @Test
    void refuses_anything_where_nothing_is_expected() {
        assertEquals(List.of("/state", "/x"), faults(TopicRequestTest::nothing, "{\"state\":\"dead\",\"x\":[1]}"));
        assertEquals(List.of(""), faults(TopicRequestTest::nothing, "[]"));
        assertEquals(List.of(""), faults(TopicRequestTest::nothing, "null"));
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "{", "x", "{} x", "/**/{}", "{\"ids\":[\"a\"],\"ids\":[\"a\"]}"})
    void refuses_what_is_not_json(String json) {
        assertEquals(400, refused(TopicRequestTest::requeue, json).status());
        assertEquals(400, refused(TopicRequestTest::nothing, json).status());
    }

    private static String ids(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "\"" + i + "\"")
                .collect(Collectors.joining(",", "{\"ids\":[", "]}"));
    }

    private static List<String> requeue(String json) {
        return TopicRequest.requeue(json.getBytes(StandardCharsets.UTF_8));
    }

    private static void nothing(String json) {
        TopicRequest.nothing(json.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> faults(Consumer<String> reader, String json) {
        return refused(reader, json).faults().stream()
                .map(Faults.Fault::pointer)
                .toList();
    }

    private static Problem refused(Consumer<String> reader, String json) {
        return assertThrows(Problem.class, () -> reader.accept(json));
    }
}
