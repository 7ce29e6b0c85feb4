package io.delayq.http;

import at.favre.lib.crypto.bcrypt.BCrypt;
import at.favre.lib.crypto.bcrypt.LongPasswordStrategies;
import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Checks passwords, off the event loop and not too many of them. One for a server; for any thread. */
public final class Passwords {
    /** Each takes a core for a quarter of a second or so. */
    private static final int AT_ONCE = 4;

    private static final int SECOND = 1_000_000_000;

    private final Map<String, Settings.User> users = new HashMap<>();
    private final Attempts attempts;
    /** What the passwords of strangers are compared with, in vain; null: there are no users. */
    private final String dearest;

    private final AtomicInteger underWay = new AtomicInteger();

    public Passwords(List<Settings.User> users) {
        users.forEach(user -> this.users.put(user.name(), user));
        this.attempts = new Attempts(this.users.keySet());
        this.dearest = users.stream()
                .map(Settings.User::bcrypt)
                .max(Comparator.comparing(Passwords::cost))
                .orElse(null);
    }

    private static String cost(String bcrypt) {
        return bcrypt.split("\\$")[2];
    }

    public boolean knows(String name) {
        return users.containsKey(name);
    }

    /** Fails with the problem to answer. A name that is no user's takes as long as one that is. */
    public Future<Settings.User> check(Vertx vertx, String name, String password, String address) {
        if (dearest == null) {
            return Future.failedFuture(ProblemType.UNAUTHORIZED.with("nobody can log in: no users are set"));
        }
        long wait = attempts.begin(name, address, System.nanoTime());
        if (wait > 0) {
            return Future.failedFuture(Problem.rateLimited((int) ((wait + SECOND - 1) / SECOND)));
        }
        if (underWay.incrementAndGet() > AT_ONCE) {
            underWay.decrementAndGet();
            attempts.giveBack(name, address);
            return Future.failedFuture(Problem.rateLimited(1));
        }
        Settings.User user = users.get(name);
        String hash = user == null ? dearest : user.bcrypt();
        return vertx.executeBlocking(() -> isRight(password, hash), false)
                .onComplete(done -> underWay.decrementAndGet())
                .map(right -> {
                    if (user == null || !right) {
                        throw ProblemType.UNAUTHORIZED.with("the user or the password is not right");
                    }
                    attempts.giveBack(name, address);
                    return user;
                });
    }

    /** Of a long password the first 72 bytes count, as everywhere with bcrypt. */
    private static boolean isRight(String password, String hash) {
        return BCrypt.verifyer(null, LongPasswordStrategies.none())
                .verify(password.getBytes(StandardCharsets.UTF_8), hash.getBytes(StandardCharsets.US_ASCII))
                .verified;
    }
}
