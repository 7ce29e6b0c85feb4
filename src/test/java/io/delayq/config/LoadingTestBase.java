package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A file, an environment and flags to fill, and what comes of loading them. */
abstract class LoadingTestBase {
    static final String SECRET = "s3cr3t-that-never-prints";
    /** Of the text "secret". */
    static final String HASH = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

    private static Vertx vertx;

    @TempDir
    Path dir;

    String yaml = "";
    final Map<String, String> env = new HashMap<>();
    List<String> flags = List.of();

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    void env(String... pairs) {
        for (int i = 0; i < pairs.length; i += 2) {
            env.put(pairs[i], pairs[i + 1]);
        }
    }

    void flags(String... arguments) {
        flags = Arrays.asList(arguments);
    }

    Path file() {
        return dir.resolve("delayq.yaml");
    }

    Settings loaded() {
        return result().settings();
    }

    SettingsLoader.Loaded result() {
        try {
            return load();
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause().getMessage(), e);
        }
    }

    ConfigFaults failed() {
        try {
            throw new AssertionError("loaded without a fault: " + load());
        } catch (ExecutionException e) {
            return (ConfigFaults) e.getCause();
        }
    }

    Fault onlyFault() {
        ConfigFaults failed = failed();
        assertEquals(1, failed.faults().size(), failed.getMessage());
        return failed.faults().get(0);
    }

    List<Fault> faultsOf(Path file) throws Exception {
        try {
            throw new AssertionError("loaded without a fault: " + load(file));
        } catch (ExecutionException e) {
            return ((ConfigFaults) e.getCause()).faults();
        }
    }

    SettingsLoader.Loaded load() throws ExecutionException {
        try {
            Files.writeString(file(), yaml);
            return load(file());
        } catch (IOException | InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    SettingsLoader.Loaded load(Path file) throws ExecutionException, InterruptedException, TimeoutException {
        return ended(SettingsLoader.load(vertx, file, env, flags));
    }

    static <T> T ended(Future<T> future) throws ExecutionException, InterruptedException, TimeoutException {
        return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    static Vertx vertx() {
        return vertx;
    }

    static void assertLine(ConfigFaults e, String line) {
        assertTrue(e.getMessage().lines().anyMatch(("  " + line)::equals), line + "\nnot in\n" + e.getMessage());
    }
}
