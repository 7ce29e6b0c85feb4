package io.delayq.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The Lua scripts, each a file of its own in {@code lua/}, joined with what they share. */
public enum Script {
    PUSH(true),
    PUT(true),
    DUE(false),
    RESERVE(true),
    ACK(true),
    NACK(true),
    EXTEND(true),
    RELEASE(true),
    CANCEL(true),
    RESCHEDULE(true),
    GET(false),
    HELD(false),
    LOOK(false),
    NAMES(false),
    COUNTS(false);

    private final boolean numbered;
    private final byte[] text;
    private final byte[] sha;

    Script(boolean numbered) {
        this.numbered = numbered;
        this.text = joined(read("prelude"), read(word())).getBytes(StandardCharsets.UTF_8);
        this.sha = sha1(text).getBytes(StandardCharsets.US_ASCII);
    }

    /** The file's name and the metrics' label. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the script keeps the number and answer of the caller's last call, and so may be repeated at will. */
    boolean numbered() {
        return numbered;
    }

    byte[] text() {
        return text;
    }

    byte[] sha() {
        return sha;
    }

    static String joined(String prelude, String script) {
        int firstLine = script.indexOf('\n') + 1;
        return script.substring(0, firstLine) + prelude + script.substring(firstLine);
    }

    static String read(String name) {
        try (InputStream in = Script.class.getResourceAsStream("/lua/" + name + ".lua")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(byte[] text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
