package io.delayq.cli;

import io.delayq.config.SettingsLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Which configuration file counts. */
final class ConfigFile {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Settings of the server; without it conf/delayq.yaml, if it is there.")
    private Path file;

    /** The one named, else the one in the working directory (null), else the one that came with the program. */
    Path path(RootCommand parent) {
        if (file != null) {
            return file;
        }
        if (parent != null && parent.config != null) {
            return parent.config;
        }
        String home = System.getProperty("delayq.home");
        if (home != null && !Files.exists(SettingsLoader.DEFAULT_FILE)) {
            Path shipped = Path.of(home).resolve(SettingsLoader.DEFAULT_FILE);
            return Files.exists(shipped) ? shipped : null;
        }
        return null;
    }
}
