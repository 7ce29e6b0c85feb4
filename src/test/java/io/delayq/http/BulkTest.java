package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.When;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BulkTest {
    private static final long NOW = 1_800_000_000_000L;

    @Test
    void reads_jobs_in_order_and_lets_a_bad_one_fail_alone() {
        List<Row> rows = readAll(
                """
                [ {"topic":"a","id":"1","delay":"5s","body":{"n": 1}},
                  {"topic":"a{b","id":"2","ttr":1},
                  {"id":"3"},
                  7, null, [],
                  {"topic":"b","body":[]} ]
                """);
        assertEquals(7, rows.size());
        assertEquals(When.in(5_000), rows.get(0).job().when());
        assertEquals("{\"n\": 1}", rows.get(0).job().body().toString());
        assertEquals("2", rows.get(1).id());
        assertNull(rows.get(1).topic());
        assertTrue(rows.get(1).problem().oneLine().startsWith("/topic expected"));
        assertTrue(rows.get(1).problem().oneLine().contains("; /ttr expected"));
        assertTrue(rows.get(2).problem().oneLine().startsWith("/topic expected"));
        for (int i = 3; i <= 5; i++) {
            assertEquals(400, rows.get(i).problem().status());
            assertEquals(i, rows.get(i).index());
        }
        assertEquals("made", rows.get(6).job().id());
        assertEquals("b", rows.get(6).topic());
    }

    @Test
    void keeps_bodies_byte_for_byte() {
        String body = "{\"b\":1.0,\"a\":1e5,\"x\":\"\\u00e9é\"}";
        List<Row> rows = readAll(
                "[{\"topic\":\"é\"},{\"topic\":\"a\",\"body\":" + body + "},{\"body\":" + body + ",\"topic\":\"a\"}]");
        assertEquals(body, rows.get(1).job().body().toString());
        assertEquals(body, rows.get(2).job().body().toString());
    }

    @Test
    void reads_at_most_a_slice_at_a_time() {
        Bulk bulk = bulk(jobs(25));
        assertTrue(bulk.next(10));
        assertEquals(0, bulk.rows().size(), "the first turn checks the text");
        assertTrue(bulk.next(10));
        assertEquals(10, bulk.rows().size());
        assertTrue(bulk.next(10));
        assertTrue(!bulk.next(10));
        assertEquals(25, bulk.rows().size());
    }

    @Test
    void ends_a_slice_early_when_jobs_are_large() {
        String job = "{\"topic\":\"a\",\"body\":\"" + "é".repeat(100_000) + "\"}";
        String json = IntStream.range(0, 20).mapToObj(i -> job).collect(Collectors.joining(",", "[", "]"));
        Bulk bulk = bulk(json);
        int turns = 1;
        while (bulk.next(10_000)) {
            turns++;
        }
        assertTrue(turns > 10, "turns: " + turns);
        assertTrue(bulk.rows().stream().allMatch(row -> row.problem() == null));
    }

    @Test
    void takes_no_jobs_and_10000_jobs_and_no_more() {
        assertEquals(0, readAll("[]").size());
        assertEquals(10_000, readAll(jobs(10_000)).size());
        assertEquals(413, refused(jobs(10_001)).status());
    }

    @Test
    void answers_413_beyond_16_mib() {
        assertEquals(413, refused("[" + " ".repeat(16 << 20) + "]").status());
    }

    @Test
    void fails_only_the_row_that_is_over_1_mib_or_has_a_large_body() {
        String large = "{\"topic\":\"a\",\"id\":\"x\",\"body\":1," + " ".repeat(1 << 20) + "\"ttr\":1000}";
        String fat = "{\"topic\":\"a\",\"body\":\"" + "x".repeat(300 << 10) + "\"}";
        List<Row> rows = readAll("[" + large + "," + fat + ",{\"topic\":\"a\"}]");
        assertEquals(413, rows.get(0).problem().status());
        assertEquals("x", rows.get(0).id());
        assertEquals(413, rows.get(1).problem().status());
        assertTrue(rows.get(1).problem().oneLine().startsWith("/body expected at most 256 KiB"));
        assertNotNull(rows.get(2).job());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{}",
                "null",
                "1",
                "[",
                "[{\"topic\":\"a\"}",
                "[{\"topic\":\"a\"},]",
                "[{\"topic\":\"a\"}]x",
                "[{\"topic\":\"a\"}][]",
                "[{\"topic\":\"a\"} {\"topic\":\"a\"}]",
                "[{\"topic\":\"a\"},{\"topic\"]",
                "[{\"topic\":\"a\"},// c\n{}]",
                "[{\"topic\":\"a\",\"topic\":\"a\"}]",
                "\ufeff[]",
                "[{\"body\":01}]"
            })
    void refuses_the_whole_of_what_is_not_an_array_of_json(String json) {
        assertEquals(400, refused(json).status());
    }

    @Test
    void names_the_place_of_a_duplicate_key_with_its_index() {
        Problem problem = refused("[{\"topic\":\"a\"},{\"topic\":\"a\",\"body\":{\"x\":1,\"x\":2}}]");
        assertEquals("/1/body/x", problem.faults().get(0).pointer());
    }

    @Test
    void refuses_malformed_utf_8_anywhere_and_takes_characters_across_check_turns() {
        for (int pad = 0; pad < 4; pad++) {
            String json = "[{\"topic\":\"a\",\"body\":\"" + "x".repeat(pad) + "\"},\"" + "😀".repeat(400_000) + "\"]";
            assertEquals(2, readAll(json).size());
        }
        byte[] bad = jobs(3).getBytes(StandardCharsets.UTF_8);
        bad[bad.length - 3] = (byte) 0x80;
        assertThrows(Problem.class, () -> readAll(new Bulk(bad, null, () -> "made", NOW, AnyTarget.ANY)));
    }

    @Test
    void refuses_depth_2000() {
        assertEquals(
                400,
                refused("[{\"topic\":\"a\",\"body\":" + "[".repeat(2_000) + "]".repeat(2_000) + "}]")
                        .status());
        assertEquals(400, refused("[".repeat(2_000) + "]".repeat(2_000)).status());
    }

    @Test
    void reads_one_line_and_lets_a_bad_one_fail_alone() {
        Row good = line("{\"topic\":\"a\",\"id\":\"1\"}");
        assertEquals("1", good.job().id());
        Row bad = line("{\"topic\":\"a\",\"id\":\"1\",\"ttr\":0}");
        assertEquals(List.of("a", "1"), List.of(bad.topic(), bad.id()));
        for (String broken : List.of("", "{", "[]", "{\"topic\":\"a\"}{}", "\"x", "{\"topic\":\"a\"} x", "\ufeff{}")) {
            assertEquals(400, line(broken).problem().status());
            assertNull(line(broken).job());
        }
        assertEquals(413, line("{}" + " ".repeat(1 << 20)).problem().status());
    }

    private static Row line(String json) {
        return JobRequest.line(4, json.getBytes(StandardCharsets.UTF_8), null, () -> "made", NOW, AnyTarget.ANY);
    }

    private static String jobs(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "{\"topic\":\"a\",\"id\":\"" + i + "\"}")
                .collect(Collectors.joining(",", "[", "]"));
    }

    private static Bulk bulk(String json) {
        return new Bulk(json.getBytes(StandardCharsets.UTF_8), null, () -> "made", NOW, AnyTarget.ANY);
    }

    private static List<Row> readAll(String json) {
        return readAll(bulk(json));
    }

    private static List<Row> readAll(Bulk bulk) {
        try (bulk) {
            boolean more = true;
            while (more) {
                more = bulk.next(100);
            }
            return bulk.rows();
        }
    }

    private static Problem refused(String json) {
        return assertThrows(Problem.class, () -> readAll(json));
    }
}
