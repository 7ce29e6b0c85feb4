package io.delayq.docs;

import io.delayq.redis.TestRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A reader's shell: directory and variables stay from one block to the next. Commands that run until they are stopped get
 * a terminal of their own. Closing it ends all that it started.
 */
final class Terminal implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Set<Terminal> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(Terminal::close)));
    }

    private final Path scratch;
    private final Map<String, String> env;
    private final Process bash;
    private final Path log;
    private final List<Running> others = new ArrayList<>();
    private int blocks;

    /** A command in a terminal of its own. */
    final class Running {
        private final Process process;
        private final Path log;

        private Running(List<String> command, Path directory) {
            try {
                log = Files.createTempFile(scratch, "out", ".txt");
                process = start(command, directory, log);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            others.add(this);
        }

        /** All that it printed, when that is as expected. */
        String printed(Predicate<String> expected) {
            try {
                TestRedis.await("the output", LIMIT, () -> expected.test(read(log)) || !process.isAlive());
            } catch (AssertionError e) {
                throw new AssertionError("printed only: " + read(log), e);
            }
            if (!expected.test(read(log))) {
                throw new AssertionError("ended with " + process.exitValue() + " and: " + read(log));
            }
            return read(log);
        }

        void stop() {
            others.remove(this);
            List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
            all.add(process.toHandle());
            // what a server started is its own to end
            process.destroy();
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    throw new AssertionError("did not end: " + read(log));
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                all.forEach(ProcessHandle::destroyForcibly);
            }
        }
    }

    Terminal(Path scratch, Path directory, Map<String, String> env) {
        this.scratch = scratch;
        this.env = env;
        this.log = scratch.resolve("terminal.txt");
        try {
            this.bash = start(List.of("bash"), directory, log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        OPEN.add(this);
        // -E: also in functions. As set -e, but the shell lives on.
        tell("set -Eu -o pipefail; trap 'echo \"FAILED with $?: $BASH_COMMAND\"' ERR");
    }

    /** What the commands printed; fails if one of them failed. */
    String run(String commands) {
        try {
            Path script = Files.writeString(scratch.resolve("block" + ++blocks + ".sh"), commands);
            int from = read(log).length();
            String mark = "=== end of block " + blocks + " ===";
            tell(". '" + script + "' </dev/null; echo '" + mark + "'");
            TestRedis.await(commands, LIMIT, () -> read(log).indexOf(mark, from) >= 0 || !bash.isAlive());
            String printed = read(log).substring(from);
            if (!printed.contains(mark) || printed.contains("FAILED with ")) {
                throw new AssertionError(printed);
            }
            return printed.substring(0, printed.indexOf(mark));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts what does not end by itself. */
    Running open(String command) {
        return new Running(List.of("bash", "-c", command), directory());
    }

    Path directory() {
        return Path.of(run("pwd").strip());
    }

    @Override
    public void close() {
        OPEN.remove(this);
        try {
            List<Running> last = new ArrayList<>(others);
            Collections.reverse(last);
            last.forEach(Running::stop);
        } finally {
            bash.descendants().forEach(ProcessHandle::destroyForcibly);
            bash.destroyForcibly();
        }
    }

    private Process start(List<String> command, Path directory, Path out) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("DELAYQ_"));
        builder.environment().putAll(env);
        return builder.start();
    }

    private void tell(String line) {
        try {
            bash.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            bash.getOutputStream().flush();
        } catch (IOException e) {
            throw new AssertionError("the shell has ended: " + read(log), e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
