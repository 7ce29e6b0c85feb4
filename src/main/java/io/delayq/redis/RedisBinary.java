package io.delayq.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Redis program: the one that the jar brings for this platform, or one that was chosen by redis.program. */
final class RedisBinary {
    static final String NAME = "redis-server-7.0.15";

    private static final Pattern VERSION = Pattern.compile("server v=((\\d+)\\.[\\d.]+)");
    private static final int LEAST_MAJOR = 7;

    private RedisBinary() {}

    /** Where the program lies in {@code dir}, ready to run. */
    static Path unpack(Path dir) throws IOException {
        return unpack(dir, resource(System.getProperty("os.name"), System.getProperty("os.arch")));
    }

    private static Path unpack(Path dir, String resource) throws IOException {
        URL url = RedisBinary.class.getResource("/" + resource);
        if (url == null) {
            throw noBinary(resource);
        }
        Path program = dir.resolve(NAME);
        URLConnection packed = url.openConnection();
        packed.setUseCaches(false);
        try (InputStream in = packed.getInputStream()) {
            if (Files.exists(program)
                    && Files.size(program) == packed.getContentLengthLong()
                    && Files.isExecutable(program)) {
                return program;
            }
            // Moved into place whole: a running program cannot be written to, and half a copy must not be run.
            Path copy = Files.createTempFile(dir, NAME, ".tmp");
            try {
                Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
                Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwx------"));
                Files.move(copy, program, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(copy);
            }
        }
        return program;
    }

    /** Starts the chosen program to say its version. */
    static Process asked(Path chosen) {
        if (!Files.exists(chosen)) {
            throw refused(chosen, "no such file");
        }
        if (Files.isDirectory(chosen)) {
            throw refused(chosen, "a directory");
        }
        if (!Files.isExecutable(chosen)) {
            throw refused(chosen, "a file that may not be run");
        }
        try {
            return new ProcessBuilder(chosen.toAbsolutePath().toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw refused(chosen, e.getMessage().replaceFirst("^Cannot", "cannot"));
        }
    }

    /** @param said what it answered */
    static void checkVersion(Path chosen, String said) {
        Matcher version = VERSION.matcher(said);
        if (!version.find()) {
            String line = said.lines().findFirst().orElse("");
            throw refused(chosen, "no version" + (line.isEmpty() ? "" : " but: " + line));
        }
        if (Integer.parseInt(version.group(2)) < LEAST_MAJOR) {
            throw refused(chosen, "version " + version.group(1));
        }
    }

    private static EmbeddedRedisException refused(Path chosen, String found) {
        return new EmbeddedRedisException("redis.program is " + chosen + ": found " + found
                + ", expected a redis-server, version " + LEAST_MAJOR + ".0 or newer");
    }

    static String resource(String osName, String osArch) {
        String name = osName.toLowerCase(Locale.ROOT);
        String os = name.startsWith("linux") ? "linux" : name.startsWith("mac") ? "darwin" : null;
        String arch =
                switch (osArch.toLowerCase(Locale.ROOT)) {
                    case "amd64", "x86_64" -> "amd64";
                    case "aarch64", "arm64" -> "arm64";
                    case "x86", "i386", "i486", "i586", "i686" -> "386";
                    default -> null;
                };
        if (os == null || arch == null || (os.equals("darwin") && arch.equals("386"))) {
            throw noBinary(osName + " on " + osArch);
        }
        return NAME + "-" + os + "-" + arch;
    }

    private static EmbeddedRedisException noBinary(String platform) {
        return new EmbeddedRedisException("there is no embedded Redis for this platform (" + platform
                + "); set redis.url to a Redis of your own, version 7.0 or newer, e.g. redis://127.0.0.1:6379");
    }
}
