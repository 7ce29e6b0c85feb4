package io.delayq.cli;

import java.nio.file.Path;
import java.util.List;

/** Starts the server in this process and returns while it runs. */
@FunctionalInterface
public interface Starter {
    /** @param fileOrNull the configuration file; null: the usual one, if it is there */
    void serve(Path fileOrNull, List<String> flags);
}
