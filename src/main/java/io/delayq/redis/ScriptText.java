package io.delayq.redis;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Puts scripts together from their files and what they need of the prelude. It takes Redis its time in every call to make
 * a function, so what only a script's function {@code rare} needs goes into that one, which is called when something of it
 * is needed.
 */
final class ScriptText {
    private static final Pattern COMMENT = Pattern.compile("(?s)--\\[\\[.*?]]|--[^\\n]*");
    private static final Pattern DEFINITION = Pattern.compile("(?m)^local (?:function )?(\\w+(?:, \\w+)*)");
    private static final Pattern WORD = Pattern.compile("\\w+");
    private static final Pattern OF_RARE = Pattern.compile("rare\\(\\)\\.\\w+");
    private static final Pattern RARE =
            Pattern.compile("(?ms)^local function rare\\(\\)\n  if made then return made end\n(.*?)^end$");

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

    /** The script with those blocks of the prelude that it needs, behind its first line or where its rare part begins. */
    String joined(String script) {
        int firstLine = script.indexOf('\n') + 1;
        Matcher rare = RARE.matcher(script);
        if (!rare.find()) {
            return script.substring(0, firstLine)
                    + text(needed(words(code(script)), new BitSet()))
                    + script.substring(firstLine);
        }
        int begin = rare.start(1);
        String often = OF_RARE.matcher(script.substring(0, begin) + script.substring(rare.end()))
                .replaceAll("");
        BitSet always = needed(words(code(often)), new BitSet());
        return script.substring(0, firstLine)
                + text(always)
                + script.substring(firstLine, begin)
                + text(needed(words(code(rare.group(1))), always))
                + script.substring(begin);
    }

    /** The blocks that define any of these words, and what those need, but for the ones that are there already. */
    private BitSet needed(Set<String> words, BitSet there) {
        Set<String> used = new HashSet<>(words);
        BitSet needed = new BitSet();
        for (boolean more = true; more; ) {
            more = false;
            for (int i = 0; i < blocks.size(); i++) {
                if (!needed.get(i) && !there.get(i) && blocks.get(i).isUsed(used)) {
                    more = true;
                    needed.set(i);
                    used.addAll(blocks.get(i).words);
                }
            }
        }
        return needed;
    }

    private String text(BitSet chosen) {
        return chosen.stream().mapToObj(i -> blocks.get(i).text + '\n').collect(Collectors.joining());
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
