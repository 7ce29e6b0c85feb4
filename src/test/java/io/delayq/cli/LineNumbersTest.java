package io.delayq.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LineNumbersTest {
    private final LineNumbers numbers = new LineNumbers();

    @Test
    void blank_lines_are_counted_however_the_bytes_are_cut() {
        byte[] text = "\n\r\na\nb\n \t\n\nc\nd\n\ne".getBytes(StandardCharsets.UTF_8);
        for (int size = 1; size <= text.length; size++) {
            LineNumbers own = new LineNumbers();
            for (int at = 0; at < text.length; at += size) {
                int length = Math.min(size, text.length - at);
                own.read(java.util.Arrays.copyOfRange(text, at, at + length), length);
            }
            assertEquals(5, own.jobs());
            long[] found = {own.of(0), own.of(1), own.of(2), own.of(3), own.of(4)};
            org.junit.jupiter.api.Assertions.assertArrayEquals(new long[] {3, 4, 7, 8, 10}, found);
        }
    }

    @Test
    void jobs_may_be_asked_for_while_more_is_read() {
        for (int i = 0; i < 1_000; i++) {
            numbers.read(new byte[] {'x', '\n', '\n'}, 3);
            assertEquals(2 * i + 1, numbers.of(i));
        }
    }

    @Test
    void jobs_that_nobody_asks_for_are_skipped() {
        numbers.read("a\n\nb\n\nc\n\n\nd".getBytes(StandardCharsets.UTF_8), 11);
        assertEquals(1, numbers.of(0));
        assertEquals(8, numbers.of(3));
    }
}
