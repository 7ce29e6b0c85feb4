package io.delayq.load.peer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The one Redis program for all systems that use a Redis, delayq among them.
 *
 * @param jar delayq's, which brings one
 * @param found one that was found on this machine or brought, or null
 */
public record RedisProgram(Path jar, Path found) {
    private static final String NAME = "redis-server-7.0.15";

    public static RedisProgram of(Path jar, String found) {
        return new RedisProgram(jar, found.isEmpty() ? null : Path.of(found));
    }

    /** Where it can be run; the one in the jar is unpacked into {@code dir}. */
    Path ready(Path dir) throws IOException {
        return found == null ? unpacked(dir) : found;
    }

    List<String> delayqFlags() {
        return found == null ? List.of() : List.of("--redis.program=" + found);
    }

    private Path unpacked(Path dir) throws IOException {
        boolean mac = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac");
        boolean arm = List.of("aarch64", "arm64").contains(System.getProperty("os.arch"));
        String entry = NAME + (mac ? "-darwin-" : "-linux-") + (arm ? "arm64" : "amd64");
        Path program = dir.resolve(NAME);
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            ZipEntry packed = zip.getEntry(entry);
            if (packed == null) {
                throw new IOException("no " + entry + " in " + jar.getFileName());
            }
            try (InputStream in = zip.getInputStream(packed)) {
                Files.copy(in, program);
            }
        }
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }
}
