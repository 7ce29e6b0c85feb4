package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Backoff;
import io.delayq.job.Callback;
import io.delayq.job.JobOptions;
import io.delayq.job.NewJob;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.When;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobRequestTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final long TEN_YEARS = 3_650L * 86_400_000;

    // what is taken

    @Test
    void reads_every_field_of_the_contracts_example() {
        NewJob job = read(
                """
                { "id": "1001", "delay": "30m", "body": {"orderId": 1001},
                  "ttr": "60s", "retry": {"maxAttempts": 6, "backoff": ["5s","15s","30s","3m","1h","2h"]},
                  "callback": {"url": "https://shop.example/close", "method": "PUT", "headers": {"X-App": "shop"}},
                  "priority": "high", "ttl": "2h", "group": "customer-7" }
                """);
        assertEquals("order", job.topic());
        assertEquals("1001", job.id());
        assertEquals(When.in(1_800_000), job.when());
        assertEquals("{\"orderId\": 1001}", job.body().toString());
        assertEquals(
                new JobOptions(
                        60_000L,
                        new Retry(
                                6,
                                new Backoff.Steps(List.of(5_000L, 15_000L, 30_000L, 180_000L, 3_600_000L, 7_200_000L))),
                        new Callback("https://shop.example/close", "PUT", Map.of("X-App", "shop")),
                        Priority.HIGH,
                        7_200_000L,
                        "customer-7",
                        null),
                job.options());
    }

    @Test
    void makes_an_id_and_defaults_for_an_empty_object() {
        NewJob job = read("{}");
        assertEquals("made-1", job.id());
        assertEquals(When.NOW, job.when());
        assertSame(JobOptions.NONE, job.options());
        assertEquals("null", job.body().toString());
    }

    @Test
    void fills_a_backoff_object_from_the_defaults_and_leaves_absent_retry_parts_to_the_topic() {
        assertEquals(Retry.INHERITED, read("{\"retry\":{}}").options().retry());
        assertEquals(
                new Retry(0, null),
                read("{\"retry\":{\"maxAttempts\":0}}").options().retry());
        assertEquals(
                new Retry(null, Backoff.DEFAULT),
                read("{\"retry\":{\"backoff\":{}}}").options().retry());
        assertEquals(
                new Backoff.Exponential(0, 1.5, 600_000, 1),
                read("{\"retry\":{\"backoff\":{\"base\":0,\"factor\":1.5,\"jitter\":1e0}}}")
                        .options()
                        .retry()
                        .backoff());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0",
                "250 | 250",
                "\"250ms\" | 250",
                "\"1h30m\" | 5400000",
                "\"PT15M\" | 900000",
                "\"3650d\" | 315360000000",
                "315360000000 | 315360000000",
                "-0 | 0"
            })
    void reads_delays_as_number_or_text(String delay, long millis) {
        assertEquals(When.in(millis), read("{\"delay\":" + delay + "}").when());
    }

    @Test
    void reads_times_as_number_or_text_and_takes_past_ones() {
        assertEquals(When.at(NOW + 5), read("{\"at\":" + (NOW + 5) + "}").when());
        assertEquals(When.at(0), read("{\"at\":0}").when());
        assertEquals(When.at(0), read("{\"at\":\"1960-01-01T00:00:00Z\"}").when());
        assertEquals(
                When.at(1_900_000_000_500L),
                read("{\"at\":\"2030-03-17T19:46:40.5+02:00\"}").when());
        assertEquals(
                When.at(NOW + TEN_YEARS),
                read("{\"at\":" + (NOW + TEN_YEARS) + "}").when());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"b\":1.0,\"a\":1e5,\"x\":\"\\u00e9\"}",
                "null",
                "true",
                "false",
                "\"text with \\\"quotes\\\" and \\/ and é😀\"",
                "\"\\ud800 alone\"",
                "-0",
                "1E+400",
                "0.1000000000000000055511151231257827",
                "[ 1 , [ ] , { } , { \"a\" : [ { } ] } ]",
                "{\"b\":{\"a\":{}},\"a\":{\"a\":0}}",
                "\"\"",
                "[]",
                "{}"
            })
    void keeps_the_body_byte_for_byte(String body) {
        byte[] expected = body.getBytes(StandardCharsets.UTF_8);
        for (String form :
                List.of("{\"body\":%s}", "{\"id\":\"é\", \"body\" :\n\t%s , \"delay\":5}", " {\"body\": %s }\n")) {
            assertArrayEquals(expected, read(form.formatted(body)).body().getBytes());
        }
    }

    @Test
    void keeps_a_number_of_any_length_in_the_body() {
        for (String number : List.of("7".repeat(5_000), "0." + "3".repeat(200_000), "1e" + "9".repeat(5_000))) {
            assertEquals(number, read("{\"body\":" + number + "}").body().toString());
            assertEquals(
                    "[" + number + "]",
                    read("{\"body\":[" + number + "]}").body().toString());
        }
    }

    @Test
    void keeps_long_texts_and_names_in_the_body() {
        String body = "{\"" + "n".repeat(100_000) + "\":\"" + "é".repeat(50_000) + "\"}";
        assertEquals(body, read("{\"body\":" + body + "}").body().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"50%", "\\\"q\\\"", "it's", "😀", "a/b", "\\ud83d\\ude00", "%2e%2e", "a\\\\b"})
    void takes_odd_ids(String spelled) {
        String id = read("{\"id\":\"" + spelled + "\"}").id();
        assertEquals(
                spelled.replace("\\ud83d\\ude00", "😀").replace("\\\"", "\"").replace("\\\\", "\\"), id);
    }

    @Test
    void takes_the_paths_id_for_put_and_the_same_one_inside() {
        assertEquals(
                "a/b",
                JobRequest.one("t", "a/b", bytes("{}"), null, () -> "x", NOW, AnyTarget.ANY)
                        .id());
        assertEquals(
                "é",
                JobRequest.one("t", "é", bytes("{\"id\":\"\\u00e9\"}"), null, () -> "x", NOW, AnyTarget.ANY)
                        .id());
        Problem other =
                problem(() -> JobRequest.one("t", "a", bytes("{\"id\":\"b\"}"), null, () -> "x", NOW, AnyTarget.ANY));
        assertEquals(List.of("/id"), pointers(other));
    }

    @Test
    void keeps_a_valid_traceparent_and_drops_a_broken_one() {
        String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assertEquals(
                trace,
                JobRequest.one("t", null, bytes("{}"), trace, () -> "x", NOW, AnyTarget.ANY)
                        .options()
                        .traceparent());
        assertNull(JobRequest.one("t", null, bytes("{}"), "junk", () -> "x", NOW, AnyTarget.ANY)
                .options()
                .traceparent());
    }

    // what is not

    @Test
    void names_all_faults_at_once() {
        Problem problem = problem(
                """
                {"id":"a\\nb","delay":-1,"ttr":"1ms","retry":{"maxAttempts":1001,"backoff":["x",5,"31d"],"tries":3},
                 "callback":{"method":"DELETE","headers":{"Host":"x"}},"priority":"urgent","ttl":1,"group":"",
                 "dealy":5,"a/b~c":{"deep":[1]}}
                """);
        assertEquals(400, problem.status());
        assertEquals(
                List.of(
                        "/id",
                        "/delay",
                        "/ttr",
                        "/retry/maxAttempts",
                        "/retry/backoff/0",
                        "/retry/backoff/2",
                        "/retry/tries",
                        "/callback/method",
                        "/callback/headers/Host",
                        "/callback/url",
                        "/priority",
                        "/ttl",
                        "/group",
                        "/dealy",
                        "/a~1b~0c"),
                pointers(problem));
        assertTrue(problem.toJson().toString().contains("did you mean delay?"));
    }

    @Test
    void refuses_bad_names_in_the_path_together_with_faults_inside() {
        for (String topic : List.of("a{b", "..", "", "é")) {
            Problem problem = problem(
                    () -> JobRequest.one(topic, "a\nb", bytes("{\"ttr\":1}"), null, () -> "x", NOW, AnyTarget.ANY));
            assertEquals(List.of("/ttr", "/topic", "/id"), pointers(problem));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "18446744073709551621",
                "9223372036854775808",
                "1e400",
                "1.5",
                "1e3",
                "1.0",
                "-1",
                "315360000001",
                "null",
                "true",
                "[]",
                "{}",
                "[5]",
                "\"\"",
                "\"5\"",
                "\"5x\"",
                "\"1.5s\"",
                "\"-5s\"",
                "\"1e3ms\"",
                "\" 5s\"",
                "\"3651d\"",
                "\"99999999999999999999d\"",
                "\"P1Y\"",
                "\"PT\""
            })
    void refuses_delays_that_are_not_whole_durations_in_range(String delay) {
        assertEquals(List.of("/delay"), pointers(problem("{\"delay\":" + delay + "}")));
    }

    @Test
    void refuses_a_delay_of_a_million_digits_quickly() {
        assertEquals(List.of("/delay"), pointers(problem("{\"delay\":" + "9".repeat(1_000_000) + "}")));
        assertEquals(List.of("/delay"), pointers(problem("{\"delay\":\"" + "9".repeat(1_000_000) + "\"}")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-1",
                "1.5",
                "1e3",
                "18446744073709551621",
                "1e400",
                "2115360000001",
                "null",
                "false",
                "{}",
                "\"2030-01-31\"",
                "\"tomorrow\"",
                "\"1800000000000\"",
                "\"2040-01-01T00:00:00Z\"",
                "\"2030-01-31T12:00:00\""
            })
    void refuses_times_that_are_not_times_in_range(String at) {
        assertEquals(List.of("/at"), pointers(problem("{\"at\":" + at + "}")));
    }

    @Test
    void refuses_delay_and_at_together_even_if_one_is_bad() {
        assertEquals(List.of("/at"), pointers(problem("{\"delay\":1,\"at\":1}")));
        assertEquals(List.of("/delay", "/at"), pointers(problem("{\"delay\":null,\"at\":1}")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ttr | 99",
                "ttr | 86400001",
                "ttr | '\"25h\"'",
                "ttr | null",
                "ttr | 1e3",
                "ttl | 999",
                "ttl | '\"3651d\"'",
                "ttl | null",
                "priority | '\"HIGH\"'",
                "priority | 1",
                "priority | null",
                "priority | '\"\"'",
                "group | null",
                "group | 7",
                "group | '\"\"'",
                "group | '\"a\\u0000\"'",
                "group | '\"\\ud800\"'",
                "id | null",
                "id | 7",
                "id | '\"\"'",
                "id | '\".\"'",
                "id | '\"..\"'",
                "id | '\"\\n\"'",
                "id | '\"\\u0000\"'",
                "id | '\"\\u009f\"'",
                "id | '\"\\ud83d\"'",
                "id | []",
                "retry | null",
                "retry | 5",
                "retry | []",
                "callback | null",
                "callback | '\"http://a/\"'"
            })
    void refuses_fields_of_the_wrong_type_or_out_of_bounds(String field, String value) {
        assertEquals(List.of("/" + field), pointers(problem("{\"" + field + "\":" + value + "}")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/retry/maxAttempts | {\"maxAttempts\":-1}",
                "/retry/maxAttempts | {\"maxAttempts\":1001}",
                "/retry/maxAttempts | {\"maxAttempts\":4294967297}",
                "/retry/maxAttempts | {\"maxAttempts\":\"5\"}",
                "/retry/maxAttempts | {\"maxAttempts\":1e2}",
                "/retry/maxAttempts | {\"maxAttempts\":null}",
                "/retry/backoff | {\"backoff\":null}",
                "/retry/backoff | {\"backoff\":[]}",
                "/retry/backoff | {\"backoff\":\"5s\"}",
                "/retry/backoff/base | {\"backoff\":{\"base\":\"25h\"}}",
                "/retry/backoff/factor | {\"backoff\":{\"factor\":0.99}}",
                "/retry/backoff/factor | {\"backoff\":{\"factor\":10.01}}",
                "/retry/backoff/factor | {\"backoff\":{\"factor\":1e400}}",
                "/retry/backoff/factor | {\"backoff\":{\"factor\":\"2\"}}",
                "/retry/backoff/max | {\"backoff\":{\"max\":\"31d\"}}",
                "/retry/backoff/jitter | {\"backoff\":{\"jitter\":1.1}}",
                "/retry/backoff/jitter | {\"backoff\":{\"jitter\":-0.1}}",
                "/retry/backoff/jiter | {\"backoff\":{\"jiter\":0.1}}",
                "/retry/backoff/1 | {\"backoff\":[\"5s\",null]}",
                "/retry/backoff/0 | {\"backoff\":[[5]]}"
            })
    void refuses_bad_retry_rules(String pointer, String retry) {
        assertEquals(List.of(pointer), pointers(problem("{\"retry\":" + retry + "}")));
    }

    @Test
    void takes_50_backoff_steps_and_no_more() {
        String fifty = IntStream.range(0, 50).mapToObj(Integer::toString).collect(Collectors.joining(","));
        read("{\"retry\":{\"backoff\":[" + fifty + "]}}");
        assertEquals(List.of("/retry/backoff"), pointers(problem("{\"retry\":{\"backoff\":[" + fifty + ",1]}}")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/close",
                "shop.example/close",
                "ftp://a/",
                "file:///etc/passwd",
                "http:///x",
                "http:a",
                "http://",
                "http://user:pw@a/",
                "http://user@a/",
                "http://a b/",
                "http://a/\\n",
                "http://a:99999/",
                "http://a:0/",
                "javascript:1",
                "//a/b",
                "http://é.example/",
                "http://a/é",
                "http://u@a_b/"
            })
    void refuses_callback_addresses_that_are_not_plain_absolute_http(String url) {
        assertEquals(List.of("/callback/url"), pointers(problem("{\"callback\":{\"url\":\"" + url + "\"}}")));
    }

    @Test
    void takes_callback_addresses_up_to_2_kib() {
        String url = "HTTP://[::1]:8080/?q=%20&x=" + "a".repeat(2_021);
        assertEquals(2_048, url.length());
        Callback callback =
                read("{\"callback\":{\"url\":\"" + url + "\"}}").options().callback();
        assertEquals(new Callback(url, "POST", Map.of()), callback);
        assertEquals(List.of("/callback/url"), pointers(problem("{\"callback\":{\"url\":\"" + url + "a\"}}")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"get\"", "\"DELETE\"", "\"\"", "null", "1"})
    void refuses_other_callback_methods(String method) {
        assertEquals(
                List.of("/callback/method"),
                pointers(problem("{\"callback\":{\"url\":\"http://a/\",\"method\":" + method + "}}")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"Host\":\"a\"",
                "\"content-LENGTH\":\"1\"",
                "\"Transfer-Encoding\":\"chunked\"",
                "\"Connection\":\"close\"",
                "\"Webhook-Id\":\"1\"",
                "\"DELAYQ-x\":\"1\"",
                "\"\":\"a\"",
                "\"a b\":\"a\"",
                "\"a:\":\"a\"",
                "\"é\":\"a\"",
                "\"a\\r\\nb\":\"a\"",
                "\"a\":\"x\\r\\ny\"",
                "\"a\":\"x\\u0000\"",
                "\"a\":\"x\\u007f\"",
                "\"a\":\"é\"",
                "\"a\":\"\\u010a\"",
                "\"a\":1",
                "\"a\":null",
                "\"a\":[\"b\"]"
            })
    void refuses_headers_that_could_break_the_request(String header) {
        Problem problem = problem("{\"callback\":{\"url\":\"http://a/\",\"headers\":{" + header + "}}}");
        assertEquals(1, problem.faults().size());
        assertTrue(problem.faults().get(0).pointer().startsWith("/callback/headers/"));
    }

    @Test
    void refuses_headers_twice_in_different_case_and_never_quotes_their_values() {
        Problem twice = problem("{\"callback\":{\"url\":\"http://a/\",\"headers\":{\"X-A\":\"1\",\"x-a\":\"2\"}}}");
        assertEquals(List.of("/callback/headers/x-a"), pointers(twice));
        Problem secret = problem("{\"callback\":{\"url\":\"http://a/\",\"headers\":{\"X-A\":\"s3cret\\n\"}}}");
        assertTrue(!secret.toJson().toString().contains("s3cret"));
    }

    @Test
    void takes_20_headers_and_4_kib_of_them() {
        String twenty =
                IntStream.range(0, 20).mapToObj(i -> "\"h" + i + "\":\"v\"").collect(Collectors.joining(","));
        String form = "{\"callback\":{\"url\":\"http://a/\",\"headers\":{%s}}}";
        assertEquals(
                20, read(form.formatted(twenty)).options().callback().headers().size());
        assertEquals(List.of("/callback/headers"), pointers(problem(form.formatted(twenty + ",\"one-more\":\"\""))));
        read(form.formatted("\"a\":\"" + "v".repeat(4_095) + "\""));
        assertEquals(
                List.of("/callback/headers"), pointers(problem(form.formatted("\"a\":\"" + "v".repeat(4_096) + "\""))));
    }

    @Test
    void refuses_a_topic_inside_when_the_path_has_it() {
        assertEquals(List.of("/topic"), pointers(problem("{\"topic\":\"order\"}")));
    }

    // not JSON

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "x",
                "{",
                "}",
                "{\"a\"",
                "{\"body\":",
                "{\"body\":}",
                "{\"body\":1,}",
                "{\"body\":[1,]}",
                "{\"body\":1}x",
                "{} {}",
                "{}]",
                "{},",
                "{}//c",
                "// c\n{}",
                "/* c */{}",
                "{\"body\":/* c */1}",
                "# c\n{}",
                "{\"body\":01}",
                "{\"body\":-01}",
                "{\"body\":+1}",
                "{\"body\":.5}",
                "{\"body\":5.}",
                "{\"body\":1e}",
                "{\"body\":0x10}",
                "{\"body\":NaN}",
                "{\"body\":Infinity}",
                "{\"body\":-Infinity}",
                "{\"body\":[NaN]}",
                "{'body':1}",
                "{\"body\":'a'}",
                "{body:1}",
                "{\"body\":\"a\nb\"}",
                "{\"body\":\"a\tb\"}",
                "{\"body\":\"\\x\"}",
                "{\"body\":\"\\u12G4\"}",
                "{\"body\":{\"a\":\"\\x\"}}",
                "{\"body\":tru}",
                "{\"body\":nulll}",
                "{\"body\":True}",
                "{\"body\":[1 2]}",
                "{\"body\":{\"a\" 1}}",
                "{\"body\":[1}",
                "{\"body\":\"a}",
                "{\"body\":1 2}",
                "{\"body\":-}",
                "{\"body\":\"a\0b\"}",
                "{\"body\":1}\0",
                "{\"body\":1\0}",
                "{\"body\":{,}}",
                "{,}",
                "{\"body\"::1}",
                "\ufeff{}"
            })
    void refuses_what_is_not_json(String json) {
        assertEquals(400, problem(json).status());
        assertEquals(400, problem("{\"body\":" + json + "").status());
        String detail = problem(json).detail();
        assertFalse(detail.contains("Source") || detail.contains("Feature"), "the parser's own words: " + detail);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "null", "1", "\"a\"", "true", "[{}]"})
    void refuses_json_that_is_not_an_object(String json) {
        assertEquals(List.of(""), pointers(problem(json)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/delay | {\"delay\":1,\"delay\":1}",
                "/body | {\"body\":1,\"ttr\":1,\"body\":1}",
                "/body/a | {\"body\":{\"a\":1,\"a\":1}}",
                "/body/0/b/c | {\"body\":[{\"b\":{\"c\":1,\"d\":2,\"e\":3,\"c\":4}}]}",
                "/body/a | {\"body\":{\"a\":1,\"\\u0061\":1}}",
                "/retry/maxAttempts | {\"retry\":{\"maxAttempts\":1,\"maxAttempts\":1}}",
                "/retry/backoff/base | {\"retry\":{\"backoff\":{\"base\":1,\"base\":1}}}",
                "/callback/url | {\"callback\":{\"url\":\"http://a/\",\"url\":\"http://a/\"}}",
                "/callback/headers/a | {\"callback\":{\"headers\":{\"a\":\"\",\"a\":\"\"}}}",
                "/nonsense/x | {\"nonsense\":{\"x\":1,\"x\":1}}"
            })
    void refuses_duplicate_keys_at_every_level(String pointer, String json) {
        Problem problem = problem(json);
        assertEquals(400, problem.status());
        assertEquals(List.of(pointer), pointers(problem));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "80",
                "c080",
                "c1bf",
                "c3",
                "e08080",
                "eda080",
                "edbfbf",
                "e282",
                "f0808080",
                "f09f98",
                "f4908080",
                "ff"
            })
    void refuses_malformed_utf_8_wherever_it_stands(String hex) {
        byte[] bad = HexFormat.of().parseHex(hex);
        for (String form :
                List.of("{\"body\":\"%\"}", "{\"body\":{\"%\":1}}", "{\"%\":1}", "{\"id\":\"%\"}", "%{}", "{}%")) {
            int at = form.indexOf('%');
            ByteArrayOutputStream json = new ByteArrayOutputStream();
            json.writeBytes(bytes(form.substring(0, at)));
            json.writeBytes(bad);
            json.writeBytes(bytes(form.substring(at + 1)));
            assertEquals(
                    400,
                    problem(() -> JobRequest.one("t", null, json.toByteArray(), null, () -> "x", NOW, AnyTarget.ANY))
                            .status());
        }
    }

    @Test
    void takes_100_levels_and_refuses_101_the_outermost_being_1() {
        assertEquals(198, read("{\"body\":" + nested(99) + "}").body().length());
        assertTrue(problem("{\"body\":" + nested(100) + "}").detail().contains("100 levels"));
        String objects = "{\"a\":".repeat(99) + "1" + "}".repeat(99);
        assertEquals(objects, read("{\"body\":" + objects + "}").body().toString());
        assertEquals(400, problem("{\"body\":{\"a\":" + objects + "}}").status());
    }

    @Test
    void refuses_depth_2000_and_half_a_million_as_bad_requests() {
        for (int depth : new int[] {2_000, 500_000}) {
            assertEquals(400, problem("{\"body\":" + nested(depth) + "}").status());
            assertEquals(400, problem("{\"retry\":" + nested(depth) + "}").status());
            assertEquals(400, problem("{\"body\":" + "[".repeat(depth)).status());
            assertEquals(400, problem("[".repeat(depth)).status());
        }
        assertEquals(400, problem("{\"a\":".repeat(2_000)).status());
    }

    // too large

    @Test
    void takes_a_body_of_256_kib_and_answers_413_beyond() {
        String largest = "\"" + "x".repeat((256 << 10) - 2) + "\"";
        assertEquals(256 << 10, read("{\"body\":" + largest + "}").body().length());
        Problem problem = problem("{\"body\":\"" + "x".repeat(300 << 10) + "\",\"ttr\":1}");
        assertEquals(413, problem.status());
        assertEquals(List.of("/body", "/ttr"), pointers(problem));
        assertEquals(413, problem("{\"body\":[" + "1,".repeat(150_000) + "1]}").status());
    }

    @Test
    void answers_413_for_a_request_over_1_mib() {
        assertEquals(413, problem("{}" + " ".repeat(1 << 20)).status());
    }

    @Test
    void bounds_the_answer_to_a_request_full_of_faults() {
        String fields =
                IntStream.range(0, 80_000).mapToObj(i -> "\"f" + i + "\":0").collect(Collectors.joining(","));
        Problem problem = problem("{" + fields + "}");
        assertTrue(problem.detail().startsWith("80000 faults"));
        assertTrue(problem.toJson().length() < 50_000);
        assertTrue(problem("{\"" + "n".repeat(900_000) + "\":\"" + "v".repeat(9) + "\"}")
                        .toJson()
                        .length()
                < 2_000);
    }

    private static NewJob read(String json) {
        return JobRequest.one("order", null, bytes(json), null, () -> "made-1", NOW, AnyTarget.ANY);
    }

    private static Problem problem(String json) {
        return problem(() -> read(json));
    }

    private static Problem problem(org.junit.jupiter.api.function.Executable call) {
        return assertThrows(Problem.class, call);
    }

    private static List<String> pointers(Problem problem) {
        return problem.faults().stream().map(Faults.Fault::pointer).toList();
    }

    private static String nested(int depth) {
        return "[".repeat(depth) + "]".repeat(depth);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
