package io.delayq.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.TestRedis;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProgressTest {
    @Test
    void shows_how_much_how_fast_and_how_long_it_will_take() {
        assertEquals(
                "[############------------] 50%  12.0 MB of 24.0 MB  3.0 MB/s  1200 jobs, 300/s  4s left",
                Progress.line(12_000_000, 24_000_000, 1_200, 4_000));
        assertEquals(
                "[########################] 100%  24.0 MB of 24.0 MB  3.0 MB/s  8 jobs, 1/s",
                Progress.line(24_000_000, 24_000_000, 8, 8_000));
        assertEquals("0 B  0 B/s  0 jobs, 0/s", Progress.line(0, -1, 0, 0));
        assertEquals("1.5 kB  1.5 kB/s  3 jobs, 3/s", Progress.line(1_500, -1, 3, 1_000));
    }

    @Test
    void counts_jobs_where_there_are_no_bytes() {
        assertEquals(
                "[############------------] 50%  600 of 1200 jobs, 300/s  2s left", Progress.line(600, 1_200, 2_000));
        assertEquals("[########################] 100%  0 of 0 jobs, 0/s", Progress.line(0, 0, 0));
    }

    @Test
    void sizes_are_short() {
        assertEquals("999 B", Progress.size(999));
        assertEquals("1.0 kB", Progress.size(1_000));
        assertEquals("1.0 MB", Progress.size(999_960));
        assertEquals("1.0 GB", Progress.size(1_000_000_000));
    }

    @Test
    void is_drawn_on_a_terminal_and_cleared_and_nowhere_else() {
        StringWriter seen = new StringWriter();
        Progress bar = new Progress(new PrintWriter(seen), context(true), 100);
        bar.bytes(50);
        TestRedis.await("the bar", () -> seen.toString().contains("] 50%"));
        bar.say("a line");
        bar.close();
        assertTrue(seen.toString().contains("\r\033[Ka line\n"), seen.toString());
        assertTrue(seen.toString().endsWith("\r\033[K"), seen.toString());
        StringWriter plain = new StringWriter();
        try (Progress none = new Progress(new PrintWriter(plain), context(false), 100)) {
            none.say("a line");
        }
        assertEquals("a line\n", plain.toString());
    }

    private static Context context(boolean terminal) {
        return new Context(Map.of(), InputStream.nullInputStream(), terminal, "1", (file, flags) -> {});
    }
}
