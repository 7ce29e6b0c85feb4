package io.delayq.path;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The accessibility checker axe-core, fetched by npm into the build directory. */
final class Axe {
    private static final Path DIR = Path.of("target/axe");
    private static final Path SCRIPT = DIR.resolve("package/axe.min.js");
    private static final long LIMIT_SECONDS = 90;

    private Axe() {}

    /** Null where it cannot be had. */
    static String script() throws IOException, InterruptedException {
        if (!Files.exists(SCRIPT)) {
            Files.createDirectories(DIR);
            if (!runs("npm pack --silent axe-core@4 && tar xzf axe-core-*.tgz package/axe.min.js")) {
                return null;
            }
        }
        return Files.readString(SCRIPT);
    }

    private static boolean runs(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-c", command)
                .directory(DIR.toFile())
                .redirectErrorStream(true)
                .redirectOutput(new File(DIR.toFile(), "npm.log"))
                .start();
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            return false;
        }
        return process.exitValue() == 0;
    }
}
