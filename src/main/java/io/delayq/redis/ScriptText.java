package io.delayq.redis;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Puts scripts together from their files and what they need of the prelude. */
final class ScriptText {
    private static final Pattern COMMENT = Pattern.compile("(?s)--\\[\\[.*?]]|--[^\\n]*");
    private static final Pattern DEFINITION = Pattern.compile("(?m)^local (?:function )?(\\w+(?:, \\w+)*)");
    private static final Pattern WORD = Pattern.compile("\\w+");

    private final List<Block> blocks = new ArrayList<>();

    /** A part of the prelude, the names that it defines and all words in it. */
    private record Block(String text, List<String> names, Set<String> words) {
        boolean isUsed(Set<String> used) {
            return names.stream().anyMatch(used::contains);
        }
    }

    ScriptText(String prelude) {
        for (String text : prelude.split("\n\n")) {
            String code = code(text);
            Matcher definition = DEFINITION.matcher(code);
            List<String> names = definition.find() ? List.of(definition.group(1).split(", ")) : List.of();
            blocks.add(new Block(text.strip(), names, words(code)));
        }
    }

    /** The script with those blocks of the prelude behind its first line that it needs, in the prelude's order. */
    String joined(String script) {
        Set<String> used = words(code(script));
        boolean[] needed = new boolean[blocks.size()];
        for (boolean more = true; more; ) {
            more = false;
            for (int i = 0; i < needed.length; i++) {
                if (!needed[i] && blocks.get(i).isUsed(used)) {
                    needed[i] = more = true;
                    used.addAll(blocks.get(i).words);
                }
            }
        }
        int firstLine = script.indexOf('\n') + 1;
        StringBuilder whole = new StringBuilder(script.substring(0, firstLine));
        for (int i = 0; i < needed.length; i++) {
            if (needed[i]) {
                whole.append(blocks.get(i).text).append('\n');
            }
        }
        return whole.append(script.substring(firstLine)).toString();
    }

    private static Set<String> words(String code) {
        Set<String> words = new HashSet<>();
        for (Matcher word = WORD.matcher(code); word.find(); ) {
            words.add(word.group());
        }
        return words;
    }

    private static String code(String lua) {
        return COMMENT.matcher(lua).replaceAll("");
    }
}
