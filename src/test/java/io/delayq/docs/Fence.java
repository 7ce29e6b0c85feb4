package io.delayq.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fenced block of a document.
 *
 * @param line where it begins, counted from 1
 * @param output of a block that is run: what it prints, null if the document does not say
 */
record Fence(int line, String language, String text, String output) {
    private static final Pattern FENCE =
            Pattern.compile("^```([^\\n`]*)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern COMMAND =
            Pattern.compile("^(\\$ .*|(bin/delayq|curl|git|mvn|gradle|docker|npm|node|java) .*)", Pattern.MULTILINE);
    private static final Set<String> OUTPUT = Set.of("", "json");
    private static final Set<String> DATA = Set.of("", "json", "yaml", "mermaid");
    /** Those that have a test: the Java ones are compared with compiled code by {@code ExamplesTest}. */
    private static final Set<String> TESTED = Set.of("sh", "js", "java");

    /**
     * All that is to be tested, in order. What follows commands at once, or after one line that ends with a colon, is
     * their output.
     *
     * @throws AssertionError for a block that might hold commands and would be left out
     */
    static List<Fence> all(String file, String markdown) {
        List<Fence> found = new ArrayList<>();
        Matcher matcher = FENCE.matcher(markdown);
        int end = 0;
        while (matcher.find()) {
            String language = matcher.group(1);
            String text = matcher.group(2);
            int line = (int) markdown.substring(0, matcher.start()).lines().count() + 1;
            Fence last = found.isEmpty() ? null : found.get(found.size() - 1);
            String between = markdown.substring(end, matcher.start()).strip();
            boolean follows = between.isEmpty() || (between.endsWith(":") && !between.contains("\n"));
            if (TESTED.contains(language)) {
                found.add(new Fence(line, language, text, null));
            } else if (OUTPUT.contains(language)
                    && follows
                    && last != null
                    && last.language.equals("sh")
                    && last.output == null) {
                found.set(found.size() - 1, new Fence(last.line, "sh", last.text, text));
            } else if (!DATA.contains(language) || COMMAND.matcher(text).find()) {
                throw new AssertionError(
                        file + ":" + line + ": a block that no test runs; mark commands as sh, or make it tested here");
            }
            end = matcher.end();
        }
        return found;
    }
}
