package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The picture in docs/states.md against the scripts. */
class StatesPageTest {
    private static final Path LUA = Path.of("src/main/resources/lua");
    /** From one state to another; a job that goes to another bucket keeps its own. */
    private static final Set<String> MOVE_NOTHING = Set.of(
            "adopt",
            "append",
            "arrive",
            "aside",
            "beat",
            "bridge",
            "configure",
            "counts",
            "drop",
            "find",
            "forecast",
            "get",
            "held",
            "history",
            "leave",
            "list",
            "look",
            "mend",
            "names",
            "peek",
            "pick",
            "prelude",
            "reject",
            "turn");

    private static final Pattern ARROW = Pattern.compile("(?m)^ +\\S+ --> \\S+: (.*)$");

    @Test
    void every_arrow_names_its_script_and_every_script_that_moves_jobs_has_one() throws IOException {
        Set<String> named = new TreeSet<>();
        Matcher arrow = ARROW.matcher(Files.readString(Path.of("docs/states.md")));
        while (arrow.find()) {
            String scripts = arrow.group(1).replaceAll("\\([^)]*\\)| on the last attempt", "");
            Stream.of(scripts.split(",")).map(String::strip).forEach(named::add);
        }
        assertEquals(scriptsThatMove(), named);
    }

    private static Set<String> scriptsThatMove() throws IOException {
        try (Stream<Path> files = Files.list(LUA)) {
            return files.map(file -> file.getFileName().toString().replace(".lua", ""))
                    .filter(name -> !MOVE_NOTHING.contains(name))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
