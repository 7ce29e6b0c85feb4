package io.delayq.redis;

import static io.delayq.redis.Waiting.now;

import io.delayq.redis.RedisStarter.Running;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Redis that a server brings along when none is configured: started, watched, started again if it dies, and ended
 * after the server. Its data lie in {@code <data.dir>/redis} and belong to one server at a time. Where several share the
 * buckets, those of the second lie in {@code redis-2} beside it, and so on.
 *
 * <p>Port and password stay the same as long as the server lives, so that connections come back by themselves. A Redis
 * that outlived its server is taken over with its port and password.
 *
 * <p>Everything runs on the context that {@link #start} found or made, files and processes on worker threads. Start it
 * outside of verticles: the watch must not end with one of them.
 */
public final class EmbeddedRedis {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedRedis.class);

    private static final long WATCH_MILLIS = 200;
    private static final long KILL_MILLIS = 2_000;
    private static final long FIRST_BACKOFF_MILLIS = 100;
    private static final long LAST_BACKOFF_MILLIS = 5_000;
    private static final long STEADY_MILLIS = 10_000;
    private static final long REWRITE_MILLIS = 2_000;

    private final int number;
    private final Limits limits;
    private final Waiting waiting;
    private final RedisStarter starter;
    private DataLock lock;
    private Future<?> launching = Future.succeededFuture();
    private Future<Void> stopped;
    private long backoff = FIRST_BACKOFF_MILLIS;
    private long upSince;
    private QuietRewrite rewrite;
    private long rewriteLooked;

    // Written on the context, read from anywhere.
    private volatile Running running;
    private volatile boolean stopping;

    /**
     * @param leftBehindMillis how long one left behind may take to answer before we give up
     * @param terminateMillis how long it may take to write out its data before it is killed
     * @param versionMillis how long a program may take to say its version
     */
    record Limits(long leftBehindMillis, long terminateMillis, long versionMillis) {
        // together with the kill shorter than the server's stage for it, or a frozen one would be left behind
        static final Limits USUAL = new Limits(5_000, 2_000, 10_000);
    }

    /** @param number which one it is of several in a data directory, from 1 */
    EmbeddedRedis(Vertx vertx, int number, Path program, boolean always) {
        this(vertx, number, program, always, Limits.USUAL);
    }

    private EmbeddedRedis(Vertx vertx, int number, Path program, boolean always, Limits limits) {
        this.number = number;
        this.limits = limits;
        waiting = new Waiting(vertx);
        starter = new RedisStarter(waiting, program, always, limits.leftBehindMillis(), () -> stopping);
    }

    /**
     * Done when Redis answers; with much data that may take minutes. Fails with {@link EmbeddedRedisException}.
     *
     * @param program the setting redis.program; null: what the jar brings
     * @param always whether every write is on disk before it is answered, else about a second later
     */
    public static Future<EmbeddedRedis> start(Vertx vertx, Path dataDir, Path program, boolean always) {
        return start(vertx, dataDir, program, always, Limits.USUAL);
    }

    static Future<EmbeddedRedis> start(Vertx vertx, Path dataDir, Path program, boolean always, Limits limits) {
        EmbeddedRedis redis = new EmbeddedRedis(vertx, 1, program, always, limits);
        return redis.started(dataDir).map(redis);
    }

    /** As {@link #start}; it may be stopped before it is done. */
    Future<Void> started(Path dataDir) {
        return waiting.onContext(() -> open(dataDir));
    }

    /** Where in the data directory the files of one are. */
    static Path place(Path dataDir, int number) {
        return dataDir.resolve(number == 1 ? "redis" : "redis-" + number);
    }

    /** With the password: not for logs. */
    public String url() {
        return running.conf().url();
    }

    Path socket() {
        return running.conf().socket();
    }

    /** Another one after Redis died and was started again. */
    public long pid() {
        return running.process().pid();
    }

    /** Done when Redis has written out its data and is gone, and the data directory is free. */
    public Future<Void> stop() {
        stopping = true;
        return waiting.onContext(this::close);
    }

    private Future<Void> open(Path dataDir) {
        // Ctrl-C while much data is loaded: nobody has anything yet on which to call stop().
        Thread abandoned = new Thread(this::abandon, "embedded-redis-abandoned");
        Future<Running> launched = starter.programChecked(limits.versionMillis())
                .compose(v -> waiting.blocking(() -> prepared(dataDir, abandoned)))
                .compose(starter::takenOverOrNew)
                .onSuccess(started -> running = started);
        // a stop waits for it, or would not know what to end
        launching = launched;
        return launched.compose(starter::answering)
                .onSuccess(this::up)
                .<Void>mapEmpty()
                .recover(failure -> close().transform(closed -> Future.failedFuture(named(failure, dataDir))))
                .eventually(() -> waiting.blocking(() -> forget(abandoned)));
    }

    private static Throwable named(Throwable failure, Path dataDir) {
        if (failure instanceof FileSystemException e) {
            return EmbeddedRedisException.noDirectory(dataDir, e);
        }
        return failure instanceof EmbeddedRedisException
                ? failure
                : new EmbeddedRedisException(
                        "the embedded Redis cannot be started in " + dataDir + ": " + failure, failure);
    }

    private Path prepared(Path dataDir, Thread abandoned) throws IOException {
        Path real = Files.createDirectories(dataDir).toRealPath();
        Path dir = place(real, number);
        if (number > 1) {
            Files.createDirectories(dir);
        }
        // the first keeps the directory as a whole, the others what is theirs
        lock = DataLock.take(number == 1 ? real : dir);
        Runtime.getRuntime().addShutdownHook(abandoned);
        Files.createDirectories(dir);
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwx------"));
        return dir;
    }

    private void abandon() {
        Running started = running;
        if (started != null) {
            started.process().terminate();
        }
    }

    private static void forget(Thread abandoned) {
        try {
            Runtime.getRuntime().removeShutdownHook(abandoned);
        } catch (IllegalStateException e) {
            LOG.debug("the process is already ending");
        }
    }

    private void up(Running started) {
        running = started;
        upSince = now();
        rewrite = new QuietRewrite(started.conf());
        rewriteLooked = upSince;
        LOG.info(
                "embedded redis up pid={} port={} dir={}",
                pid(),
                started.conf().port(),
                started.conf().dir());
        watch();
    }

    private void watch() {
        waiting.later(WATCH_MILLIS, this::lookWhetherAlive);
    }

    private void lookWhetherAlive() {
        if (stopping) {
            return;
        }
        waiting.blocking(running.process()::alive)
                .onSuccess(alive -> {
                    if (alive && !stopping) {
                        tended().onComplete(done -> watch());
                    } else if (!stopping) {
                        down();
                    }
                })
                .onFailure(failure -> watch());
    }

    /** Now and then a look at its log of writes. One that fails says nothing: it is done again, and Redis does it too. */
    private Future<?> tended() {
        if (now() - rewriteLooked < REWRITE_MILLIS) {
            return Future.succeededFuture();
        }
        rewriteLooked = now();
        QuietRewrite log = rewrite;
        return waiting.blocking(log::look).onSuccess(begun -> {
            if (begun) {
                LOG.info("embedded redis rewrites its log pid={}", pid());
            }
        });
    }

    private void down() {
        LOG.warn("embedded redis down pid={} ranMillis={}, starting it again", pid(), now() - upSince);
        // One that dies as soon as it is up must not be started ten times a second for ever.
        if (now() - upSince > STEADY_MILLIS) {
            backoff = FIRST_BACKOFF_MILLIS;
        }
        bringBack(true);
    }

    private void bringBack(boolean first) {
        long wait = ThreadLocalRandom.current().nextLong(backoff / 2, backoff + 1);
        backoff = Math.min(2 * backoff, LAST_BACKOFF_MILLIS);
        waiting.later(wait, () -> {
            if (stopping) {
                return;
            }
            launching = launchedUnlessAlive();
            launching
                    .compose(v -> starter.answering(running))
                    .onSuccess(this::up)
                    .onFailure(failure -> {
                        if (first && !stopping) {
                            LOG.warn("embedded redis did not come back, trying on: {}", failure.getMessage());
                        }
                        bringBack(false);
                    });
        });
    }

    /** The one launched last may be alive and only have been silent; there must never be two. */
    private Future<Running> launchedUnlessAlive() {
        return waiting.blocking(running.process()::alive)
                .compose(alive -> alive ? Future.succeededFuture(running) : starter.launched(running.conf()))
                .onSuccess(launched -> running = launched);
    }

    private Future<Void> close() {
        if (stopped == null) {
            stopping = true;
            stopped = launching
                    .transform(launched -> running == null ? Future.succeededFuture() : ended())
                    .eventually(() -> waiting.blocking(this::freed));
        }
        return stopped;
    }

    private Future<Void> ended() {
        RedisProcess process = running.process();
        return waiting.blocking(process::terminate)
                .compose(v -> gone(process, limits.terminateMillis()))
                .compose(gone -> gone
                        ? Future.succeededFuture(true)
                        : waiting.blocking(process::kill).compose(v -> gone(process, KILL_MILLIS)))
                .compose(gone -> gone
                        ? waiting.blocking(
                                () -> Files.deleteIfExists(running.conf().pidFile()))
                        : Future.failedFuture(new EmbeddedRedisException(
                                "the embedded Redis, process " + process.pid() + ", does not end")))
                .onSuccess(v -> LOG.info("embedded redis stopped pid={}", process.pid()))
                .mapEmpty();
    }

    private Future<Boolean> gone(RedisProcess process, long millis) {
        long deadline = now() + millis;
        return waiting.until(() -> {
            boolean gone = !process.alive();
            return gone || now() > deadline ? Optional.of(gone) : Optional.empty();
        });
    }

    private Void freed() throws IOException {
        if (lock != null) {
            lock.release();
        }
        return null;
    }

    @Override
    public String toString() {
        return "EmbeddedRedis[" + (running == null ? "starting" : running.conf()) + "]";
    }
}
