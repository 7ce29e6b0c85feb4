package io.delayq.http;

import io.delayq.config.Settings;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Who logged in, told by a signed cookie: {@code end.signature.user}. Nothing is kept of it, so any server of the
 * namespace takes it, also after a restart. The user's password hash is signed too: with another one, older cookies are
 * of no use. For any thread.
 */
public final class Sessions {
    static final String COOKIE = "delayq-session";
    static final long LIFE_SECONDS = 12 * 3600;

    private static final String ALGORITHM = "HmacSHA256";
    private static final int LONGEST = 256;
    private static final int MOST_DIGITS = 12;

    private final Map<String, Settings.User> users = new HashMap<>();
    private final Supplier<byte[]> key;
    private final LongSupplier seconds;

    /** @param key what all servers of the namespace sign with */
    public Sessions(List<Settings.User> users, Supplier<byte[]> key) {
        this(users, key, () -> System.currentTimeMillis() / 1000);
    }

    Sessions(List<Settings.User> users, Supplier<byte[]> key, LongSupplier seconds) {
        users.forEach(user -> this.users.put(user.name(), user));
        this.key = key;
        this.seconds = seconds;
    }

    String open(Settings.User user) {
        String end = Long.toString(seconds.getAsLong() + LIFE_SECONDS);
        return end + "." + signature(end, user) + "." + user.name();
    }

    /** Whose it is; null if it is nobody's, or over. */
    Settings.User of(String cookie) {
        if (cookie == null || cookie.length() > LONGEST) {
            return null;
        }
        String[] parts = cookie.split("\\.", 3);
        Settings.User user = parts.length < 3 ? null : users.get(parts[2]);
        if (user == null || !parts[0].matches("[0-9]{1," + MOST_DIGITS + "}")) {
            return null;
        }
        boolean signed = isEqual(parts[1], signature(parts[0], user));
        return signed && seconds.getAsLong() < Long.parseLong(parts[0]) ? user : null;
    }

    private static boolean isEqual(String given, String right) {
        return MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
    }

    private String signature(String end, Settings.User user) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key.get(), ALGORITHM));
            String text = COOKIE + "\n" + end + "\n" + user.name() + "\n" + user.bcrypt();
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }
}
