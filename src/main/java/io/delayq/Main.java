package io.delayq;

import ch.qos.logback.classic.Level;
import io.delayq.cli.Cli;
import io.delayq.cli.Context;
import io.delayq.cli.PidFile;
import io.delayq.config.Settings;
import io.delayq.config.SettingsLoader;
import io.delayq.http.Resolver;
import io.delayq.ops.Logging;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.RunLast;

/** The command line, and the life of the process. */
public final class Main {
    private static final Logger log = LoggerFactory.getLogger(Main.class);
    private static final long STOP_SECONDS = 9;
    private static volatile boolean failed;
    private static volatile boolean stopping;
    private static volatile boolean up;
    private static volatile boolean serving;

    private Main() {}

    public static void main(String[] args) {
        CommandLine cli = Cli.of(Context.ofProcess(Server.version(), Main::serve), args);
        cli.setExecutionStrategy(parsed -> {
            if (!Cli.serves(parsed)) {
                beQuiet();
            }
            return new RunLast().execute(parsed);
        });
        int code = cli.execute(args);
        if (!serving) {
            System.exit(code);
        }
    }

    /** What a command says is for people and pipes; its libraries' logs would stand in between. */
    private static void beQuiet() {
        ((ch.qos.logback.classic.Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
        ((ch.qos.logback.classic.Logger) LoggerFactory.getLogger("io.delayq")).setLevel(Level.OFF);
    }

    /** For who measures: {@code -Ddelayq.blockedMillis=50} has the log say what held an event loop up for longer. */
    private static VertxOptions vertxOptions() {
        VertxOptions options = new VertxOptions();
        Long millis = Long.getLong("delayq.blockedMillis");
        if (millis != null) {
            options.setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
                    .setMaxEventLoopExecuteTime(millis)
                    .setWarningExceptionTimeUnit(TimeUnit.MILLISECONDS)
                    .setWarningExceptionTime(millis)
                    .setBlockedThreadCheckInterval(Math.max(1, millis / 5));
        }
        return options;
    }

    private static void serve(Path file, List<String> flags) {
        Vertx vertx = Transports.vertx(vertxOptions());
        serving = true;
        ignoreHangUp();
        AtomicReference<Server> server = new AtomicReference<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server.get()), "stop"));
        SettingsLoader.load(vertx, file, System.getenv(), flags)
                .compose(loaded -> vertx.executeBlocking(() -> {
                    Logging.setUp(loaded.settings().log());
                    return loaded;
                }))
                .compose(loaded -> {
                    loaded.warnings().forEach(log::warn);
                    server.set(new Server(vertx, loaded.settings(), Resolver.of(vertx)));
                    return server.get()
                            .open()
                            .onSuccess(open -> sayHello(server.get(), loaded.settings()))
                            .compose(open -> server.get().unfit());
                })
                .onFailure(error -> {
                    if (stopping) {
                        // a stop in the middle of the start is no failure
                        return;
                    }
                    failed = true;
                    System.err.println("delayq: " + explain(error));
                    // off the event loop: the exit waits for the stop, and the stop needs the event loop
                    new Thread(() -> System.exit(1), "exit").start();
                });
    }

    /** Runs on SIGTERM and SIGINT: a planned stop ends with 0, a failed start with 1. The one thread that may wait. */
    private static void stop(Server server) {
        stopping = true;
        try {
            if (server != null) {
                // a start that failed or was broken off has never been up
                boolean wasUp = up;
                if (wasUp) {
                    log.info("stopping");
                }
                server.stop().toCompletionStage().toCompletableFuture().get(STOP_SECONDS, TimeUnit.SECONDS);
                if (wasUp) {
                    log.info("stopped");
                }
            }
        } catch (Exception e) {
            log.error("did not stop cleanly", e);
        }
        PidFile.removeOwn();
        Logging.close();
        Runtime.getRuntime().halt(failed ? 1 : 0);
    }

    private static void sayHello(Server server, Settings settings) {
        up = true;
        String hello = "delayq " + Server.version() + " listening on "
                + settings.http().scheme() + "://" + settings.http().host() + ":" + server.port() + " redis="
                + settings.redis().redacted() + " data="
                + (settings.redis().url() == null ? settings.dataDir() : "-");
        log.info("{}", hello);
        if (settings.log().to() == Settings.LogTo.FILES) {
            // whoever started it sees that it runs, and where it says more
            System.out.println(hello + " log=" + settings.log().dir());
        }
    }

    private static String explain(Throwable error) {
        return error.getMessage() == null ? error.toString() : error.getMessage();
    }

    /** The JVM would stop at SIGHUP. By reflection: the class is there on every JDK, but not for the compiler. */
    private static void ignoreHangUp() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object ignore = Proxy.newProxyInstance(Main.class.getClassLoader(), new Class<?>[] {handler}, (p, m, a) -> {
                log.info("SIGHUP ignored");
                return null;
            });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), ignore);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            log.debug("SIGHUP is left as it is", e);
        }
    }
}
