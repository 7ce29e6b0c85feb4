package io.delayq.cli;

import io.delayq.config.Settings;
import io.delayq.redis.EmbeddedRedisException;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Starts the server as a process of its own that outlives this one and its terminal. */
final class Background {
    private static final Pattern LISTENING = Pattern.compile("listening on (https?://\\S+)");
    private static final long PATIENCE_MILLIS = 20_000;
    private static final long LOOK_MILLIS = 50;

    private final PrintWriter out;
    private final Context context;
    private final Path config;
    private final List<String> flags;

    Background(PrintWriter out, Context context, Path configOrNull, List<String> flags) {
        this.out = out;
        this.context = context;
        this.config = configOrNull;
        this.flags = flags;
    }

    /** Done when it listens, or is found to take long. */
    void start() {
        // before anything is started: faults are told here and not in a log
        Settings settings = Loading.settings(config, context.env(), flags).settings();
        try {
            Path dir = Files.createDirectories(settings.dataDir().toAbsolutePath());
            PidFile pidFile = new PidFile(dir.resolve("delayq.pid"));
            FileChannel starting = pidFile.lock();
            try {
                pidFile.running().ifPresent(pid -> {
                    throw Failure.of("already running as process " + pid + " (pid file " + pidFile.file()
                            + "); stop it with 'kill " + pid + "', or use another data.dir");
                });
                Path log = dir.resolve("delayq.log");
                long logStart = Files.exists(log) ? Files.size(log) : 0;
                Process server = launch(pidFile.file(), log);
                pidFile.write(server.pid());
                follow(server, pidFile, log, logStart);
            } finally {
                starting.close();
            }
        } catch (FileSystemException e) {
            throw Failure.of(
                    EmbeddedRedisException.noDirectory(settings.dataDir(), e).getMessage());
        } catch (IOException e) {
            throw Failure.of("cannot start in the background: " + e + "; look at data.dir");
        }
    }

    private void follow(Process server, PidFile pidFile, Path log, long logStart) throws IOException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (System.nanoTime() < until) {
            boolean ended = ended(server);
            String said = since(log, logStart);
            Matcher line = LISTENING.matcher(said);
            if (line.find()) {
                out.println("delayq listens on " + line.group(1) + " as process " + server.pid());
                out.println("log " + log + ", stop it with: kill " + server.pid());
                return;
            }
            if (ended) {
                Files.deleteIfExists(pidFile.file());
                throw Failure.of("the server ended: " + lastWords(said) + "; its log is " + log);
            }
        }
        out.println("delayq starts as process " + server.pid() + " and does not listen yet; see " + log);
    }

    private static String since(Path log, long start) throws IOException {
        byte[] all = Files.readAllBytes(log);
        int from = (int) Math.min(start, all.length);
        return new String(all, from, all.length - from, StandardCharsets.UTF_8);
    }

    /** Why it did not start, which it says behind its name; else whatever it said last. */
    private static String lastWords(String said) {
        int why = said.lastIndexOf("delayq: ");
        return why >= 0
                ? said.substring(why + "delayq: ".length()).strip()
                : said.lines().reduce((first, last) -> last).orElse("it said nothing");
    }

    private static boolean ended(Process server) {
        try {
            return server.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.of("interrupted; the server may have started");
        }
    }

    private Process launch(Path pidFile, Path log) throws IOException {
        List<String> command = new ArrayList<>();
        // a session of its own, where there is a program for it: Ctrl-C and a closed terminal do not reach it
        command.add(onPath("setsid") ? "setsid" : "nohup");
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.startsWith("-agentlib:jdwp") && !option.startsWith("-javaagent:"))
                .toList());
        command.add("-D" + PidFile.PROPERTY + "=" + pidFile);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add("io.delayq.Main");
        command.add("serve");
        if (config != null) {
            command.add("-c");
            command.add(config.toString());
        }
        command.addAll(flags);
        return new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    private boolean onPath(String program) {
        for (String dir : context.env().getOrDefault("PATH", "/usr/bin").split(File.pathSeparator)) {
            if (Files.isExecutable(Path.of(dir, program))) {
                return true;
            }
        }
        return false;
    }
}
