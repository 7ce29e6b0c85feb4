package io.delayq.cli;

import java.io.InputStream;
import java.util.Map;
import picocli.CommandLine.Help.Ansi;

/**
 * What commands know of the world around them.
 *
 * @param terminal whether a person looks at the output; nothing but plain text is written otherwise
 */
public record Context(Map<String, String> env, InputStream in, boolean terminal, String version, Starter starter) {
    public Context {
        env = Map.copyOf(env);
    }

    /** Of this process. */
    public static Context ofProcess(String version, Starter starter) {
        return new Context(System.getenv(), System.in, isTerminal(), version, starter);
    }

    boolean colour() {
        return terminal
                && env.getOrDefault("NO_COLOR", "").isEmpty()
                && !env.getOrDefault("TERM", "").equals("dumb");
    }

    Ansi ansi() {
        return colour() ? Ansi.ON : Ansi.OFF;
    }

    /** From Java 22 on there is a console also without a terminal, and a method that tells. */
    private static boolean isTerminal() {
        Object console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) console.getClass().getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return Runtime.version().feature() < 22;
        }
    }
}
