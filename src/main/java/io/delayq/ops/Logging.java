package io.delayq.ops;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy;
import ch.qos.logback.core.util.FileSize;
import io.delayq.config.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * The program's log, set up once at its start. A server inside another application leaves that one's logging alone, and
 * so does one that was given a file of Logback's own ({@code -Dlogback.configurationFile}).
 *
 * <p>The level is that of our own lines. Libraries stay at warnings: what they would say below is not known to be free of
 * payloads.
 */
public final class Logging {
    private static final String OURS = "io.delayq";
    private static final String ACCESS = "io.delayq.access";
    private static final String AUDIT = "io.delayq.audit";
    /** The directory is a part of Logback's patterns, where nothing can be escaped. */
    private static final Pattern UNFIT = Pattern.compile("[%\\\\$^|*+?()\\[\\]{}]");

    private static final int KEPT_DAYS = 30;
    private static final int FRAMES = 50;
    private static final long LARGEST_FILE = 100 << 20;
    /** Of the compressed ones, access and error each. */
    private static final long LARGEST_TOTAL = 1 << 30;

    private Logging() {}

    /**
     * Blocks while it opens files.
     *
     * @throws IllegalStateException if they cannot be written
     */
    public static void setUp(Settings.Log settings) {
        if (System.getProperty("logback.configurationFile") != null) {
            AccessLog.turn(true);
        } else if (isLogback()) {
            setUp(context(), settings);
            AccessLog.turn(settings.to() != Settings.LogTo.CONSOLE);
        }
    }

    static void setUp(LoggerContext context, Settings.Log settings) {
        switch (settings.to()) {
            case CONSOLE -> {}
            case FILES ->
                writeTo(context, file(context, settings.dir(), "error"), file(context, settings.dir(), "access"));
            case JSON -> {
                ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
                Appender<ILoggingEvent> both = later(context, started(context, console, "json", new JsonLine()));
                writeTo(context, both, both);
            }
        }
        context.getLogger(AUDIT).setLevel(Level.INFO);
        setLevel(context, settings.level());
    }

    /** The level by name; null if the lines go to a log that is not Logback's. */
    public static String level() {
        return isLogback()
                ? context().getLogger(OURS).getEffectiveLevel().toString().toLowerCase(Locale.ROOT)
                : null;
    }

    /** From now on, for this process. */
    public static void setLevel(String level) {
        if (isLogback()) {
            setLevel(context(), level);
        }
    }

    /** Writes what waits, for up to two seconds. Nothing is logged after that. */
    public static void close() {
        if (isLogback()) {
            context().stop();
        }
    }

    /** By name: whoever embeds the server may have left Logback's classes out. */
    private static boolean isLogback() {
        return LoggerFactory.getILoggerFactory().getClass().getName().equals("ch.qos.logback.classic.LoggerContext");
    }

    private static LoggerContext context() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }

    private static void setLevel(LoggerContext context, String level) {
        context.getLogger(OURS).setLevel(Level.toLevel(level));
    }

    private static void writeTo(LoggerContext context, Appender<ILoggingEvent> log, Appender<ILoggingEvent> accessLog) {
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.detachAndStopAllAppenders();
        root.setLevel(Level.WARN);
        root.addAppender(log);
        Logger access = context.getLogger(ACCESS);
        access.setLevel(Level.INFO);
        access.setAdditive(false);
        access.addAppender(accessLog);
    }

    private static Appender<ILoggingEvent> file(LoggerContext context, Path dir, String name) {
        Path file = dir.toAbsolutePath().resolve(name + ".log");
        if (UNFIT.matcher(file.toString()).find()) {
            throw unwritable(file);
        }
        try {
            Files.createDirectories(dir);
        } catch (IOException e) {
            throw unwritable(file);
        }
        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setFile(file.toString());
        SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy = new SizeAndTimeBasedRollingPolicy<>();
        policy.setContext(context);
        policy.setParent(appender);
        policy.setFileNamePattern(dir.toAbsolutePath() + "/" + name + ".%d{yyyy-MM-dd}.%i.log.gz");
        policy.setMaxFileSize(new FileSize(LARGEST_FILE));
        policy.setMaxHistory(KEPT_DAYS);
        policy.setTotalSizeCap(new FileSize(LARGEST_TOTAL));
        policy.setCleanHistoryOnStart(true);
        policy.start();
        appender.setRollingPolicy(policy);
        TextLine layout = new TextLine();
        layout.setFrames(FRAMES);
        started(context, appender, name, layout);
        if (!appender.isStarted() || !Files.isWritable(file)) {
            throw unwritable(file);
        }
        return later(context, appender);
    }

    private static IllegalStateException unwritable(Path file) {
        return new IllegalStateException("cannot write the log " + file
                + "; let log.dir name another directory, without any of % \\ $ ^ | * + ? ( ) [ ] { }");
    }

    private static <A extends OutputStreamAppender<ILoggingEvent>> A started(
            LoggerContext context, A appender, String name, Layout<ILoggingEvent> layout) {
        layout.setContext(context);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setLayout(layout);
        encoder.start();
        appender.setContext(context);
        appender.setName(name);
        appender.setEncoder(encoder);
        appender.start();
        return appender;
    }

    private static Appender<ILoggingEvent> later(LoggerContext context, Appender<ILoggingEvent> to) {
        LaterAppender later = new LaterAppender(context, to);
        later.start();
        return later;
    }
}
