package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LinesTest {
    private static final int LIMIT = 8;

    @Test
    void lines_are_the_same_however_the_bytes_are_cut() {
        String text = "a\n\nbc\r\n \t\r\n12345678\n12345678\r\n123456789\n\r\r\nä\nlast";
        List<String> expected = List.of("a", "bc", "12345678", "12345678", "too long: 9", "ä", "last");
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertEquals(expected, read(List.of(bytes)));
        for (int size = 1; size <= bytes.length; size++) {
            assertEquals(expected, read(chunks(bytes, size)), "in chunks of " + size);
        }
        for (int first = 0; first <= bytes.length; first++) {
            for (int second = first; second <= bytes.length; second++) {
                assertEquals(
                        expected,
                        read(List.of(
                                Arrays.copyOfRange(bytes, 0, first),
                                Arrays.copyOfRange(bytes, first, second),
                                Arrays.copyOfRange(bytes, second, bytes.length))));
            }
        }
    }

    @Test
    void random_lines_come_back_from_random_chunks() {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            List<String> expected = new ArrayList<>();
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(20); i > 0; i--) {
                int length = random.nextInt(LIMIT + 4);
                String line = "x".repeat(length);
                text.append(line).append(random.nextBoolean() ? "\n" : "\r\n");
                if (length > 0) {
                    expected.add(length > LIMIT ? "too long" : line);
                }
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            List<byte[]> chunks = new ArrayList<>();
            for (int at = 0; at < bytes.length; ) {
                int to = Math.min(bytes.length, at + 1 + random.nextInt(7));
                chunks.add(Arrays.copyOfRange(bytes, at, to));
                at = to;
            }
            List<String> found = read(chunks).stream()
                    .map(line -> line.replaceAll(": .*", ""))
                    .toList();
            assertEquals(expected, found, "round " + round);
        }
    }

    @Test
    void nothing_but_line_ends_is_no_line() {
        assertEquals(List.of(), read(List.of("\n\r\n\n  \n\t".getBytes(StandardCharsets.UTF_8))));
        assertEquals(List.of(), read(List.of()));
    }

    @Test
    void the_last_line_is_held_back_until_the_end() {
        Lines lines = new Lines(LIMIT);
        lines.add(new byte[] {'a', '\n', 'b'});
        assertArrayEquals(new byte[] {'a'}, lines.next().text());
        assertNull(lines.next());
        lines.end();
        assertArrayEquals(new byte[] {'b'}, lines.next().text());
        assertNull(lines.next());
    }

    @Test
    void a_line_of_any_length_keeps_no_more_than_the_limit() {
        Lines lines = new Lines(1 << 20);
        byte[] chunk = new byte[64 << 10];
        Arrays.fill(chunk, (byte) 'x');
        for (int i = 0; i < 4096; i++) {
            lines.add(chunk);
            assertNull(lines.next());
        }
        lines.add("\n{}\n".getBytes(StandardCharsets.UTF_8));
        Lines.Line line = lines.next();
        assertNull(line.text());
        assertEquals(4096L * (64 << 10), line.length());
        assertEquals(2, lines.next().length());
    }

    @Test
    void a_chunk_is_read_to_its_end_before_the_next_one() {
        Lines lines = new Lines(LIMIT);
        lines.add("a\nb\n".getBytes(StandardCharsets.UTF_8));
        lines.next();
        assertThrows(IllegalStateException.class, () -> lines.add(new byte[1]));
    }

    private static List<byte[]> chunks(byte[] bytes, int size) {
        List<byte[]> chunks = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += size) {
            chunks.add(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + size)));
        }
        return chunks;
    }

    private static List<String> read(List<byte[]> chunks) {
        Lines lines = new Lines(LIMIT);
        List<String> found = new ArrayList<>();
        for (byte[] chunk : chunks) {
            lines.add(chunk);
            take(lines, found);
        }
        lines.end();
        take(lines, found);
        return found;
    }

    private static void take(Lines lines, List<String> found) {
        for (Lines.Line line = lines.next(); line != null; line = lines.next()) {
            found.add(
                    line.text() == null
                            ? "too long: " + line.length()
                            : new String(line.text(), StandardCharsets.UTF_8));
        }
    }
}
