package io.delayq.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings;
import io.delayq.path.TestServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class BulkCommandsTest extends CliTestBase {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n";
    private static final String CHUNKED = OK + "Transfer-Encoding: chunked\r\n\r\n";

    @TempDir
    Path dir;

    @Test
    void import_says_what_became_of_the_jobs() {
        Said said = run("import", file(line("a"), "", line("b"), "", line("a")));
        assertEquals(0, said.code(), said.err());
        assertTrue(said.out().matches("2 stored, 1 already there, 0 refused in \\S+\n"), said.out());
        assertEquals("", said.err());
        assertEquals(200, server.get("/v1/topics/" + topic + "/jobs/b").status());
    }

    @Test
    void import_can_be_repeated() {
        String file = file(line("a"), line("b"));
        run("import", file);
        Said said = run("import", "--json", file);
        assertEquals(0, said.code(), said.err());
        assertEquals(
                "{\"accepted\":0,\"existing\":2,\"rejected\":0}", said.json().encode());
    }

    @Test
    void import_names_the_lines_that_were_refused_and_fails() throws IOException {
        Path rejected = dir.resolve("rejected");
        Said said =
                run("import", "--rejected", rejected.toString(), file(line("a"), "", "x\033[2J", "", line("b"), "[]"));
        assertEquals(1, said.code());
        assertTrue(said.out().startsWith("2 stored, 0 already there, 2 refused in "), said.out());
        List<String> lines = said.err().lines().toList();
        assertTrue(lines.get(0).startsWith("line 3: 400 expected valid JSON"), said.err());
        assertFalse(said.err().contains("\033"), said.err());
        assertTrue(lines.get(1).startsWith("line 6: 400 "), said.err());
        assertEquals("delayq: 2 of 4 jobs were refused; " + rejected + " has them", lines.get(2));
        List<String> rows = Files.readAllLines(rejected);
        assertEquals(2, rows.size());
        assertEquals(6, new JsonObject(rows.get(1)).getInteger("line"));
        assertEquals(3, new JsonObject(rows.get(1)).getInteger("index"));
    }

    @Test
    void import_names_20_refused_lines_and_counts_the_rest() throws IOException {
        Path rejected = dir.resolve("rejected");
        Said said = run("import", "--rejected=" + rejected, file("x\n".repeat(100)));
        assertEquals(22, said.err().lines().count(), said.err());
        assertTrue(said.err().contains("delayq: 100 of 100 jobs were refused"), said.err());
        assertEquals(100, Files.readAllLines(rejected).size());
    }

    @Test
    void import_reads_standard_input() {
        Said said = run(Map.of("DELAYQ_URL", url()), line("a") + "\n" + line("b"), "import", "-");
        assertEquals(0, said.code(), said.err());
        assertTrue(said.out().startsWith("2 stored"), said.out());
    }

    @Test
    void import_of_nothing_stores_nothing() {
        Said said = run("import", file());
        assertEquals(0, said.code(), said.err());
        assertTrue(said.out().startsWith("0 stored"), said.out());
    }

    /** Far more rows than the sockets hold: it would stand still if they were read only in the end. */
    @Test
    void import_reads_the_rows_while_it_sends() throws IOException {
        int count = 150_000;
        Path file = dir.resolve("many");
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append("{\"topic\":\"")
                    .append(topic)
                    .append("\",\"ttr\":0,\"id\":\"")
                    .append(i)
                    .append("\"}\n");
        }
        Files.writeString(file, text);
        Said said = run("import", "--json", file.toString());
        assertEquals(count, said.json().getInteger("rejected"), said.err());
    }

    @Test
    void import_without_a_file_or_a_server_fails_in_one_line() {
        Said none = run("import", dir.resolve("none").toString());
        assertEquals(1, none.code());
        assertEquals("delayq: there is no file " + dir.resolve("none") + "\n", none.err());
        Said away = run(Map.of("DELAYQ_URL", "http://127.0.0.1:1"), "", "import", file(line("a")));
        assertEquals(1, away.code());
        assertTrue(away.err().startsWith("delayq: no server at http://127.0.0.1:1; "), away.err());
    }

    @Test
    void import_tells_a_refusal_of_the_whole() {
        String problem = "{\"type\":\"/problems/unauthorized\",\"status\":401,\"detail\":\"expected a token\"}";
        Said said = against(
                "HTTP/1.1 401 Unauthorized\r\nContent-Length: " + problem.length() + "\r\n\r\n" + problem,
                "import",
                file((line("a") + "\n").repeat(10_000)));
        assertEquals(1, said.code());
        assertTrue(said.err().endsWith(" asks for a token; give one with --token or DELAYQ_TOKEN\n"), said.err());
    }

    @Test
    void import_without_a_token_stops_sending() {
        Settings.Token token = new Settings.Token("t", "0".repeat(64), List.of("push"), List.of("*"));
        try (TestServer guarded = TestServer.start(set -> new Settings(
                set.http(),
                set.dataDir(),
                set.redis(),
                set.namespace(),
                set.buckets(),
                set.instances(),
                List.of(token),
                set.insecure()))) {
            String file = file((line("a") + "\n").repeat(500_000));
            Said said = run(Map.of("DELAYQ_URL", "http://127.0.0.1:" + guarded.port()), "", "import", file);
            assertEquals(1, said.code());
            assertTrue(said.err().endsWith(" asks for a token; give one with --token or DELAYQ_TOKEN\n"), said.err());
        }
    }

    @Test
    void import_fails_when_the_answer_ends_early() {
        String row = "{\"index\":0,\"status\":201,\"topic\":\"t\",\"id\":\"a\"}\n";
        Said said = against(
                CHUNKED + Integer.toHexString(row.length()) + "\r\n" + row + "\r\n",
                "import",
                file("\n" + line("a"), line("b")));
        assertEquals(1, said.code());
        assertEquals("", said.out());
        assertTrue(said.err().startsWith("delayq: the connection ended before all was answered"), said.err());
        assertTrue(said.err().contains("1 stored, 0 already there, 0 refused"), said.err());
        assertTrue(said.err().contains("the first 2 lines"), said.err());
    }

    @Test
    void import_fails_when_jobs_are_left_unanswered() {
        String last = "{\"accepted\":0,\"rejected\":0}\n";
        Said said = against(
                CHUNKED + Integer.toHexString(last.length()) + "\r\n" + last + "\r\n0\r\n\r\n",
                "import",
                file(line("a")));
        assertEquals(1, said.code());
        assertTrue(said.err().contains("ended before all was answered"), said.err());
    }

    @Test
    void export_writes_the_file_when_it_is_complete() throws IOException {
        Path file = dir.resolve("out");
        Said said =
                against(CHUNKED + "6\r\n{\"ä\"}\r\n1\r\n\n\r\n3\r\n{}\n\r\n0\r\n\r\n", "export", "-o", file.toString());
        assertEquals(0, said.code(), said.err());
        assertEquals("{\"ä\"}\n{}\n", Files.readString(file));
        assertTrue(said.err().matches("2 jobs in \\S+\n"), said.err());
        assertFalse(Files.exists(dir.resolve("out.part")));
    }

    @Test
    void export_that_ends_early_fails_and_leaves_the_file_alone() throws IOException {
        Path file = dir.resolve("out");
        Files.writeString(file, "before");
        Said said = against(CHUNKED + "3\r\n{}\n\r\n", "export", "t", "-o", file.toString());
        assertEquals(1, said.code());
        assertTrue(said.err().startsWith("delayq: the export is not complete"), said.err());
        assertEquals("before", Files.readString(file));
        assertEquals("{}\n", Files.readString(dir.resolve("out.part")));
    }

    @Test
    void export_of_a_topic_that_is_not_there_fails() {
        Said said = run("export", topic);
        assertEquals(1, said.code());
        assertTrue(said.err().startsWith("delayq: there is no topic " + topic), said.err());
    }

    private String line(String id) {
        return "{\"topic\":\"" + topic + "\",\"id\":\"" + id + "\",\"delay\":\"1h\"}";
    }

    private String file(String... lines) {
        try {
            return Files.writeString(Files.createTempFile(dir, "jobs", ""), String.join("\n", lines))
                    .toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs it against a server that gives this answer to whatever it is asked, and closes. */
    private static Said against(String answer, String... args) {
        try (ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> serve(door, answer));
            Said said = run(Map.of("DELAYQ_URL", "http://127.0.0.1:" + door.getLocalPort()), "", args);
            served.join();
            return said;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void serve(ServerSocket door, String answer) {
        try (Socket socket = door.accept();
                InputStream in = socket.getInputStream();
                OutputStream out = socket.getOutputStream()) {
            StringBuilder seen = new StringBuilder();
            boolean lines = false;
            // an upload is read to its end, so that closing does not reset
            while (!seen.toString().endsWith(lines ? "\r\n0\r\n\r\n" : "\r\n\r\n") || seen.isEmpty()) {
                int c = in.read();
                if (c < 0) {
                    break;
                }
                seen.append((char) c);
                if (seen.length() > 4_000) {
                    seen.delete(0, 2_000);
                }
                lines |= seen.toString().contains("x-ndjson") && seen.toString().endsWith("\r\n\r\n");
            }
            out.write(answer.getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
