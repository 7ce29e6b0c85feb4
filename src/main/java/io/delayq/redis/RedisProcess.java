package io.delayq.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A Redis that is not our child: it put itself into a session of its own, and may come from a server before us. All
 * methods touch files or the process table; none waits, but for another launch.
 *
 * @param certain the process list shows it to be a Redis with our configuration file; otherwise it only has the
 *     number in our pid file
 */
record RedisProcess(ProcessHandle handle, boolean certain) {
    private static final long LOG_LIMIT = 1 << 20;
    /**
     * A process that is being started has, for a moment, all files open that we have. If one of them is a program that
     * another launch is unpacking, that one cannot be run: "Text file busy".
     */
    private static final Object ONE_AT_A_TIME = new Object();

    /** @param logStart how long the log was before */
    record Launch(Process launcher, long logStart) {}

    /**
     * Starts the program; it leaves at once, having started Redis in the background.
     *
     * @param chosen null: the one that the jar brings
     */
    static Launch launch(RedisConf conf, Path chosen) throws IOException {
        synchronized (ONE_AT_A_TIME) {
            return launchAlone(conf, chosen);
        }
    }

    private static Launch launchAlone(RedisConf conf, Path chosen) throws IOException {
        // not where a link leads: the program does what the name says by which it is called
        Path program = chosen == null ? RedisBinary.unpack(conf.dir()) : chosen.toAbsolutePath();
        conf.write(program.toRealPath());
        Files.deleteIfExists(conf.pidFile());
        if (logSize(conf) > LOG_LIMIT) {
            Files.move(conf.logFile(), conf.dir().resolve("redis.log.old"), StandardCopyOption.REPLACE_EXISTING);
        }
        long logStart = logSize(conf);
        try {
            Process launcher = new ProcessBuilder(
                            program.toString(), conf.file().toString())
                    .directory(conf.dir().toFile())
                    .redirectErrorStream(true)
                    .start();
            return new Launch(launcher, logStart);
        } catch (IOException e) {
            throw new EmbeddedRedisException(
                    "cannot run the embedded Redis (" + e.getMessage() + "); if the file system of " + conf.dir()
                            + " forbids running programs, choose another data.dir or set redis.url",
                    e);
        }
    }

    /** The Redis that a {@link #launch} brought, as soon as it has written its pid file. */
    static Optional<RedisProcess> launched(RedisConf conf, long logStart) throws IOException {
        Optional<Long> pid = pidIn(conf.pidFile());
        if (pid.isPresent()) {
            return Optional.of(ProcessHandle.of(pid.get())
                    .map(handle -> new RedisProcess(handle, true))
                    .filter(RedisProcess::alive)
                    .orElseThrow(() -> new EmbeddedRedisException("the embedded Redis ended: " + lastWords(conf))));
        }
        if (logSince(conf, logStart).contains("Failed listening on port")) {
            throw new EmbeddedRedisException.PortTaken(conf.port());
        }
        return Optional.empty();
    }

    /** A Redis on our data that outlived the server that started it. */
    static Optional<RedisProcess> leftBehind(Path dir) {
        Optional<RedisProcess> byFile = pidIn(dir.resolve("redis.pid"))
                .flatMap(ProcessHandle::of)
                .flatMap(handle -> handle.info().arguments().isEmpty()
                        ? Optional.of(new RedisProcess(handle, false))
                        : Optional.of(new RedisProcess(handle, true)).filter(process -> process.runs(dir)))
                .filter(RedisProcess::alive);
        // The server may have died before Redis wrote its pid file.
        return byFile.or(() -> all(dir).stream().findFirst());
    }

    static List<RedisProcess> all(Path dir) {
        return ProcessHandle.allProcesses()
                .map(handle -> new RedisProcess(handle, true))
                .filter(process -> process.runs(dir) && process.alive())
                .collect(Collectors.toList());
    }

    private boolean runs(Path dir) {
        ProcessHandle.Info info = handle.info();
        String conf = dir.resolve("redis.conf").toString();
        // begins with: Linux adds a word when the file was replaced or deleted since
        return info.command()
                        .filter(program ->
                                Path.of(program).getFileName().toString().startsWith("redis-server")
                                        || RedisConf.program(dir)
                                                .filter(program::startsWith)
                                                .isPresent())
                        .isPresent()
                && info.arguments()
                        .filter(arguments -> Arrays.asList(arguments).contains(conf))
                        .isPresent();
    }

    long pid() {
        return handle.pid();
    }

    /** A process that ended and that nobody collects still has its number and start time: to Java it is alive. */
    boolean alive() {
        return handle.isAlive() && !zombie();
    }

    private boolean zombie() {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid()), "stat"), StandardCharsets.ISO_8859_1);
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state == 'Z' || state == 'X';
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException | RuntimeException e) {
            return !handle.isAlive();
        }
    }

    /** Asks it to write out what it has and leave. */
    void terminate() {
        handle.destroy();
    }

    /** Ends it and a rewrite of its file that it may have under way. */
    void kill() {
        List<ProcessHandle> children = handle.descendants().toList();
        handle.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
    }

    static long logSize(RedisConf conf) throws IOException {
        return Files.exists(conf.logFile()) ? Files.size(conf.logFile()) : 0;
    }

    /** The end of its log, for a message about why it left. */
    static String lastWords(RedisConf conf) {
        try {
            List<String> lines =
                    logSince(conf, Math.max(0, logSize(conf) - 4_096)).lines().toList();
            return String.join(" | ", lines.subList(Math.max(0, lines.size() - 4), lines.size())) + " (see "
                    + conf.logFile() + ")";
        } catch (IOException e) {
            return "no log at " + conf.logFile();
        }
    }

    private static String logSince(RedisConf conf, long start) throws IOException {
        if (logSize(conf) <= start) {
            return "";
        }
        try (var in = Files.newInputStream(conf.logFile())) {
            in.skipNBytes(start);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Optional<Long> pidIn(Path file) {
        try {
            String text = Files.readString(file, StandardCharsets.ISO_8859_1);
            return text.endsWith("\n") ? Optional.of(Long.parseLong(text.strip())) : Optional.empty();
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }
}
