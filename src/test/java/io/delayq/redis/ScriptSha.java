package io.delayq.redis;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** What a call to a script looks like on the wire. */
public final class ScriptSha {
    private ScriptSha() {}

    /** @param word the name of the script's file */
    public static String of(String word) {
        return new String(Script.valueOf(word.toUpperCase(Locale.ROOT)).sha(), StandardCharsets.US_ASCII);
    }
}
