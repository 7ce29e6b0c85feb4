package io.delayq.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import io.delayq.config.Settings;
import io.delayq.config.Settings.LogTo;
import io.delayq.redis.TestRedis;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log as files, on a Logback of the test's own. */
class LoggingTest {
    private final LoggerContext context = context();

    @TempDir
    private Path dir;

    @AfterEach
    void stop() {
        context.stop();
    }

    @Test
    void requests_go_to_one_file_and_all_the_rest_to_the_other() {
        files(dir, "info");
        log("io.delayq.access").info("asked");
        log("io.delayq.audit").info("paused");
        log("io.delayq.Main").info("up");
        log("io.delayq.Main").debug("detail");
        log("io.vertx.core").info("library");
        log("io.vertx.core").warn("trouble");
        context.stop();
        assertEquals(List.of("asked"), messages("access.log"));
        assertEquals(List.of("paused", "up", "trouble"), messages("error.log"));
    }

    @Test
    void audit_lines_are_written_at_any_level_and_libraries_below_warnings_at_none() {
        files(dir, "error");
        log("io.delayq.audit").info("paused");
        log("io.delayq.Main").warn("odd");
        log("io.delayq.Main").error("bad");
        context.getLogger("io.delayq").setLevel(Level.DEBUG);
        log("io.delayq.Main").debug("detail");
        log("io.netty").debug("bytes");
        context.stop();
        assertEquals(List.of("paused", "bad", "detail"), messages("error.log"));
    }

    @Test
    void a_new_day_begins_a_new_file_and_the_old_one_is_compressed() {
        files(dir, "info");
        log("io.delayq.access").info("today");
        log("io.delayq.Main").info("today");
        flushed("access.log", "today");
        flushed("error.log", "today");
        LocalDate today = LocalDate.now();
        tomorrow("io.delayq.access");
        tomorrow(Logger.ROOT_LOGGER_NAME);
        log("io.delayq.access").info("tomorrow");
        log("io.delayq.Main").info("tomorrow");
        for (String name : List.of("access", "error")) {
            flushed(name + ".log", "tomorrow");
            Path old = dir.resolve(name + "." + today + ".0.log.gz");
            TestRedis.await(
                    "compressed " + old,
                    () -> Files.exists(old) && unzipped(old).contains("today"));
            assertEquals(List.of("tomorrow"), messages(name + ".log"));
        }
        // what it was compressed from is gone
        TestRedis.await("nothing but logs", () -> names().size() == 4);
    }

    @Test
    void days_are_kept_for_a_month() throws IOException {
        LocalDate today = LocalDate.now();
        for (int days : List.of(1, 29, 32, 33, 40)) {
            Files.writeString(dir.resolve("access." + today.minusDays(days) + ".0.log.gz"), "");
        }
        files(dir, "info");
        TestRedis.await("the old ones gone", () -> names().stream()
                .noneMatch(name -> name.contains(today.minusDays(32).toString())
                        || name.contains(today.minusDays(33).toString())
                        || name.contains(today.minusDays(40).toString())));
        assertTrue(names().contains("access." + today.minusDays(1) + ".0.log.gz"), () -> names().toString());
        assertTrue(names().contains("access." + today.minusDays(29) + ".0.log.gz"), () -> names().toString());
    }

    @Test
    void an_odd_directory_will_do() {
        Path odd = dir.resolve("logs of .x, 'y' & #z/更多");
        files(odd, "info");
        log("io.delayq.access").info("asked");
        TestRedis.await(
                "written", () -> Files.exists(odd.resolve("access.log")) && size(odd.resolve("access.log")) > 0);
        tomorrow("io.delayq.access");
        log("io.delayq.access").info("tomorrow");
        Path old = odd.resolve("access." + LocalDate.now() + ".0.log.gz");
        TestRedis.await(
                "compressed " + old, () -> Files.exists(old) && unzipped(old).contains("asked"));
    }

    @Test
    void a_directory_that_cannot_be_had_is_said() throws IOException {
        Path taken = Files.writeString(dir.resolve("taken"), "");
        String message = assertThrows(IllegalStateException.class, () -> files(taken, "info"))
                .getMessage();
        assertTrue(message.startsWith("cannot write the log " + taken.resolve("error.log")), message);
        assertTrue(message.contains("log.dir"), message);
        for (char odd : "%\\$^|*+?()[]{}".toCharArray()) {
            assertThrows(IllegalStateException.class, () -> files(dir.resolve("a" + odd), "info"), "" + odd);
        }
    }

    @Test
    void nobody_waits_for_a_disk_that_hangs_and_what_was_left_out_is_counted() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        List<String> written = new CopyOnWriteArrayList<>();
        Appender<ILoggingEvent> disk = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                try {
                    hangs.await(20, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                written.add(event.getFormattedMessage());
            }
        };
        disk.setName("disk");
        disk.setContext(context);
        disk.start();
        LaterAppender later = new LaterAppender(context, disk, 10);
        later.start();
        Logger log = log("io.delayq.Main");
        log.addAppender(later);
        long begun = System.nanoTime();
        for (int i = 0; i < 1_000; i++) {
            log.info("line {}", i);
        }
        assertTrue(System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(5));
        hangs.countDown();
        TestRedis.await("room again", () -> later.getRemainingCapacity() == 10);
        log.info("after");
        TestRedis.await("the last line", () -> written.contains("after"));
        String word = "log lines left out count=";
        int lost = written.stream()
                .filter(line -> line.startsWith(word))
                .mapToInt(line -> Integer.parseInt(line.substring(word.length())))
                .sum();
        assertEquals(
                1_000,
                lost + written.stream().filter(line -> line.startsWith("line")).count());
        assertTrue(written.get(written.size() - 2).startsWith(word), "said before what follows it");
        assertEquals("line 0", written.get(0));
        assertFalse(written.contains("line 999"));
    }

    private static LoggerContext context() {
        LoggerContext made = new LoggerContext();
        made.setMDCAdapter(new LogbackMDCAdapter());
        return made;
    }

    private void files(Path to, String level) {
        Logging.setUp(context, new Settings.Log(LogTo.FILES, to, level));
    }

    private Logger log(String name) {
        return context.getLogger(name);
    }

    /** Sets the clock of the log a day ahead. */
    private void tomorrow(String logger) {
        AsyncAppender later =
                (AsyncAppender) context.getLogger(logger).iteratorForAppenders().next();
        RollingFileAppender<ILoggingEvent> file = (RollingFileAppender<ILoggingEvent>)
                later.iteratorForAppenders().next();
        TimeBasedRollingPolicy<?> policy = (TimeBasedRollingPolicy<?>) file.getRollingPolicy();
        policy.getTimeBasedFileNamingAndTriggeringPolicy()
                .setCurrentTime(LocalDate.now()
                        .plusDays(1)
                        .atTime(12, 0)
                        .atZone(ZoneId.systemDefault())
                        .toInstant()
                        .toEpochMilli());
    }

    private void flushed(String file, String word) {
        TestRedis.await(word + " in " + file, () -> messages(file).contains(word));
    }

    private List<String> messages(String file) {
        try {
            return Files.readAllLines(dir.resolve(file)).stream()
                    .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                    .toList();
        } catch (NoSuchFileException e) {
            // just renamed
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> names() {
        try (Stream<Path> files = Files.list(dir)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String unzipped(Path file) {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            // still being written
            return "";
        }
    }
}
