package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** deploy/backup, as docs/operations.md says. */
class BackupTest {
    private static final Path SCRIPT = Path.of("deploy/backup").toAbsolutePath();

    @TempDir
    private Path dir;

    private record Said(int code, String text) {}

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void a_copy_of_a_running_server_has_all_that_was_answered(int processes) throws Exception {
        Path copy = dir.resolve("copy");
        String flag = "--redis.processes=" + processes;
        try (ChildServer server = ChildServer.start(dir.resolve("data"), flag)) {
            JsonArray jobs = new JsonArray();
            for (int i = 0; i < 1_000; i++) {
                jobs.add(
                        new JsonObject().put("topic", "kept").put("id", "j" + i).put("delay", "1h"));
            }
            assertEquals(
                    1_000, server.send("POST", "/v1/jobs", jobs.encode()).json().getInteger("accepted"));
            assertEquals(
                    201,
                    server.push("kept", "{\"id\":\"ready\",\"body\":{\"a\":1}}").status());
            Said said = backup(dir.resolve("data"), copy);
            assertEquals(0, said.code, said.text);
            assertEquals(201, server.push("kept", "{\"id\":\"later\"}").status());
            assertEquals(1, backup(dir.resolve("data"), copy).code, "an old copy is not written over");
        }
        try (ChildServer server = ChildServer.start(copy, flag)) {
            JsonObject counts = server.send("GET", "/v1/topics/kept", null).json();
            assertEquals(1_000, counts.getInteger("delayed"));
            assertEquals(1, counts.getInteger("ready"));
            JsonObject job = server.reserve("kept", 1, "5s").job(0);
            assertEquals("{\"a\":1}", job.getJsonObject("body").encode());
            assertEquals(204, server.settle("ack", job).status());
        }
    }

    @Test
    void a_directory_without_data_is_said() throws Exception {
        Said said = backup(dir, dir.resolve("copy"));
        assertEquals(1, said.code);
        assertTrue(said.text.startsWith("backup: no " + dir), said.text);
    }

    private static Said backup(Path data, Path to) throws Exception {
        Process process = new ProcessBuilder("sh", SCRIPT.toString(), data.toString(), to.toString())
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"))
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(20, TimeUnit.SECONDS));
        return new Said(process.exitValue(), text);
    }
}
