package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayq.config.Settings;
import io.delayq.config.Settings.Durability;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a server does about a Redis that is not set up for jobs. */
class StartCheckRedisTest {
    private static final Keys KEYS = new Keys("s", 4);

    private final Vertx vertx = Vertx.vertx();
    private final TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
    private final Logger logger = (Logger) LoggerFactory.getLogger(SettingsCheck.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    StartCheckRedisTest() {
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.DEBUG);
    }

    @AfterEach
    void close() throws Exception {
        logger.detachAppender(lines);
        logger.setLevel(null);
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        redis.close();
    }

    private Settings.Redis settings() {
        return Settings.defaults().redis().withUrl(redis.url());
    }

    private StartCheck check(Settings.Redis settings) throws Exception {
        StartCheck check = new StartCheck(vertx, new RedisEndpoint(settings), KEYS);
        await(check.passed());
        return check;
    }

    private static void await(Future<Void> future) throws Exception {
        future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private boolean said(String text) {
        return List.copyOf(lines.list).stream()
                .anyMatch(event -> event.getFormattedMessage().contains(text));
    }

    @Test
    void starts_on_a_redis_that_is_set_up_well_and_says_how_far_its_clock_is_off() throws Exception {
        check(settings());
        assertTrue(said("redis clock aheadMillis="), lines.list.toString());
        assertEquals(1, lines.list.size(), lines.list.toString());
    }

    @Test
    void refuses_a_redis_that_evicts_unless_it_is_told_to_take_it() throws Exception {
        redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        ExecutionException refused = Assertions.assertThrows(ExecutionException.class, () -> check(settings()));
        String message = refused.getCause().getMessage();
        assertTrue(message.contains("allkeys-lru") && message.contains("redis.allowEviction"), message);
        check(settings().withAllowEviction(true));
        assertTrue(said("may evict jobs"), lines.list.toString());
    }

    @Test
    void warns_of_a_redis_without_an_append_only_file() throws Exception {
        redis.command("CONFIG", "SET", "appendonly", "no");
        check(settings());
        assertTrue(said("no append-only file"), lines.list.toString());
    }

    @Test
    void warns_of_a_redis_that_is_less_durable_than_asked() throws Exception {
        check(settings().withDurability(Durability.ALWAYS));
        assertTrue(said("appendfsync=everysec expected=always"), lines.list.toString());
        redis.command("CONFIG", "SET", "appendfsync", "no");
        check(settings().withDurability(Durability.EVERYSEC));
        assertTrue(said("appendfsync=no expected=everysec"), lines.list.toString());
        check(settings().withDurability(Durability.replicas(2)));
        assertTrue(said("too few replicas"), lines.list.toString());
    }

    @Test
    void says_so_and_goes_on_where_the_settings_must_not_be_read() throws Exception {
        redis.command("ACL", "SETUSER", "app", "on", ">p", "~*", "&*", "+@all", "-config");
        check(settings().withUrl("redis://app:p@127.0.0.1:" + redis.port()));
        assertTrue(said("appendfsync was not checked code=NOPERM"), lines.list.toString());
    }

    @Test
    void is_seen_as_long_as_the_server_runs() throws Exception {
        StartCheck check = check(settings());
        assertEquals(1, listening());
        redis.command("CLIENT", "KILL", "TYPE", "pubsub");
        TestRedis.await("it listens again", () -> listening() == 1);
        await(check.abandon());
        TestRedis.await("it is gone", () -> listening() == 0);
    }

    /** A rebucket began and ended, or is under way, while Redis could not be reached. */
    @Test
    void looks_again_after_it_was_cut_off() throws Exception {
        StartCheck check = check(settings());
        redis.command("HSET", KEYS.meta(), "buckets", "16");
        redis.command("CLIENT", "KILL", "TYPE", "pubsub");
        ExecutionException refused =
                Assertions.assertThrows(ExecutionException.class, () -> await(check.refusedLater()));
        assertTrue(
                refused.getCause().getMessage().startsWith("buckets is 4, but the data in Redis have 16"),
                refused.getCause().getMessage());
        TestRedis.await("it is gone", () -> listening() == 0);
        assertTrue(check.passed().succeeded());
    }

    private long listening() {
        return (Long) ((List<?>) redis.command("PUBSUB", "NUMSUB", KEYS.here())).get(1);
    }
}
