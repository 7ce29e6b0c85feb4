package io.delayq.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** bin/delayq, where it has to build. */
class StartScriptTest {
    @Test
    void a_lock_that_cannot_be_made_is_told(@TempDir Path root) throws Exception {
        Path script = Files.createDirectory(root.resolve("bin")).resolve("delayq");
        Files.copy(Path.of("bin/delayq"), script);
        // no link, so nobody's lock, and in the way for good
        Path lock = Files.writeString(
                Files.createDirectories(root.resolve("build/run")).resolve("lock"), "");
        Path out = root.resolve("out.txt");
        Process process = new ProcessBuilder("bash", script.toString(), "version")
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertTrue(process.waitFor(20, TimeUnit.SECONDS), "waits for ever");
        } finally {
            process.destroyForcibly();
        }
        assertEquals(1, process.exitValue());
        String said = Files.readString(out);
        assertTrue(said.startsWith("delayq: cannot make the lock " + lock.toRealPath() + ": "), said);
        assertEquals(1, said.lines().count(), said);
    }
}
