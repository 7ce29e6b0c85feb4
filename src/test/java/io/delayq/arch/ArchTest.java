package io.delayq.arch;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.delayq.Main;
import io.delayq.arch.planted.ingress.Leaks;
import io.delayq.arch.planted.job.Knows;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of the house that a compiler does not know. Each is seen to fail on a planted fault. */
class ArchTest {
    private static final String BASE = "io.delayq";
    private static final Path SOURCES = Path.of("src/main/java");
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(BASE);

    /** Also those to come. */
    private static final List<String> ROOMS =
            List.of("ingress", "bucket", "ready", "gateway", "list", "webhook", "compat", "web", "admin");

    private static final List<String> SHARED = List.of("job", "bus", "redis", "http", "config", "ops");

    /** Where a thread would stand still, by the type that the call is made on. */
    private static final Map<Class<?>, Set<String>> WAITING = Map.of(
            Future.class, Set.of("await"),
            java.util.concurrent.Future.class, Set.of("get", "join"),
            Thread.class, Set.of("sleep", "join"),
            Process.class, Set.of("waitFor"),
            CountDownLatch.class, Set.of("await"),
            Semaphore.class, Set.of("acquire"),
            ExecutorService.class, Set.of("awaitTermination", "invokeAll", "invokeAny"),
            java.util.concurrent.locks.LockSupport.class, Set.of("park", "parkNanos", "parkUntil"));

    @Test
    void there_is_something_to_check() {
        assertTrue(CLASSES.size() > 50, () -> CLASSES.size() + " classes");
        assertTrue(CLASSES.contain(Main.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ingress", "bucket", "ready", "gateway", "list", "webhook", "compat", "web", "admin"})
    void a_room_knows_what_is_shared_and_no_other_room(String room) {
        assertTrue(ROOMS.contains(room));
        room(BASE, room).check(CLASSES);
    }

    @Test
    void a_room_that_looks_into_another_is_found() {
        assertViolated(room(BASE + ".arch.planted", "ingress"), Leaks.class);
    }

    @Test
    void what_is_shared_knows_no_room() {
        String[] rooms = ROOMS.stream().map(room -> BASE + "." + room + "..").toArray(String[]::new);
        String[] shared = SHARED.stream().map(name -> BASE + "." + name + "..").toArray(String[]::new);
        noClasses()
                .that()
                .resideInAnyPackage(shared)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(rooms)
                .check(CLASSES);
    }

    @Test
    void the_vocabulary_is_plain_java() {
        vocabulary(BASE).check(CLASSES);
    }

    @Test
    void a_word_that_knows_the_machinery_is_found() {
        assertViolated(vocabulary(BASE + ".arch.planted"), Knows.class);
    }

    @Test
    void only_the_thread_that_stops_the_process_waits() {
        nobodyWaits().check(CLASSES);
        assertTrue(waits(Main.class), "the exception is still needed");
    }

    @ParameterizedTest
    @ValueSource(classes = {Awaits.class, Sleeps.class, Joins.class, Gets.class, WaitsForProcess.class})
    void one_that_waits_is_found(Class<?> planted) {
        assertViolated(nobodyWaits(), planted);
    }

    /** A timer that fires by itself piles up when what it does takes long; one re-armed at the end cannot. */
    @Test
    void no_timer_repeats_by_itself() {
        noPeriodicTimer().check(CLASSES);
        assertViolated(noPeriodicTimer(), Repeats.class);
    }

    @Test
    void no_key_is_named_outside_of_keys() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".java"))
                    .filter(path -> !path.endsWith("redis/Keys.java"))
                    .toList()) {
                keyLiterals(Files.readString(file)).forEach(text -> found.add(file.getFileName() + ": " + text));
            }
        }
        assertEquals(List.of(), found);
    }

    @Test
    void a_key_literal_is_found() throws IOException {
        assertEquals(List.of("clock:", "{dq:0:3}:next"), keyLiterals("x = \"clock:\" + t + \"{dq:0:3}:next\";"));
        assertEquals(List.of(), keyLiterals("log.info(\"http://{}:{} redis={}\", a, b, c);"));
        assertFalse(keyLiterals(Files.readString(SOURCES.resolve("io/delayq/redis/Keys.java")))
                .isEmpty());
    }

    private static ArchRule room(String base, String room) {
        List<String> allowed = new ArrayList<>(List.of(base + "." + room + ".."));
        SHARED.forEach(name -> allowed.add(base + "." + name + ".."));
        return classes()
                .that()
                .resideInAPackage(base + "." + room + "..")
                .should()
                .onlyDependOnClassesThat(
                        resideOutsideOfPackage(base + "..").or(resideInAnyPackage(allowed.toArray(String[]::new))))
                .allowEmptyShould(true);
    }

    private static ArchRule vocabulary(String base) {
        return classes()
                .that()
                .resideInAPackage(base + ".job..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("java..", base + ".job..", "io.vertx.core.buffer.."));
    }

    /** Commands run on the thread that started the program, which no event loop waits for. */
    private static ArchRule nobodyWaits() {
        return noClasses()
                .that(describe(
                        "are neither Main nor commands",
                        type -> !type.isEquivalentTo(Main.class)
                                && !type.getPackageName().equals(BASE + ".cli")))
                .should()
                .callMethodWhere(describe("the thread waits", ArchTest::waits));
    }

    private static boolean waits(Class<?> type) {
        return CLASSES.get(type).getMethodCallsFromSelf().stream().anyMatch(ArchTest::waits);
    }

    private static boolean waits(JavaMethodCall call) {
        JavaClass owner = call.getTargetOwner();
        String name = call.getName();
        return name.equals("wait")
                        && call.getTarget().getRawParameterTypes().size() <= 2
                        && owner.isEquivalentTo(Object.class)
                || WAITING.entrySet().stream()
                        .anyMatch(entry -> entry.getValue().contains(name) && isA(owner, entry.getKey()));
    }

    private static boolean isA(JavaClass type, Class<?> of) {
        return type.isAssignableTo(of);
    }

    private static ArchRule noPeriodicTimer() {
        return noClasses().should().callMethodWhere(describe("a timer repeats", call -> call.getName()
                .equals("setPeriodic")));
    }

    private static void assertViolated(ArchRule rule, Class<?> planted) {
        assertTrue(
                rule.evaluate(new ClassFileImporter().importClasses(planted)).hasViolation(),
                () -> planted.getSimpleName() + " was not found by: " + rule.getDescription());
    }

    /** Texts in the source that look like a key or the beginning of one. */
    private static List<String> keyLiterals(String source) {
        String code = source.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("(?m)^\\s*//.*$", "");
        Pattern literal = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");
        Pattern key = Pattern.compile("}:($|[a-z])|^(jobs|clock|ready|ghosts|lease|runs|dead|done|call):");
        List<String> found = new ArrayList<>();
        for (Matcher matcher = literal.matcher(code); matcher.find(); ) {
            if (key.matcher(matcher.group(1)).find()) {
                found.add(matcher.group(1));
            }
        }
        return found;
    }

    private static final class Awaits {
        static <T> T fault(Future<T> future) {
            return future.await();
        }
    }

    private static final class Sleeps {
        static void fault() throws InterruptedException {
            Thread.sleep(1);
        }
    }

    private static final class Joins {
        static Object fault(CompletableFuture<?> future) {
            return future.join();
        }
    }

    private static final class Gets {
        static Object fault(Future<?> future) throws Exception {
            return future.toCompletionStage().toCompletableFuture().get();
        }
    }

    private static final class WaitsForProcess {
        static int fault(Process process) throws InterruptedException {
            return process.waitFor();
        }
    }

    private static final class Repeats {
        static long fault(Vertx vertx) {
            return vertx.setPeriodic(1_000, timer -> {});
        }
    }
}
