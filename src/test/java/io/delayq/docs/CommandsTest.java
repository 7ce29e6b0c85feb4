package io.delayq.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.SideBySide;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever types what the README and the examples say sees what they show. */
class CommandsTest {
    @Test
    @SideBySide
    void the_readme(@TempDir Path home) throws IOException {
        Reader.read(Path.of("README.md"), home);
    }

    @Test
    @SideBySide
    void the_examples(@TempDir Path home) throws IOException {
        Reader.read(Path.of("docs/examples/README.md"), home);
    }

    @Test
    void no_other_page_of_the_examples_is_left_out() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("docs/examples"))) {
            assertEquals(
                    List.of(Path.of("docs/examples/README.md")),
                    files.filter(file -> file.toString().endsWith(".md")).toList());
        }
    }
}
