package io.delayq.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The tables of docs/scale.md follow from its constants. Whoever changes a constant is told what the tables have to say:
 * {@code mvn test -Dtest=ScalePageTest}.
 */
class ScalePageTest {
    private static final Pattern CONSTANT =
            Pattern.compile("(?m)^\\| `(\\w+)` \\| ([0-9.,]+) \\| ([^|]+) \\| ([^|]+) \\|$");
    /** Each is headed by its formulas, and has what is given in its first columns. */
    private static final Pattern TABLE = Pattern.compile("(?m)^<!-- table: (\\w+) -->\\n((?:\\|.*\\n)+)");

    private final Map<String, Double> constants = new HashMap<>();

    private String page() throws IOException {
        return Files.readString(Path.of("docs/scale.md"));
    }

    private double the(String name) {
        Double value = constants.get(name);
        assertTrue(value != null, "no constant " + name);
        return value;
    }

    private void read(String page) {
        Matcher found = CONSTANT.matcher(page);
        while (found.find()) {
            assertTrue(constants.put(found.group(1), number(found.group(2))) == null, "twice: " + found.group(1));
        }
    }

    @Test
    void every_table_follows_from_the_constants() throws IOException {
        check(page());
    }

    @Test
    void a_constant_that_was_changed_alone_is_noticed() throws IOException {
        String page = page();
        Matcher first = CONSTANT.matcher(page);
        int changed = 0;
        while (first.find()) {
            String before = page.substring(0, first.start(2));
            String after = page.substring(first.end(2));
            // a limit is only noticed where it binds
            assertTrue(isWrong(before + "7" + first.group(2) + after) || isWrong(before + "1" + after), first.group());
            changed++;
        }
        assertTrue(changed > 20, changed + " constants");
    }

    private boolean isWrong(String page) {
        constants.clear();
        try {
            check(page);
            return false;
        } catch (AssertionError e) {
            return true;
        }
    }

    @Test
    void every_source_that_is_a_file_or_a_test_is_there() throws IOException {
        Matcher found = CONSTANT.matcher(page());
        while (found.find()) {
            String source = found.group(4);
            Matcher test = Pattern.compile("`(\\w+Test)\\.(\\w+)`").matcher(source);
            while (test.find()) {
                assertTrue(textOf(test.group(1)).contains("void " + test.group(2) + "("), source);
            }
            Matcher link = Pattern.compile("\\]\\(([^)#]+)").matcher(source);
            while (link.find()) {
                assertTrue(Files.exists(Path.of("docs").resolve(link.group(1))), source);
            }
            assertFalse(source.isBlank());
        }
    }

    private static String textOf(String test) throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
            Path file = files.filter(one -> one.endsWith(test + ".java"))
                    .findFirst()
                    .orElseThrow();
            return Files.readString(file);
        }
    }

    private void check(String page) {
        read(page);
        Map<String, Formulas> tables = Map.of(
                "node", new Formulas(1, this::node),
                "pending", new Formulas(1, this::pending),
                "idle", new Formulas(3, this::idle),
                "hints", new Formulas(2, this::hints),
                "topics", new Formulas(2, this::topics),
                "ids", new Formulas(1, this::ids),
                "steps", new Formulas(3, this::steps));
        Matcher found = TABLE.matcher(page);
        List<String> wrong = new ArrayList<>();
        int count = 0;
        while (found.find()) {
            count++;
            List<String> rows = found.group(2).lines().skip(2).toList();
            for (String row : rows) {
                wrong.addAll(differences(row, tables.get(found.group(1))));
            }
        }
        assertEquals(tables.size(), count, "tables");
        assertEquals(List.of(), wrong, "rows that should be");
    }

    /** @param given how many columns have what is given; those that follow are computed */
    private record Formulas(int given, Function<double[], List<String>> cells) {}

    /** The row as it has to be, if it is not; what stands behind the computed cells is the author's. */
    private static List<String> differences(String row, Formulas formulas) {
        List<String> cells = Stream.of(row.substring(1, row.length() - 1).split("\\|"))
                .map(String::strip)
                .toList();
        List<String> expected = new ArrayList<>(cells.subList(0, formulas.given));
        double[] given = expected.stream().mapToDouble(ScalePageTest::number).toArray();
        expected.addAll(formulas.cells.apply(given));
        return cells.subList(0, expected.size()).equals(expected)
                ? List.of()
                : List.of("| " + String.join(" | ", expected) + " |");
    }

    private static double number(String text) {
        return Double.parseDouble(text.replace(",", ""));
    }

    /** Two digits that count. */
    private static String about(double value) {
        return String.format(Locale.ROOT, "%,f", new BigDecimal(value).round(new MathContext(2)))
                .replaceFirst("\\.?0+$", "");
    }

    private static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", Math.ceil(value - 1e-9));
    }

    private double life(double jobsACall) {
        return 4 * the("call") / jobsACall + the("push") + the("due") + the("reserve") + the("ack");
    }

    private List<String> node(double[] in) {
        double each = life(in[0]);
        double jobs = the("busy") * 1e6 / each;
        return List.of(about(each), about(jobs), about(jobs * the("log") / 1e6), about(jobs * the("wire") / 1e6));
    }

    private double nodesFor(double pending) {
        return Math.max(1, Math.ceil(pending * the("waiting") / 1e9 / (the("pause") / the("fork"))));
    }

    private List<String> pending(double[] in) {
        double memory = in[0] * the("waiting") / 1e9;
        double nodes = nodesFor(in[0]);
        double buckets = Math.min(the("most"), Math.max(4, Math.ceil(in[0] / 1e6)));
        return List.of(
                about(memory),
                whole(nodes),
                about(memory / nodes * the("fork")),
                whole(buckets),
                about(in[0] / buckets));
    }

    /** Of a node's time, in µs a second, what so many messages a second to all servers take. */
    private double spread(double messages, double servers, double nodes) {
        double sent = messages / nodes * (the("publish") + (nodes - 1) * the("send"));
        double passedOn = messages * (nodes - 1) / nodes * the("get");
        return sent + passedOn + messages * servers / nodes * the("listener");
    }

    private List<String> idle(double[] in) {
        double looks = in[0] * in[1];
        double redis = looks / in[2] * the("look") + spread(looks, in[0], in[2]);
        double beats = 2 * in[0] * (the("beat") + in[0] * the("beatEach"));
        double server = in[1] * the("lookServer") + looks * the("hearLook");
        return List.of(about(looks), about(redis / 1e4), about(beats / 1e4), about(server / 1e4));
    }

    private List<String> hints(double[] in) {
        double byServer = the("busy") * 1e6 / the("hear");
        double one = spread(1, in[0], in[1]);
        double byNode = the("spare") * 1e6 / one;
        return List.of(about(one), about(byNode), about(byServer));
    }

    private List<String> topics(double[] in) {
        double named = in[1] * Math.min(in[0], the("named"));
        return List.of(
                about(in[0] * in[1] * the("topic") / 1e9),
                about(named),
                about(named * the("lookEach") / 1e4),
                about(named * the("hear") / 1e4));
    }

    private List<String> ids(double[] in) {
        double each = in[0] * the("draw");
        return List.of(about(each), about(the("busy") * 1e6 / each), about(the("counts") * 1e3 / in[0]));
    }

    private List<String> steps(double[] in) {
        double jobs = in[0];
        double cores = jobs * (the("take") + the("give")) / 1e6 / the("busy");
        double servers = Math.max(1, Math.ceil(cores / the("cores")));
        double jobsACall = Math.min(the("batch"), the("wait") * jobs / (servers * the("doors") * in[2]));
        double byCpu = Math.max(1, Math.ceil(jobs * life(jobsACall) / 1e6 / the("busy")));
        return List.of(
                whole(servers), about(jobsACall), whole(byCpu), whole(nodesFor(in[1])), about(jobs * the("log") / 1e6));
    }
}
