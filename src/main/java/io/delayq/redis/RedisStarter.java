package io.delayq.redis;

import static io.delayq.redis.Waiting.now;

import io.vertx.core.Future;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ways in which a running Redis is had: one left behind, a new one on a free port, the same one again. */
final class RedisStarter {
    private static final Logger LOG = LoggerFactory.getLogger(RedisStarter.class);

    private static final int PORT_TRIES = 20;
    private static final long PID_FILE_MILLIS = 10_000;
    private static final long SILENCE_MILLIS = 30_000;

    private final Waiting waiting;
    private final Path program;
    private final long leftBehindMillis;
    private final boolean always;
    private final BooleanSupplier stopping;

    /**
     * @param program null: the one that the jar brings
     * @param always whether every write is to be on disk before it is answered
     */
    RedisStarter(Waiting waiting, Path program, boolean always, long leftBehindMillis, BooleanSupplier stopping) {
        this.waiting = waiting;
        this.program = program;
        this.leftBehindMillis = leftBehindMillis;
        this.always = always;
        this.stopping = stopping;
    }

    record Running(RedisConf conf, RedisProcess process) {}

    /** Done when the chosen program has said that it is a Redis we can use; at once if none was chosen. */
    Future<Void> programChecked(long versionMillis) {
        if (program == null) {
            return Future.succeededFuture();
        }
        return waiting.blocking(() -> RedisBinary.asked(program))
                .compose(asked -> said(asked, now() + versionMillis))
                .compose(said -> waiting.blocking(() -> RedisBinary.checkVersion(program, said)));
    }

    /** Empty if it has not ended by then. */
    private Future<String> said(Process asked, long deadline) {
        return waiting.until(() -> {
            if (asked.isAlive() && now() < deadline) {
                return Optional.empty();
            }
            if (asked.isAlive()) {
                asked.destroyForcibly();
                return Optional.of("");
            }
            try (var output = asked.getInputStream()) {
                return Optional.of(new String(output.readAllBytes(), StandardCharsets.UTF_8));
            }
        });
    }

    /** A Redis on this directory; whoever calls holds the lock of the directory. */
    Future<Running> takenOverOrNew(Path dir) {
        return waiting.blocking(() -> RedisProcess.leftBehind(dir))
                .compose(left -> left.isPresent() ? takenOver(dir, left.get()) : Future.succeededFuture(null))
                .compose(taken -> taken != null ? Future.succeededFuture(taken) : launchedOnFreePort(dir, PORT_TRIES));
    }

    /** Null if it turns out to be gone or never to have been ours. */
    private Future<Running> takenOver(Path dir, RedisProcess left) {
        long deadline = now() + leftBehindMillis;
        return waiting.<Optional<Running>>until(() -> {
                    if (!left.alive()) {
                        return Optional.of(Optional.empty());
                    }
                    Optional<Running> ours = RedisConf.read(dir)
                            .filter(conf -> isItself(left, conf))
                            .map(conf -> conf.withAlways(always))
                            .filter(RedisStarter::obeys)
                            .map(conf -> new Running(conf, left));
                    if (ours.isPresent()) {
                        LOG.info("embedded redis of an earlier server taken over pid={}", left.pid());
                        return Optional.of(ours);
                    }
                    if (now() < deadline) {
                        return Optional.empty();
                    }
                    if (left.certain()) {
                        throw new EmbeddedRedisException("a Redis left behind by an earlier server still runs on " + dir
                                + " as process " + left.pid() + " and does not answer; end it (kill -9 " + left.pid()
                                + ") and start again");
                    }
                    return Optional.of(Optional.empty());
                })
                .map(ours -> ours.orElse(null));
    }

    private static boolean isItself(RedisProcess process, RedisConf conf) {
        try {
            return RedisProbe.ask(conf).processId() == process.pid();
        } catch (IOException e) {
            return false;
        }
    }

    /** The server before us may have asked for less, or more. */
    private static boolean obeys(RedisConf conf) {
        try {
            RedisProbe.set(conf, "appendfsync", conf.appendFsync());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private Future<Running> launchedOnFreePort(Path dir, int tries) {
        return waiting.blocking(() -> RedisConf.fresh(dir, always))
                .compose(this::launched)
                .recover(failure -> failure instanceof EmbeddedRedisException.PortTaken && tries > 1
                        ? launchedOnFreePort(dir, tries - 1)
                        : Future.failedFuture(failure));
    }

    /** Done when it has its port and a process number; it may not answer yet. */
    Future<Running> launched(RedisConf conf) {
        return waiting.blocking(() -> RedisProcess.launch(conf, program))
                .compose(launch -> Future.fromCompletionStage(launch.launcher().onExit(), waiting.context())
                        .compose(launcher -> waiting.blocking(() -> inBackground(launcher)))
                        .compose(v -> withPidFile(conf, launch.logStart())))
                .map(process -> new Running(conf, process));
    }

    private static Void inBackground(Process launcher) throws IOException {
        try (var output = launcher.getInputStream()) {
            if (launcher.exitValue() != 0) {
                throw new EmbeddedRedisException("the embedded Redis refused its configuration: "
                        + new String(output.readAllBytes(), StandardCharsets.UTF_8).strip());
            }
        }
        return null;
    }

    private Future<RedisProcess> withPidFile(RedisConf conf, long logStart) {
        long deadline = now() + PID_FILE_MILLIS;
        return waiting.until(() -> {
            Optional<RedisProcess> started = RedisProcess.launched(conf, logStart);
            if (started.isEmpty() && now() > deadline) {
                RedisProcess.all(conf.dir()).forEach(RedisProcess::kill);
                throw new EmbeddedRedisException("the embedded Redis did not start: " + RedisProcess.lastWords(conf));
            }
            return started;
        });
    }

    /** Done when it answers PING. While it loads its data there is no limit. */
    Future<Running> answering(Running running) {
        Patience patience = new Patience(running);
        return waiting.until(() -> patience.answers() ? Optional.of(running) : Optional.empty());
    }

    /** Used by one worker thread after the other. */
    private final class Patience {
        private final Running running;
        private long lastAnswer = now();
        private boolean saidLoading;

        Patience(Running running) {
            this.running = running;
        }

        boolean answers() {
            if (stopping.getAsBoolean()) {
                throw new EmbeddedRedisException("the embedded Redis is being stopped");
            }
            if (!running.process().alive()) {
                throw new EmbeddedRedisException("the embedded Redis ended: " + RedisProcess.lastWords(running.conf()));
            }
            try {
                boolean loading = RedisProbe.ask(running.conf()).loading();
                lastAnswer = now();
                if (loading && !saidLoading) {
                    LOG.info(
                            "embedded redis is loading its data pid={}",
                            running.process().pid());
                    saidLoading = true;
                }
                return !loading;
            } catch (IOException e) {
                if (now() - lastAnswer > SILENCE_MILLIS) {
                    throw new EmbeddedRedisException(
                            "the embedded Redis, process " + running.process().pid() + ", does not answer", e);
                }
                return false;
            }
        }
    }
}
