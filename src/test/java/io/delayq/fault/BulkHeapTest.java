package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.SideBySide;
import io.vertx.core.json.JsonObject;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** However much goes in or out, 64 MB of heap are enough, for the server and for the command line. */
class BulkHeapTest {
    private static final String HEAP = "64m";
    private static final int BODY_BYTES = 150_000;

    @TempDir
    Path dir;

    @Test
    @SideBySide
    void many_small_jobs_fit_too() throws Exception {
        try (ChildServer server = ChildServer.startWithin(HEAP, dir.resolve("data"))) {
            Path file = dir.resolve("jobs");
            int count = write(file, 6_000_000, 20);
            assertEquals(count, imported(server, file).getInteger("accepted"));
            assertFalse(server.log().contains("OutOfMemory"), server.log());
        }
    }

    @Test
    @SideBySide
    void an_import_and_an_export_of_80_mb_fit_into_64_mb() throws Exception {
        inAndOut(80_000_000L);
    }

    @Test
    @Tag("storm")
    void an_import_and_an_export_of_1_gb_fit_into_64_mb() throws Exception {
        inAndOut(1_000_000_000L);
    }

    private void inAndOut(long bytes) throws Exception {
        try (ChildServer server = ChildServer.startWithin(HEAP, dir.resolve("data"))) {
            Path file = dir.resolve("jobs");
            int count = write(file, bytes, BODY_BYTES);
            assertEquals(count, imported(server, file).getInteger("accepted"));
            JsonObject topic = server.send("GET", "/v1/topics/bulk", null).json();
            assertEquals(count, topic.getInteger("delayed"));
            Path out = dir.resolve("out");
            long begin = System.nanoTime();
            run(server, "export", "bulk", "-o", out.toString());
            System.out.printf("export of %d MB: %.1f s%n", bytes / 1_000_000, (System.nanoTime() - begin) / 1e9);
            try (Stream<String> lines = Files.lines(out)) {
                assertEquals(count, lines.count());
            }
            JsonObject again = imported(server, out);
            assertEquals(count, again.getInteger("existing"));
            assertEquals(0, again.getInteger("rejected"));
            assertFalse(server.log().contains("OutOfMemory"), server.log());
        }
    }

    private JsonObject imported(ChildServer server, Path file) throws Exception {
        long begin = System.nanoTime();
        String said = run(server, "import", "--json", file.toString());
        System.out.printf("import of %d MB: %.1f s%n", Files.size(file) / 1_000_000, (System.nanoTime() - begin) / 1e9);
        return new JsonObject(said);
    }

    /** The command in a process of its own; what it said to standard output. */
    private String run(ChildServer server, String... args) throws Exception {
        List<String> command = new ArrayList<>(ChildServer.java(HEAP));
        command.add("io.delayq.Main");
        command.addAll(List.of(args));
        Path out = Files.createTempFile(dir, "said", "");
        Path err = Files.createTempFile(dir, "err", "");
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(dir.toFile()).redirectOutput(out.toFile());
        builder.environment().put("DELAYQ_URL", "http://127.0.0.1:" + server.port());
        Process process = builder.redirectError(err.toFile()).start();
        try {
            assertTrue(process.waitFor(300, TimeUnit.SECONDS), "it does not end");
            assertEquals(0, process.exitValue(), Files.readString(err) + server.log());
            return Files.readString(out);
        } finally {
            process.destroyForcibly();
        }
    }

    private static int write(Path file, long bytes, int bodyBytes) throws IOException {
        String body = "x".repeat(bodyBytes);
        int count = 0;
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (long written = 0; written < bytes; count++) {
                String line =
                        "{\"topic\":\"bulk\",\"id\":\"" + count + "\",\"delay\":\"1d\",\"body\":\"" + body + "\"}\n";
                out.write(line);
                written += line.length();
            }
        }
        return count;
    }
}
