package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import at.favre.lib.crypto.bcrypt.BCrypt;
import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PasswordsTest {
    private static Vertx vertx;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private static Settings.User user(String name, int cost, String password) {
        return new Settings.User(name, BCrypt.withDefaults().hashToString(cost, password.toCharArray()), false);
    }

    /** Made by other programs: the test vectors of OpenBSD and of crypt_blowfish. */
    @ParameterizedTest
    @CsvSource({
        "U*U, $2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "U*U, $2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "U*U, $2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored,"
                + " $2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
    })
    void takes_the_hashes_of_others(String password, String hash) {
        Passwords passwords = new Passwords(List.of(new Settings.User("u", hash, true)));
        assertEquals("u", result(check(passwords, "u", password)).name());
        assertEquals(401, status(check(passwords, "u", "x" + password)));
    }

    @Test
    void does_not_hold_the_event_loop() throws Exception {
        Passwords passwords = new Passwords(List.of(user("u", 8, "right")));
        CompletableFuture<Boolean> doneAtOnce = new CompletableFuture<>();
        CompletableFuture<Settings.User> done = new CompletableFuture<>();
        vertx.runOnContext(v -> {
            Future<Settings.User> check = check(passwords, "u", "right");
            doneAtOnce.complete(check.isComplete());
            check.onSuccess(done::complete).onFailure(done::completeExceptionally);
        });
        assertFalse(doneAtOnce.get(10, TimeUnit.SECONDS));
        assertEquals("u", done.get(10, TimeUnit.SECONDS).name());
    }

    @Test
    void a_stranger_takes_as_long_as_a_user() {
        Passwords passwords = new Passwords(List.of(user("cheap", 4, "x"), user("dear", 10, "x")));
        check(passwords, "warm-up", "x")
                .toCompletionStage()
                .toCompletableFuture()
                .handle((a, b) -> a)
                .join();
        long known = took(passwords, "dear");
        long unknown = took(passwords, "nobody");
        assertTrue(unknown > known / 4, "known " + known + " ns, unknown " + unknown + " ns");
    }

    private static long took(Passwords passwords, String name) {
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            long begin = System.nanoTime();
            assertEquals(401, status(check(passwords, name, "guess")));
            shortest = Math.min(shortest, System.nanoTime() - begin);
        }
        return shortest;
    }

    @Test
    void checks_only_so_many_at_a_time_and_those_turned_away_do_not_count_as_wrong() {
        Passwords passwords = new Passwords(List.of(user("u", 10, "right")));
        List<Future<Settings.User>> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(check(passwords, "u", "right"));
        }
        assertEquals(429, status(all.get(4)));
        all.subList(0, 4).forEach(PasswordsTest::result);
        for (int i = 0; i < 5; i++) {
            result(check(passwords, "u", "right"));
        }
    }

    @Test
    void many_at_once_are_no_way_around_the_limit() {
        Passwords passwords = new Passwords(List.of(user("u", 4, "right")));
        int tried = 0;
        for (int i = 0; i < 50; i++) {
            tried += status(check(passwords, "u", "guess")) == 401 ? 1 : 0;
        }
        assertEquals(5, tried);
    }

    private static Future<Settings.User> check(Passwords passwords, String name, String password) {
        return passwords.check(vertx, name, password, "127.0.0.1");
    }

    private static Settings.User result(Future<Settings.User> future) {
        return future.toCompletionStage().toCompletableFuture().join();
    }

    private static int status(Future<Settings.User> future) {
        return future.map(user -> 200)
                .otherwise(error -> ((Problem) error).status())
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }
}
