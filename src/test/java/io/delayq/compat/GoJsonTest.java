package io.delayq.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Go's encoding/json says and does. */
class GoJsonTest {
    private static final GoJson.Struct STRUCT = new GoJson.Struct("p.S", List.of("text"), List.of("number"));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static GoJson.Fields read(String json) throws GoJson.Fault {
        return GoJson.read(bytes(json), STRUCT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            textBlock =
                    """
                    {                   | unexpected end of JSON input
                    {"a"                | unexpected end of JSON input
                    {"a":"              | unexpected end of JSON input
                    {"a":tr             | unexpected end of JSON input
                    {"a":1,             | unexpected end of JSON input
                    [1                  | unexpected end of JSON input
                    -                   | unexpected end of JSON input
                    x                   | invalid character 'x' looking for beginning of value
                    ]                   | invalid character ']' looking for beginning of value
                    [1,]                | invalid character ']' looking for beginning of value
                    {a:1}               | invalid character 'a' looking for beginning of object key string
                    {,}                 | invalid character ',' looking for beginning of object key string
                    {"a":1,}            | invalid character '}' looking for beginning of object key string
                    {"a" 1}             | invalid character '1' after object key
                    {"a":1 "b":2}       | invalid character '"' after object key:value pair
                    [1 2]               | invalid character '2' after array element
                    {} {}               | invalid character '{' after top-level value
                    {}'                 | invalid character '\\'' after top-level value
                    01                  | invalid character '1' after top-level value
                    -a                  | invalid character 'a' in numeric literal
                    1.a                 | invalid character 'a' after decimal point in numeric literal
                    1ea                 | invalid character 'a' in exponent of numeric literal
                    tru3                | invalid character '3' in literal true (expecting 'e')
                    nil                 | invalid character 'i' in literal null (expecting 'u')
                    fals_               | invalid character '_' in literal false (expecting 'e')
                    "\\x"               | invalid character 'x' in string escape code
                    "\\u12g4"           | invalid character 'g' in \\u hexadecimal character escape
                    中                  | invalid character 'ä' looking for beginning of value
                    {"text":1}          | json: cannot unmarshal number into Go struct field S.text of type string
                    {"text":true}       | json: cannot unmarshal bool into Go struct field S.text of type string
                    {"text":{}}         | json: cannot unmarshal object into Go struct field S.text of type string
                    {"text":[]}         | json: cannot unmarshal array into Go struct field S.text of type string
                    {"number":"1"}      | json: cannot unmarshal string into Go struct field S.number of type int64
                    {"number":1.0}      | json: cannot unmarshal number 1.0 into Go struct field S.number of type int64
                    {"number":1e2}      | json: cannot unmarshal number 1e2 into Go struct field S.number of type int64
                    {"text":1,"number":"x"} | json: cannot unmarshal number into Go struct field S.text of type string
                    {"text":1,"number"} | invalid character '}' after object key
                    []                  | json: cannot unmarshal array into Go value of type p.S
                    "a"                 | json: cannot unmarshal string into Go value of type p.S
                    7                   | json: cannot unmarshal number into Go value of type p.S
                    true                | json: cannot unmarshal bool into Go value of type p.S
                    """)
    void says_what_go_says(String json, String message) {
        assertEquals(message, assertThrows(GoJson.Fault.class, () -> read(json)).getMessage());
    }

    @Test
    void control_characters_are_shown_as_go_shows_them() {
        assertEquals(
                "invalid character '\\n' in string literal",
                assertThrows(GoJson.Fault.class, () -> read("\"a\nb\"")).getMessage());
        assertEquals(
                "invalid character '\\x00' looking for beginning of value",
                assertThrows(GoJson.Fault.class, () -> read("\0")).getMessage());
        assertEquals(
                "unexpected end of JSON input",
                assertThrows(GoJson.Fault.class, () -> read("")).getMessage());
    }

    @Test
    void takes_names_in_any_case_ignores_others_and_null_and_the_last_of_two_counts() throws GoJson.Fault {
        GoJson.Fields fields = read(
                " {\"TEXT\":\"a\",\"x\":{\"text\":1},\"Text\":\"b\",\"text\":null,\"number\":-9223372036854775808} ");
        assertEquals("b", fields.text("text"));
        assertEquals(Long.MIN_VALUE, fields.number("number"));
        assertEquals("", read("null").text("text"));
        assertEquals(0, read("{}").number("number"));
    }

    @Test
    void text_is_unescaped_and_well_formed() throws GoJson.Fault {
        assertEquals(
                "\"\\/\b\f\n\r\té😀\ufffd!\ufffd",
                read("{\"text\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\\ud800!\\udc00\"}")
                        .text("text"));
        byte[] broken = bytes("{\"text\":\"a?b\"}");
        broken[10] = (byte) 0xff;
        assertEquals("a\ufffdb", GoJson.read(broken, STRUCT).text("text"));
    }

    @Test
    void what_follows_the_first_value_may_be_left() throws GoJson.Fault {
        assertEquals("a", GoJson.readFirst(bytes("{\"text\":\"a\"} x"), STRUCT).text("text"));
    }

    @Test
    void depth_is_bounded() {
        assertEquals(
                "exceeded max depth",
                assertThrows(GoJson.Fault.class, () -> read("[".repeat(100_000)))
                        .getMessage());
    }
}
