package io.delayq.config;

import io.delayq.config.Refused.Wrong;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Reads the list of tokens, as a list or as JSON text, and finds all that is wrong in it. Secrets are hashed here and go
 * no further; none is ever part of a message.
 */
final class Tokens {
    static final String EXPECTED =
            "a list (in a variable or flag: as JSON) of objects with name, token or sha256, rights, topics and"
                    + " requestsPerSecond";

    private static final List<String> FIELDS =
            List.of("name", "token", "sha256", "rights", "topics", "requestsPerSecond");
    private static final List<String> RIGHTS = List.of("push", "consume", "admin");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final Pattern SECRET = Pattern.compile("[!-~]{1,512}");
    private static final Pattern SHA256 = Pattern.compile("[0-9a-fA-F]{64}");
    private static final Key.Parser<Integer> RATE = Values.whole(1, 1_000_000);
    private static final Pattern TOPICS = Pattern.compile("[A-Za-z0-9._:*-]{1,128}");

    private final List<Wrong> wrongs = new ArrayList<>();
    private final LinkedHashSet<String> names = new LinkedHashSet<>();
    private final LinkedHashSet<String> hashes = new LinkedHashSet<>();

    private Tokens() {}

    static List<Settings.Token> parse(Object given) throws Refused {
        Tokens reader = new Tokens();
        List<Settings.Token> tokens = reader.list(Values.list(given));
        if (!reader.wrongs.isEmpty()) {
            throw new Refused(reader.wrongs);
        }
        return tokens;
    }

    private List<Settings.Token> list(JsonArray array) {
        List<Settings.Token> tokens = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            String at = "[" + i + "]";
            if (array.getValue(i) instanceof JsonObject object) {
                tokens.add(token(at, object));
            } else {
                wrong(at, null, "expected an object with name, token or sha256, rights and topics");
            }
        }
        return tokens;
    }

    /** Of no use when something was wrong; the caller then drops the whole list. */
    private Settings.Token token(String at, JsonObject object) {
        for (String field : object.fieldNames()) {
            if (!FIELDS.contains(field)) {
                wrong(at + "." + field, null, "unknown; the nearest known field is " + Nearest.to(field, FIELDS));
            }
        }
        return new Settings.Token(
                name(at, object),
                hash(at, object),
                rights(at + ".rights", object),
                topics(at + ".topics", object),
                rate(at + ".requestsPerSecond", object));
    }

    private int rate(String at, JsonObject object) {
        Object given = object.getValue("requestsPerSecond");
        try {
            return given == null ? 0 : RATE.parse(given);
        } catch (Refused e) {
            wrong(at, String.valueOf(given), "expected a whole number, 1 to 1000000");
            return 0;
        }
    }

    private String name(String at, JsonObject object) {
        String name = text(object.getValue("name"));
        if (name == null || !NAME.matcher(name).matches()) {
            wrong(at + ".name", name, "expected 1-64 of letters, digits, '.', '_' and '-'");
            return "";
        }
        if (!names.add(name)) {
            wrong(at + ".name", name, "used by an earlier token; expected a name of its own");
        }
        return name;
    }

    private String hash(String at, JsonObject object) {
        Object secret = object.getValue("token");
        Object sha256 = object.getValue("sha256");
        if ((secret == null) == (sha256 == null)) {
            wrong(at, null, "expected either token or sha256");
            return "";
        }
        String field = at + (secret == null ? ".sha256" : ".token");
        String text = text(secret == null ? sha256 : secret);
        String hash = null;
        if (text != null && secret == null && SHA256.matcher(text).matches()) {
            hash = text.toLowerCase(Locale.ROOT);
        } else if (text != null && secret != null && SECRET.matcher(text).matches()) {
            hash = sha256(text);
        }
        if (hash == null) {
            String expected =
                    secret == null ? "64 hex digits" : "1-512 visible ASCII characters without spaces, as text";
            wrong(field, Values.HIDDEN, "expected " + expected);
            return "";
        }
        if (!hashes.add(hash)) {
            wrong(field, Values.HIDDEN, "the same secret as an earlier token's; expected one of its own");
        }
        return hash;
    }

    private List<String> rights(String at, JsonObject object) {
        LinkedHashSet<String> rights = new LinkedHashSet<>();
        for (String right : texts(at, object.getValue("rights"), "expected a list of push, consume, admin")) {
            if (!RIGHTS.contains(right)) {
                wrong(at, right, "expected push, consume or admin");
            }
            rights.add(right);
        }
        return List.copyOf(rights);
    }

    private List<String> topics(String at, JsonObject object) {
        Object given = object.getValue("topics");
        if (given == null) {
            return List.of("*");
        }
        List<String> topics = texts(at, given, "expected a list of topic patterns, such as [\"mail.*\"]");
        for (String topic : topics) {
            if (!TOPICS.matcher(topic).matches()) {
                wrong(
                        at,
                        topic,
                        "expected 1-128 of letters, digits, '.', '_', ':', '-' and '*' for any run of characters");
            }
        }
        return topics;
    }

    /** An empty list is wrong too: a token that may do nothing is a slip, not a wish. */
    private List<String> texts(String at, Object given, String problem) {
        List<String> texts = new ArrayList<>();
        if (given instanceof JsonArray array) {
            for (int i = 0; i < array.size(); i++) {
                String text = text(array.getValue(i));
                if (text == null) {
                    wrong(at + "[" + i + "]", null, "expected text");
                    return List.of();
                }
                texts.add(text);
            }
        }
        if (texts.isEmpty()) {
            wrong(at, null, problem);
        }
        return texts;
    }

    private static String text(Object given) {
        try {
            return Values.text(given);
        } catch (Refused e) {
            return null;
        }
    }

    private void wrong(String at, String given, String problem) {
        wrongs.add(new Wrong(at, given, problem));
    }

    private static String sha256(String secret) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
