package io.delayq.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;

/** The Lua scripts, each a file of its own in {@code lua/}, joined with what they share. */
public enum Script {
    PUSH(true),
    PUT(true),
    DUE(false),
    RESERVE(true),
    ENLIST(true),
    APPEND(false),
    PEEK(false),
    ADMIT(true),
    REJECT(false),
    BRIDGE(false),
    ACK(true),
    NACK(true),
    EXTEND(true),
    RELEASE(true),
    CANCEL(true),
    RESCHEDULE(true),
    REQUEUE(true),
    PURGE(true),
    GROUP(true),
    CONFIGURE(true),
    DROP(true),
    TURN(true),
    MEND(false),
    BEAT(false),
    HISTORY(false),
    LIST(false),
    FORECAST(false),
    GET(false),
    HELD(false),
    LOOK(false),
    NAMES(false),
    COUNTS(false),
    ASIDE(false),
    ADOPT(false),
    PICK(false),
    ARRIVE(false),
    LEAVE(false),
    OWN(true),
    FIND(false),
    FINISH(true);

    /** Those whose loss a client would not notice; of a lost ack or reserve the lease makes a second delivery. */
    private static final Set<Script> REPLICATED = EnumSet.of(PUSH, PUT, OWN, ADMIT, RESCHEDULE, CANCEL, REQUEUE);

    private final boolean numbered;
    // changed by nothing but a planted fault, before the server that is to have it starts
    private volatile byte[] text;
    private volatile byte[] sha;

    Script(boolean numbered) {
        this.numbered = numbered;
        heal();
    }

    /** The script as it is in its file. */
    final void heal() {
        set(Prelude.TEXT.joined(read(word())));
    }

    /** Read once: every server that starts waits for all scripts. */
    private static final class Prelude {
        static final ScriptText TEXT = new ScriptText(read("prelude"));
    }

    /** For tests that must see a check turn red: a fault in place of right text. False if the text is not there. */
    boolean plant(String right, String wrong) {
        String whole = new String(text, StandardCharsets.UTF_8);
        set(whole.replace(right, wrong));
        return whole.contains(right);
    }

    private void set(String whole) {
        text = whole.getBytes(StandardCharsets.UTF_8);
        sha = sha1(text).getBytes(StandardCharsets.US_ASCII);
    }

    /** The file's name and the metrics' label. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the script keeps the number and answer of the caller's last call, and so may be repeated at will. */
    boolean numbered() {
        return numbered;
    }

    /** Whether durability by replicas is about it. */
    boolean replicated() {
        return REPLICATED.contains(this);
    }

    byte[] text() {
        return text;
    }

    byte[] sha() {
        return sha;
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
