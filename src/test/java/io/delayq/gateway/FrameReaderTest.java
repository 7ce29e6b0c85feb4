package io.delayq.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.gateway.ClientFrame.Settled;
import io.delayq.http.AnyTarget;
import io.delayq.http.Faults;
import io.delayq.http.Problem;
import io.delayq.http.ProblemType;
import io.delayq.http.Row;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FrameReaderTest {
    private static final long NOW = 1_798_761_600_000L;

    private static ClientFrame read(String message) {
        byte[] text = message.getBytes(StandardCharsets.UTF_8);
        return FrameReader.read(FrameReader.head(text), text, () -> "made", NOW, AnyTarget.ANY);
    }

    private static Problem refused(String message) {
        return assertThrows(Problem.class, () -> read(message));
    }

    private static List<String> pointers(Problem problem) {
        return problem.faults().stream().map(Faults.Fault::pointer).toList();
    }

    private static String repeated(String item, int count) {
        return IntStream.range(0, count).mapToObj(i -> item).collect(Collectors.joining(","));
    }

    @Test
    void reads_subscribe_with_and_without_prefetch() {
        assertEquals(
                new ClientFrame.Subscribe(null, "order", 7),
                read("{\"op\":\"subscribe\",\"topic\":\"order\",\"prefetch\":7}"));
        assertEquals(new ClientFrame.Subscribe(null, "order", 100), read("{\"op\":\"subscribe\",\"topic\":\"order\"}"));
    }

    @Test
    void reads_unsubscribe_and_ping() {
        assertEquals(new ClientFrame.Unsubscribe(null, "order"), read("{\"op\":\"unsubscribe\",\"topic\":\"order\"}"));
        assertEquals(new ClientFrame.Ping(null), read("{\"op\":\"ping\"}"));
    }

    @Test
    void reads_what_is_settled_with_what_each_kind_may_have() {
        assertEquals(
                new ClientFrame.Ack(null, "order", List.of(new Settled("a", "l", null, null))),
                read("{\"op\":\"ack\",\"topic\":\"order\",\"jobs\":[{\"id\":\"a\",\"lease\":\"l\"}]}"));
        assertEquals(
                new ClientFrame.Nack(
                        null,
                        "order",
                        List.of(new Settled("a", "l", 5_000L, "why"), new Settled("b", "m", null, null))),
                read("{\"op\":\"nack\",\"topic\":\"order\",\"jobs\":[{\"id\":\"a\",\"lease\":\"l\",\"delay\":\"5s\","
                        + "\"error\":\"why\"},{\"id\":\"b\",\"lease\":\"m\"}]}"));
        assertEquals(
                new ClientFrame.Extend(
                        null,
                        "order",
                        List.of(new Settled("a", "l", 60_000L, null), new Settled("b", "m", null, null))),
                read("{\"op\":\"extend\",\"topic\":\"order\",\"jobs\":[{\"id\":\"a\",\"lease\":\"l\",\"ttr\":60000},"
                        + "{\"id\":\"b\",\"lease\":\"m\"}]}"));
    }

    @Test
    void reads_cancel_and_push() {
        assertEquals(
                new ClientFrame.Cancel(null, "order", List.of("a", "b")),
                read("{\"op\":\"cancel\",\"topic\":\"order\",\"ids\":[\"a\",\"b\"]}"));
        ClientFrame.Push push = (ClientFrame.Push)
                read("{\"op\":\"push\",\"jobs\":[{\"topic\":\"t\",\"id\":\"x\",\"body\":1.0},{\"topic\":\"t\"}]}");
        assertEquals(List.of("x", "made"), push.rows().stream().map(Row::id).toList());
        assertEquals("1.0", push.rows().get(0).job().body().toString());
    }

    @Test
    void op_may_stand_last() {
        assertEquals(
                new ClientFrame.Subscribe(null, "order", 3),
                read("{\"prefetch\":3,\"topic\":\"order\",\"op\":\"subscribe\"}"));
        assertInstanceOf(ClientFrame.Push.class, read("{\"jobs\":[{\"topic\":\"t\"}],\"op\":\"push\"}"));
    }

    @Test
    void ref_of_each_scalar_kind_comes_back_as_spelled() {
        for (String ref : List.of(
                "7",
                "-0",
                "1.50",
                "1e400",
                "12345678901234567890123",
                "\"\\u00e9 \\/\"",
                "\"\"",
                "true",
                "false",
                "null")) {
            assertEquals(
                    ref, read("{\"op\":\"ping\", \"ref\" : " + ref + " }").ref().toString());
            assertEquals(
                    ref, read("{\"ref\":" + ref + ",\"op\":\"ping\"}").ref().toString());
        }
    }

    @Test
    void ref_is_known_even_if_the_rest_is_bad() {
        byte[] text = "{\"op\":\"dance\",\"ref\":9,\"more\":{}}".getBytes(StandardCharsets.UTF_8);
        assertEquals("9", FrameReader.head(text).ref().toString());
    }

    @Test
    void ref_that_is_no_scalar_or_too_long_is_a_fault() {
        for (String ref : List.of("{}", "[]", "{\"a\":1}", "[[1]]")) {
            Problem problem = refused("{\"op\":\"ping\",\"ref\":" + ref + "}");
            assertEquals(List.of("/ref"), pointers(problem));
            assertEquals(ProblemType.INVALID_REQUEST, problem.type());
        }
        assertNotNull(
                read("{\"op\":\"ping\",\"ref\":\"" + "x".repeat(4_094) + "\"}").ref());
        assertEquals(List.of("/ref"), pointers(refused("{\"op\":\"ping\",\"ref\":\"" + "x".repeat(4_095) + "\"}")));
    }

    @Test
    void op_that_is_unknown_absent_or_no_text_is_a_fault_that_names_the_known_ones() {
        for (String message : List.of(
                "{\"op\":\"dance\"}", "{}", "{\"op\":7}", "{\"op\":\"PING\"}", "{\"op\":\"jobs\"}", "{\"op\":null}")) {
            Problem problem = refused(message);
            assertEquals(List.of("/op"), pointers(problem), message);
            assertEquals(
                    "expected one of ack, cancel, extend, nack, ping, push, subscribe, unsubscribe", problem.detail());
        }
    }

    @Test
    void a_message_that_is_no_json_object_is_refused() {
        for (String message : List.of(
                "",
                " ",
                "garbage",
                "[]",
                "7",
                "\"ping\"",
                "{\"op\":\"ping\"",
                "{\"op\":\"ping\"}{}",
                "{\"op\":\"ping\",\"op\":\"ping\"}",
                "{op:\"ping\"}",
                "{\"op\":\"ping\",}",
                "/*a*/{\"op\":\"ping\"}")) {
            assertEquals(ProblemType.INVALID_REQUEST, refused(message).type(), message);
        }
    }

    @Test
    void an_unknown_field_is_a_fault_that_names_the_nearest_known_one() {
        Problem problem = refused("{\"op\":\"subscribe\",\"topic\":\"t\",\"prefetsch\":3}");
        assertEquals(
                List.of(new Faults.Fault("/prefetsch", "unknown field; did you mean prefetch?")), problem.faults());
        Problem inside =
                refused("{\"op\":\"ack\",\"topic\":\"t\",\"jobs\":[{\"id\":\"a\",\"lease\":\"l\",\"leese\":1}]}");
        assertEquals(List.of(new Faults.Fault("/jobs/0/leese", "unknown field; did you mean lease?")), inside.faults());
    }

    @Test
    void a_field_of_another_op_is_unknown() {
        assertEquals(
                List.of("/prefetch"), pointers(refused("{\"op\":\"unsubscribe\",\"topic\":\"t\",\"prefetch\":3}")));
        assertEquals(
                List.of("/jobs/0/delay"),
                pointers(refused(
                        "{\"op\":\"ack\",\"topic\":\"t\",\"jobs\":[{\"id\":\"a\",\"lease\":\"l\",\"delay\":1}]}")));
        assertEquals(
                List.of("/jobs/0/ttr"),
                pointers(refused(
                        "{\"op\":\"nack\",\"topic\":\"t\",\"jobs\":[{\"id\":\"a\",\"lease\":\"l\",\"ttr\":100}]}")));
    }

    @Test
    void all_faults_are_told_at_once() {
        assertEquals(
                List.of("/prefetch", "/colour", "/topic"),
                pointers(refused("{\"op\":\"subscribe\",\"prefetch\":0,\"colour\":1}")));
        assertEquals(
                List.of("/topic", "/jobs/0/lease", "/jobs/1", "/jobs/2/id", "/jobs/2/delay"),
                pointers(refused("{\"op\":\"nack\",\"topic\":\"-\",\"jobs\":[{\"id\":\"a\"},7,"
                        + "{\"id\":\"..\",\"lease\":\"l\",\"delay\":\"soon\"}]}")));
    }

    @Test
    void what_an_op_needs_is_missed() {
        assertEquals(List.of("/topic"), pointers(refused("{\"op\":\"subscribe\"}")));
        assertEquals(List.of("/topic"), pointers(refused("{\"op\":\"unsubscribe\"}")));
        assertEquals(List.of("/topic", "/jobs"), pointers(refused("{\"op\":\"ack\"}")));
        assertEquals(List.of("/topic", "/jobs"), pointers(refused("{\"op\":\"nack\"}")));
        assertEquals(List.of("/topic", "/jobs"), pointers(refused("{\"op\":\"extend\"}")));
        assertEquals(List.of("/topic", "/ids"), pointers(refused("{\"op\":\"cancel\"}")));
        assertEquals(List.of("/jobs"), pointers(refused("{\"op\":\"push\"}")));
    }

    @Test
    void prefetch_has_bounds() {
        for (String good : List.of("1", "10000")) {
            assertEquals(
                    Integer.parseInt(good),
                    ((ClientFrame.Subscribe) read("{\"op\":\"subscribe\",\"topic\":\"t\",\"prefetch\":" + good + "}"))
                            .prefetch());
        }
        for (String bad : List.of("0", "-1", "10001", "1.0", "1e2", "\"7\"", "null", "99999999999999999999")) {
            assertEquals(
                    List.of("/prefetch"),
                    pointers(refused("{\"op\":\"subscribe\",\"topic\":\"t\",\"prefetch\":" + bad + "}")),
                    bad);
        }
    }

    @Test
    void one_to_a_thousand_jobs_are_settled_in_one_message() {
        String job = "{\"id\":\"a\",\"lease\":\"l\"}";
        for (String op : List.of("ack", "nack", "extend")) {
            String head = "{\"op\":\"" + op + "\",\"topic\":\"t\",\"jobs\":[";
            assertNotNull(read(head + repeated(job, 1_000) + "]}"));
            assertEquals(List.of("/jobs"), pointers(refused(head + repeated(job, 1_001) + "]}")));
            assertEquals(List.of("/jobs"), pointers(refused(head + "]}")));
        }
        String head = "{\"op\":\"cancel\",\"topic\":\"t\",\"ids\":[";
        assertEquals(
                1_000,
                ((ClientFrame.Cancel) read(head + repeated("\"a\"", 1_000) + "]}"))
                        .ids()
                        .size());
        assertEquals(List.of("/ids"), pointers(refused(head + repeated("\"a\"", 1_001) + "]}")));
        assertEquals(List.of("/ids"), pointers(refused(head + "]}")));
    }

    @Test
    void one_to_ten_thousand_jobs_are_pushed_in_one_message() {
        String job = "{\"topic\":\"t\"}";
        assertEquals(
                10_000,
                ((ClientFrame.Push) read("{\"op\":\"push\",\"jobs\":[" + repeated(job, 10_000) + "]}"))
                        .rows()
                        .size());
        assertEquals(List.of("/jobs"), pointers(refused("{\"op\":\"push\",\"jobs\":[" + repeated(job, 10_001) + "]}")));
        assertEquals(List.of("/jobs"), pointers(refused("{\"op\":\"push\",\"jobs\":[]}")));
        assertEquals(List.of("/jobs"), pointers(refused("{\"op\":\"push\",\"jobs\":{}}")));
    }

    @Test
    void pushed_rows_fail_alone() {
        ClientFrame.Push push = (ClientFrame.Push)
                read(
                        "{\"op\":\"push\",\"ref\":1,\"jobs\":[{\"topic\":\"t\",\"id\":\"a\"},"
                                + "{\"id\":\"b\",\"dealy\":1},7,{\"topic\":\"t\",\"id\":\"d\",\"delay\":-1},{\"topic\":\"t\",\"id\":\"e\"}]}");
        List<Row> rows = push.rows();
        assertEquals(List.of(0, 1, 2, 3, 4), rows.stream().map(Row::index).toList());
        assertNotNull(rows.get(0).job());
        assertEquals(List.of("/dealy", "/topic"), pointers(rows.get(1).problem()));
        assertEquals("b", rows.get(1).id());
        assertEquals(List.of(""), pointers(rows.get(2).problem()));
        assertEquals(List.of("/delay"), pointers(rows.get(3).problem()));
        assertNull(rows.get(4).problem());
    }

    @Test
    void a_fault_beside_the_pushed_rows_sinks_the_whole() {
        assertEquals(
                List.of("/topic"),
                pointers(refused("{\"op\":\"push\",\"jobs\":[{\"topic\":\"t\"},{}],\"topic\":\"t\"}")));
        assertTrue(refused("{\"op\":\"push\",\"jobs\":[{\"topic\":\"t\"},{]}")
                .detail()
                .startsWith("expected valid JSON"));
    }
}
