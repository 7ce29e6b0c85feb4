package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayq.job.Backoff;
import io.delayq.job.JobOptions;
import io.delayq.job.Retry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The Lua files say of themselves what is true. */
class ScriptTest {
    private static final Path LUA = Path.of("src/main/resources/lua");
    private static final String PRELUDE = Script.read("prelude");
    /** They take memory for new jobs and so are refused whole when Redis is full; all others go on. */
    private static final Set<Script> REFUSED_WHEN_FULL = EnumSet.of(
            Script.PUSH,
            Script.PUT,
            Script.OWN,
            Script.ADMIT,
            Script.RESCHEDULE,
            Script.REQUEUE,
            Script.ADOPT,
            Script.ARRIVE);

    private static final Set<Script> ONLY_READING =
            EnumSet.of(Script.GET, Script.FIND, Script.HELD, Script.NAMES, Script.COUNTS, Script.FORECAST, Script.PICK);

    @Test
    void every_file_is_in_the_enum_and_every_constant_has_its_file() throws IOException {
        Set<String> files;
        try (Stream<Path> list = Files.list(LUA)) {
            files = list.map(file -> file.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        }
        Set<String> expected = Arrays.stream(Script.values())
                .map(script -> script.word() + ".lua")
                .collect(Collectors.toSet());
        expected.add("prelude.lua");
        assertEquals(new TreeSet<>(expected), files);
    }

    @ParameterizedTest
    @EnumSource
    void the_first_line_says_what_happens_when_redis_is_full(Script script) {
        String expected = REFUSED_WHEN_FULL.contains(script)
                ? "#!lua"
                : ONLY_READING.contains(script) ? "#!lua flags=no-writes,allow-oom" : "#!lua flags=allow-oom";
        assertEquals(expected, text(script).lines().findFirst().orElseThrow());
    }

    @ParameterizedTest
    @EnumSource
    void the_header_names_the_slots_that_are_used_and_no_others(Script script) {
        assertEquals(List.of(), new LuaHeader(PRELUDE, text(script), script.numbered()).faults());
    }

    /** What the check above finds, seen to find it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ACK     | KEYS[1..5] as                | KEYS[1..4] as                | KEYS[5] is used but not named
                    ACK     | ARGV[1..3] as                | ARGV[1..2] as                | ARGV[3] is used but not named
                    ACK     | ARGV[4..] for                | for                          | ARGV[4..] is used but not named
                    ACK     | id, lease, note              | id, lease, ttr, note         | 4 arguments a job are named, 3 are used
                    ACK     | Returns                      | Gives                        | there is no line that begins with Returns
                    DUE     | KEYS[1..4] as                | KEYS[1..5] as                | KEYS[5] is named but not there
                    DUE     | ARGV[3] limit                | limit                        | ARGV[3] is used but not named
                    DUE     | ARGV[3] limit                | ARGV[3..4] limit             | ARGV[4] is named but not there
                    RESERVE | ARGV[6..] topic              | ARGV[7..] topic              | ARGV[6..] is used but not named
                    LOOK    | KEYS[1..4] as                | KEYS[1..3] as                | KEYS[4] is used but not named
                    COUNTS  | call('HGET', KEYS[2]         | call('HGET', KEYS[6]         | KEYS[6] is used but not named
                    """)
    void a_wrong_header_is_found(Script script, String is, String planted, String fault) {
        assertTrue(text(script).contains(is), () -> "nothing to replace: " + is);
        List<String> faults = new LuaHeader(PRELUDE, text(script).replace(is, planted), script.numbered()).faults();
        assertTrue(faults.contains(fault), faults::toString);
    }

    @ParameterizedTest
    @EnumSource
    void only_the_prelude_makes_key_names(Script script) {
        assertFalse(text(script).contains("bucket_keys"));
    }

    @Test
    void the_defaults_are_those_of_the_vocabulary() {
        assertEquals(JobOptions.DEFAULT_TTR, (long) number("local TTR, MAX_ATTEMPTS = (\\d+), "));
        assertEquals(Retry.DEFAULT_MAX_ATTEMPTS, (int) number("local TTR, MAX_ATTEMPTS = \\d+, (\\d+)"));
        assertEquals(
                Backoff.DEFAULT,
                new Backoff.Exponential(
                        (long) number("BACKOFF = \\{base = (\\d+),"),
                        number("BACKOFF = .*factor = ([0-9.]+),"),
                        (long) number("BACKOFF = .*max = (\\d+),"),
                        number("BACKOFF = .*jitter = ([0-9.]+)}")));
    }

    @ParameterizedTest
    @EnumSource
    void luacheck_finds_nothing(Script script, @TempDir Path dir) throws IOException, InterruptedException {
        assumeTrue(onPath("luacheck"), "luacheck is not installed (Debian: lua-check)");
        Path joined = Files.write(dir.resolve(script.word() + ".lua"), script.text());
        Process luacheck = new ProcessBuilder(
                        "luacheck",
                        joined.toString(),
                        "--no-config",
                        "--no-color",
                        "--codes",
                        "--formatter=plain",
                        "--max-line-length=120",
                        "--std=lua51",
                        "--read-globals",
                        "redis",
                        "cjson",
                        "cmsgpack",
                        "struct",
                        "KEYS",
                        "ARGV")
                .redirectErrorStream(true)
                .start();
        String output = new String(luacheck.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = luacheck.waitFor();
        // 0 and 1: it ran, and found nothing, or something
        assertTrue(status <= 1, output);
        long preludeEnds = 1 + PRELUDE.lines().count();
        Pattern finding = Pattern.compile(".*\\.lua:(\\d+):\\d+: \\((\\w\\d+)\\) .*");
        List<String> findings = output.lines()
                .filter(line -> {
                    Matcher matcher = finding.matcher(line);
                    // no script uses all of the prelude
                    return !matcher.matches()
                            || !matcher.group(2).equals("W211")
                            || Integer.parseInt(matcher.group(1)) > preludeEnds;
                })
                .toList();
        assertEquals(List.of(), findings);
    }

    private static String text(Script script) {
        return Script.read(script.word());
    }

    private static double number(String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(PRELUDE);
        assertTrue(matcher.find(), () -> "the prelude has no " + pattern);
        return Double.parseDouble(matcher.group(1));
    }

    private static boolean onPath(String program) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
    }
}
