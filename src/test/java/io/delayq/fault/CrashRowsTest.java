package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Every row of the crash table in docs/guarantees.md names a test that is there. */
class CrashRowsTest {
    private static final Path PAGE = Path.of("docs/guarantees.md");
    private static final Pattern NAMED = Pattern.compile("`(\\w+)\\.(\\w+)`");
    private static final Pattern CLASS = Pattern.compile("\\b(\\w+Test)\\b");
    private static final List<String> PACKAGES = List.of("fault", "path", "redis", "bucket");

    /** Those that cannot be left out. */
    private static final List<String> ROWS = List.of(
            "before the push script",
            "after the push script, before the 201",
            "between clock and ready",
            "two scanners at once",
            "after reserve, before the frame is written",
            "frame written, TCP dead",
            "consumer dead before its work",
            "work done, dead before the ack",
            "ack after the lease ended and another has the job",
            "ack script done, answer lost",
            "during a retry's move",
            "scanner dead midway",
            "callback answered 2xx, dead before the ack",
            "cancel against reserve",
            "Redis restart",
            "Redis failover losing a push, an ack, a reserve",
            "clocks of two servers 300 s apart",
            "planned stop under load",
            "event bus dropping 10 %",
            "Redis full",
            "disk full",
            "scripts flushed every second");

    /** Of each row its last cell, which names the tests. */
    private static Map<String, String> rows() throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        boolean inside = false;
        for (String line : Files.readAllLines(PAGE)) {
            inside = line.startsWith("| crash |") || inside && line.startsWith("|");
            if (inside && !line.startsWith("| crash |") && !line.startsWith("|---")) {
                String[] cells = line.split("\\|");
                rows.put(cells[1].strip(), cells[cells.length - 1].strip());
            }
        }
        return rows;
    }

    @Test
    void the_table_has_every_row() throws IOException {
        assertEquals(ROWS, List.copyOf(rows().keySet()));
    }

    @Test
    void every_row_names_tests_that_are_there_or_says_why_not() throws IOException {
        rows().forEach((row, cell) -> {
            Matcher named = NAMED.matcher(cell);
            boolean any = false;
            while (named.find()) {
                any = true;
                Class<?> type = find(named.group(1));
                assertTrue(type != null || cell.contains("(to come)"), row + ": there is no " + named.group(1));
                assertTrue(type == null || isTest(type, named.group(2)), row + ": there is no " + named.group());
            }
            assertTrue(any || cell.equals("not built yet"), row + " names no test: " + cell);
        });
    }

    @Test
    void every_test_class_that_the_page_names_is_there() throws IOException {
        Matcher named = CLASS.matcher(Files.readString(PAGE));
        int count = 0;
        for (; named.find(); count++) {
            assertTrue(find(named.group(1)) != null, "there is no " + named.group(1));
        }
        assertTrue(count > 30, count + " found");
    }

    /**
     * Else it would be in no run of the fault suite, whose time is limited. What needs a process of its own without
     * anything in it failing (memory, logs, TLS, backups, planted faults) is no fault test, and has another name.
     */
    @Test
    void every_fault_test_has_the_tag() throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
            all = files.filter(file -> file.getFileName().toString().endsWith("FaultTest.java"))
                    .toList();
        }
        assertTrue(all.size() >= 20, all::toString);
        for (Path file : all) {
            assertTrue(Files.readString(file).contains("\n@Tag(\"fault\")\n"), file + " has no tag");
        }
    }

    @Test
    void a_test_that_is_not_there_is_noticed() {
        assertEquals(CrashRowsTest.class, find("CrashRowsTest"));
        assertFalse(isTest(CrashRowsTest.class, "rows"));
        assertEquals(null, find("NoSuchFaultTest"));
    }

    private static Class<?> find(String name) {
        for (String part : PACKAGES) {
            try {
                return Class.forName("io.delayq." + part + "." + name);
            } catch (ClassNotFoundException e) {
                // in another package, or nowhere
            }
        }
        return null;
    }

    private static boolean isTest(Class<?> type, String name) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .anyMatch(CrashRowsTest::isTest);
    }

    private static boolean isTest(Method method) {
        return method.isAnnotationPresent(Test.class) || method.isAnnotationPresent(ParameterizedTest.class);
    }
}
