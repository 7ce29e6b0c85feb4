package io.delayq.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.fault.ChildServer;
import io.delayq.redis.LeftBehind;
import io.delayq.redis.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as a process of its own that starts another one. */
class BackgroundTest {
    @TempDir
    private Path dir;

    private Path data;

    private record Said(int code, String text) {}

    @AfterEach
    void end() throws IOException {
        Path pidFile = dir.resolve("data/delayq.pid");
        if (Files.exists(pidFile)) {
            ProcessHandle.of(Long.parseLong(Files.readString(pidFile).strip()))
                    .ifPresent(ProcessHandle::destroyForcibly);
        }
        LeftBehind.killRedisOf(dir.resolve("data"));
    }

    @Test
    void serves_in_the_background_once_and_stops_at_sigterm() throws Exception {
        data = dir.resolve("data");
        Said first = run("serve", "-d", "--http.port=0", "--data.dir=" + data);
        assertEquals(0, first.code, first.text);
        assertTrue(first.text.startsWith("delayq listens on http://127.0.0.1:"), first.text);
        long pid = Long.parseLong(Files.readString(data.resolve("delayq.pid")).strip());
        ProcessHandle server = ProcessHandle.of(pid).orElseThrow();
        String url = first.text.split(" ")[3];
        String config = Files.writeString(dir.resolve("empty.yaml"), "{}\n").toString();

        CliTestBase.Said doctor =
                CliTestBase.run(Map.of(), "", "doctor", "-c", config, "--url=" + url, "--", "--data.dir=" + data);
        assertEquals(0, doctor.code(), doctor.out());
        assertTrue(doctor.out().contains("ok       persistence    append-only file"), doctor.out());
        assertTrue(doctor.out().endsWith("no problems\n"), doctor.out());

        CliTestBase.Said second =
                CliTestBase.run(Map.of(), "", "serve", "-d", "-c", config, "--http.port=0", "--data.dir=" + data);
        assertEquals(1, second.code());
        assertTrue(second.err().startsWith("delayq: already running as process " + pid + " (pid file "), second.err());
        assertEquals(1, second.err().lines().count(), second.err());
        assertTrue(server.isAlive());

        ChildServer.signal("-TERM", pid);
        server.onExit().get(10, TimeUnit.SECONDS);
        TestRedis.await("the pid file gone", () -> !Files.exists(data.resolve("delayq.pid")));
    }

    @Test
    void a_fault_is_told_and_leaves_no_pid_file() throws Exception {
        data = dir.resolve("data");
        Said said = run(
                "serve",
                "-d",
                "--http.port=0",
                "--http.host=203.0.113.1",
                "--insecure",
                "--redis.url=" + TestRedis.shared().url(),
                "--namespace=background",
                "--data.dir=" + data);
        assertEquals(1, said.code);
        assertTrue(said.text.startsWith("delayq: the server ended: "), said.text);
        assertFalse(Files.exists(data.resolve("delayq.pid")));
    }

    @Test
    void a_pid_file_of_a_process_that_is_gone_counts_for_nothing() throws Exception {
        Path file = dir.resolve("delayq.pid");
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        new PidFile(file).write(gone.pid());
        assertTrue(new PidFile(file).running().isEmpty());
        Process other = new ProcessBuilder("sleep", "30").start();
        try {
            new PidFile(file).write(other.pid());
            assertTrue(new PidFile(file).running().isEmpty(), "another program");
        } finally {
            other.destroyForcibly();
        }
    }

    private Said run(String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.delayq.Main"));
        command.addAll(List.of(args));
        // elsewhere than in the project, whose configuration file it would take
        Path out = Files.createTempFile(dir, "out", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        return new Said(process.exitValue(), Files.readString(out));
    }
}
