package io.delayq.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class FenceTest {
    @Test
    void output_follows_commands_at_once_or_after_a_line_that_announces_it() {
        String markdown =
                """
                # Page
                ```sh
                one
                ```
                ```json
                1
                ```
                ```sh
                two
                ```
                A moment later:
                ```
                2
                ```
                ```sh
                three
                ```
                Here is something else.

                ```
                3
                ```
                """;
        assertEquals(
                List.of(
                        new Fence(2, "sh", "one\n", "1\n"),
                        new Fence(8, "sh", "two\n", "2\n"),
                        new Fence(15, "sh", "three\n", null)),
                Fence.all("page", markdown));
    }

    @Test
    void commands_that_nothing_would_run_are_a_fault() {
        assertThrows(AssertionError.class, () -> Fence.all("page", "```bash\necho\n```\n"));
        assertThrows(AssertionError.class, () -> Fence.all("page", "```python\nprint()\n```\n"));
        assertThrows(AssertionError.class, () -> Fence.all("page", "```\nbin/delayq topics\n```\n"));
        assertThrows(AssertionError.class, () -> Fence.all("page", "```\n$ ls\n```\n"));
    }
}
