package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Prints what docs/scale.md reckons with: {@code mvn test -Pstorm -Dtest='Scale*RedisTest'}. With DELAYQ_REDIS_PROGRAM in
 * the environment that Redis is measured, else the one that delayq brings.
 */
abstract class ScaleTestBase {
    private static final long LIMIT_SECONDS = 30;

    final Vertx vertx = Vertx.vertx();

    @TempDir
    Path dir;

    EmbeddedRedis embedded;
    RespClient redis;

    @BeforeEach
    void start() throws Exception {
        String program = System.getenv("DELAYQ_REDIS_PROGRAM");
        embedded = EmbeddedRedis.start(vertx, dir, program == null ? null : Path.of(program), false)
                .toCompletionStage()
                .toCompletableFuture()
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
        redis = new RespClient(embedded.url());
    }

    @AfterEach
    void stop() throws Exception {
        redis.close();
        embedded.stop().toCompletionStage().toCompletableFuture().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        vertx.close().toCompletionStage().toCompletableFuture().get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** What Redis says of itself; two of them tell what lay between. */
    record Gauge(double cpuMicros, double received, double sent, double appended, double memory) {
        Gauge since(Gauge before) {
            return new Gauge(
                    cpuMicros - before.cpuMicros,
                    received - before.received,
                    sent - before.sent,
                    appended - before.appended,
                    memory - before.memory);
        }
    }

    Gauge gauge() {
        String info = redis.command("INFO", "everything").toString();
        return new Gauge(
                1e6 * (number(info, "used_cpu_user_main_thread") + number(info, "used_cpu_sys_main_thread")),
                number(info, "total_net_input_bytes"),
                number(info, "total_net_output_bytes"),
                number(info, "aof_current_size"),
                number(info, "used_memory") - number(info, "mem_clients_normal"));
    }

    static double number(String info, String field) {
        Matcher found = Pattern.compile("(?m)^" + field + ":([0-9.]+)").matcher(info);
        assertTrue(found.find(), field);
        return Double.parseDouble(found.group(1));
    }

    static void say(String format, Object... values) {
        System.out.println("scale: " + String.format(Locale.ROOT, format, values));
    }

    static void after(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        TestRedis.await("a while", () -> System.nanoTime() > end);
    }
}
