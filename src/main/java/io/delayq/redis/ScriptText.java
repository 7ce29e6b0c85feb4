package io.delayq.redis;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Puts a script together from its file and what it needs of the prelude. */
final class ScriptText {
    private static final Pattern COMMENT = Pattern.compile("(?s)--\\[\\[.*?]]|--[^\\n]*");
    private static final Pattern DEFINITION = Pattern.compile("(?m)^local (?:function )?(\\w+(?:, \\w+)*)");

    private ScriptText() {}

    /** The script with those blocks of the prelude behind its first line that it needs, in the prelude's order. */
    static String joined(String prelude, String script) {
        String[] blocks = prelude.split("\n\n");
        boolean[] needed = new boolean[blocks.length];
        StringBuilder reached = new StringBuilder(code(script));
        for (boolean more = true; more; ) {
            more = false;
            for (int i = 0; i < blocks.length; i++) {
                if (!needed[i] && defines(blocks[i], reached)) {
                    needed[i] = more = true;
                    reached.append(code(blocks[i]));
                }
            }
        }
        int firstLine = script.indexOf('\n') + 1;
        StringBuilder whole = new StringBuilder(script.substring(0, firstLine));
        for (int i = 0; i < blocks.length; i++) {
            if (needed[i]) {
                whole.append(blocks[i].strip()).append('\n');
            }
        }
        return whole.append(script.substring(firstLine)).toString();
    }

    /** Whether a block defines a name that is used. */
    private static boolean defines(String block, CharSequence used) {
        Matcher definition = DEFINITION.matcher(code(block));
        return definition.find()
                && Arrays.stream(definition.group(1).split(", ")).anyMatch(name -> Pattern.compile("\\b" + name + "\\b")
                        .matcher(used)
                        .find());
    }

    private static String code(String lua) {
        return COMMENT.matcher(lua).replaceAll("");
    }
}
