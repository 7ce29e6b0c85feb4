package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plain",
                "\"",
                "\\",
                "a\"b\\c",
                "\n\r\t\b\f\0\u001f",
                "é€😀",
                "\u007f\u0085\u2028",
                "/",
                "a longer text with nothing to escape in it"
            })
    void writes_texts_that_read_back_the_same(String text) throws Exception {
        Buffer out = Buffer.buffer("[");
        Json.string(out, text);
        assertEquals(
                text,
                new ObjectMapper()
                        .readTree(out.appendString("]").getBytes())
                        .get(0)
                        .textValue());
    }

    @Test
    void writes_characters_beyond_ascii_as_utf_8_and_controls_as_escapes() {
        assertEquals("\"é😀\\u0001\\n\\\"\"", written("é😀\u0001\n\""));
    }

    @Test
    void writes_half_a_surrogate_pair_as_an_escape() {
        assertEquals("\"a\\ud83db\"", written("a\ud83db"));
        assertEquals("\"\\ude00\\ud83d\"", written("\ude00\ud83d"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "80",
                "bf",
                "c0 80",
                "c1 bf",
                "c3",
                "c3 28",
                "e0 80 80",
                "e0 9f bf",
                "e2 82",
                "e2 28 a1",
                "ed a0 80",
                "ed bf bf",
                "f0 80 80 80",
                "f0 8f bf bf",
                "f0 9f 98",
                "f4 90 80 80",
                "f5 80 80 80",
                "f8 88 80 80 80",
                "fe",
                "ff",
                "ef bb bf 7b 7d",
                "00 7b 00 7d",
                "7b 00 7d 00",
                "00 00 00 7b"
            })
    void refuses_bytes_that_are_not_utf_8_text(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        assertThrows(Problem.class, () -> Json.checkText(bytes));
    }

    @Test
    void agrees_with_the_jdk_on_what_is_utf_8() {
        Random random = new Random(42);
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = new byte[random.nextInt(12)];
            for (int j = 0; j < bytes.length; j++) {
                bytes[j] = (byte) (random.nextInt(3) == 0 ? 0x20 + random.nextInt(90) : 0x80 + random.nextInt(128));
            }
            assertEquals(
                    isUtf8(bytes),
                    Utf8.malformedAt(bytes, 0, bytes.length) < 0,
                    HexFormat.of().formatHex(bytes));
        }
    }

    @Test
    void takes_every_character_there_is() {
        StringBuilder all = new StringBuilder();
        for (int c = 1; c <= Character.MAX_CODE_POINT; c++) {
            if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
                all.appendCodePoint(c);
            }
        }
        byte[] bytes = all.toString().getBytes(StandardCharsets.UTF_8);
        assertDoesNotThrow(() -> Json.checkText(bytes));
    }

    private static String written(String text) {
        Buffer out = Buffer.buffer();
        Json.string(out, text);
        return out.toString();
    }

    private static boolean isUtf8(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
