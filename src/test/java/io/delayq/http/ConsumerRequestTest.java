package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.delayq.job.When;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsumerRequestTest {
    private static final long NOW = 1_800_000_000_000L;

    @Test
    void reads_reserve_with_its_defaults() {
        assertEquals(new ConsumerRequest.Reserve(1, 0), ConsumerRequest.reserve(bytes("")));
        assertEquals(new ConsumerRequest.Reserve(1, 0), ConsumerRequest.reserve(bytes("{}")));
        assertEquals(
                new ConsumerRequest.Reserve(10, 20_000),
                ConsumerRequest.reserve(bytes("{\"max\":10,\"wait\":\"20s\"}")));
        assertEquals(
                new ConsumerRequest.Reserve(1_000, 60_000),
                ConsumerRequest.reserve(bytes("{\"max\":1000,\"wait\":60000}")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/max | {\"max\":0}",
                "/max | {\"max\":1001}",
                "/max | {\"max\":1.0}",
                "/max | {\"max\":null}",
                "/max | {\"max\":4294967297}",
                "/max | {\"max\":\"1\"}",
                "/wait | {\"wait\":60001}",
                "/wait | {\"wait\":-1}",
                "/wait | {\"wait\":\"2m\"}",
                "/lease | {\"lease\":\"x\"}",
                "'' | []",
                "'' | null"
            })
    void refuses_bad_reserves(String pointer, String json) {
        assertEquals(List.of(pointer), faults(ConsumerRequest::reserve, json));
    }

    @Test
    void takes_any_text_as_a_lease() {
        for (String lease : List.of("", "abc", "x".repeat(10_000), "é😀", " ")) {
            assertEquals(
                    lease,
                    ConsumerRequest.ack(bytes("{\"lease\":\"" + lease + "\"}")).lease());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"lease\":null}", "{\"lease\":7}", "{\"lease\":[\"a\"]}"})
    void refuses_an_ack_without_a_text_for_a_lease(String json) {
        assertEquals(List.of("/lease"), faults(ConsumerRequest::ack, json));
        assertEquals(List.of("/lease"), faults(ConsumerRequest::nack, json));
        assertEquals(List.of("/lease"), faults(ConsumerRequest::extend, json));
    }

    @Test
    void reads_nack_and_extend() {
        assertEquals(new ConsumerRequest.Nack("l", null, null), ConsumerRequest.nack(bytes("{\"lease\":\"l\"}")));
        assertEquals(
                new ConsumerRequest.Nack("l", 5_000L, "why"),
                ConsumerRequest.nack(bytes("{\"error\":\"why\",\"delay\":\"5s\",\"lease\":\"l\"}")));
        assertEquals(
                new ConsumerRequest.Nack("l", 0L, ""),
                ConsumerRequest.nack(bytes("{\"error\":\"\",\"delay\":0,\"lease\":\"l\"}")));
        assertEquals(new ConsumerRequest.Extend("l", null), ConsumerRequest.extend(bytes("{\"lease\":\"l\"}")));
        assertEquals(
                new ConsumerRequest.Extend("l", 60_000L),
                ConsumerRequest.extend(bytes("{\"lease\":\"l\",\"ttr\":\"60s\"}")));
    }

    @Test
    void names_all_faults_of_a_nack() {
        assertEquals(
                List.of("/delay", "/error", "/eror", "/lease"),
                faults(ConsumerRequest::nack, "{\"delay\":null,\"error\":null,\"eror\":1}"));
        assertEquals(List.of("/ttr"), faults(ConsumerRequest::extend, "{\"lease\":\"l\",\"ttr\":\"25h\"}"));
        assertEquals(List.of("/ttr"), faults(ConsumerRequest::ack, "{\"lease\":\"l\",\"ttr\":\"5s\"}"));
    }

    @Test
    void counts_an_error_in_bytes_up_to_4_kib() {
        String largest = "é".repeat(2_048);
        assertEquals(
                largest,
                ConsumerRequest.nack(bytes("{\"lease\":\"l\",\"error\":\"" + largest + "\"}"))
                        .error());
        assertEquals(
                List.of("/error"), faults(ConsumerRequest::nack, "{\"lease\":\"l\",\"error\":\"" + largest + "x\"}"));
    }

    @Test
    void reads_many_acks() {
        assertEquals(
                List.of(new ConsumerRequest.Held("a", "1"), new ConsumerRequest.Held("a/b", "")),
                ConsumerRequest.acks(
                        bytes("{\"jobs\":[{\"id\":\"a\",\"lease\":\"1\"},{\"lease\":\"\",\"id\":\"a/b\"}]}")));
        assertEquals(1_000, ConsumerRequest.acks(bytes(acks(1_000))).size());
    }

    @Test
    void refuses_bad_acks_with_all_faults() {
        assertEquals(List.of("/jobs"), faults(ConsumerRequest::acks, acks(1_001)));
        assertEquals(List.of("/jobs"), faults(ConsumerRequest::acks, "{\"jobs\":[]}"));
        assertEquals(List.of("/jobs"), faults(ConsumerRequest::acks, "{\"jobs\":null}"));
        assertEquals(List.of("/jobs"), faults(ConsumerRequest::acks, "{}"));
        assertEquals(
                List.of("/jobs/0/lease", "/jobs/1", "/jobs/2/id", "/jobs/2/x", "/jobs/3/id", "/jobs/3/lease"),
                faults(
                        ConsumerRequest::acks,
                        "{\"jobs\":[{\"id\":\"a\"},7,{\"id\":\"\\n\",\"lease\":\"l\",\"x\":{}},{}]}"));
    }

    @Test
    void reads_a_new_time_and_asks_for_exactly_one() {
        assertEquals(When.in(5_000), ConsumerRequest.reschedule(bytes("{\"delay\":\"5s\"}"), NOW));
        assertEquals(When.in(0), ConsumerRequest.reschedule(bytes("{\"delay\":0}"), NOW));
        assertEquals(When.at(NOW), ConsumerRequest.reschedule(bytes("{\"at\":" + NOW + "}"), NOW));
        for (String json : List.of("{}", "{\"delay\":1,\"at\":1}", "{\"at\":null}", "{\"at\":1e3}")) {
            assertEquals(List.of("/at"), faults(b -> ConsumerRequest.reschedule(b, NOW), json));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "x",
                "{} x",
                "{\"lease\":\"l\",\"lease\":\"l\"}",
                "/**/{}",
                "{\"lease\":\"l\"}{",
                "{'lease':'l'}"
            })
    void refuses_what_is_not_json(String json) {
        List<Function<byte[], Object>> readers = List.of(
                ConsumerRequest::reserve,
                ConsumerRequest::ack,
                ConsumerRequest::nack,
                ConsumerRequest::extend,
                ConsumerRequest::acks,
                b -> ConsumerRequest.reschedule(b, NOW));
        for (Function<byte[], Object> reader : readers) {
            assertEquals(400, refused(reader, json).status());
        }
    }

    @Test
    void refuses_an_empty_body_where_a_field_is_required() {
        assertEquals(400, refused(ConsumerRequest::ack, "").status());
        assertEquals(
                413, refused(ConsumerRequest::ack, " ".repeat((1 << 20) + 1)).status());
    }

    private static String acks(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"id\":\"" + i + "\",\"lease\":\"l\"}")
                .collect(Collectors.joining(",", "{\"jobs\":[", "]}"));
    }

    private static List<String> faults(Function<byte[], Object> reader, String json) {
        return refused(reader, json).faults().stream()
                .map(Faults.Fault::pointer)
                .toList();
    }

    private static Problem refused(Function<byte[], Object> reader, String json) {
        return assertThrows(Problem.class, () -> reader.apply(bytes(json)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
