package io.delayq.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayq.path.EventStream;
import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** docs/monitoring.md, the Grafana dashboard and the alerts against what a server says. */
@ExtendWith(Skips.class)
class MonitoringPageTest {
    private static final Path PAGE = Path.of("docs/monitoring.md");
    private static final Path ALERTS = Path.of("docs/alerts.yaml");
    private static final Path GRAFANA = Path.of("docs/grafana.json");
    private static final Pattern METRIC = Pattern.compile("\\bdelayq_[a-z_]+");
    private static final Pattern SUFFIX = Pattern.compile("_(bucket|count|sum|max)$");

    private static String scrape;

    @BeforeAll
    static void work() {
        // while somebody listens the depths are counted more often
        try (TestServer server = TestServer.start();
                EventStream listener = new EventStream(server.port())) {
            listener.await("sample");
            server.push("t", "{\"id\":\"a\"}");
            JsonObject job = server.reserve("t", 1, "5s").job(0);
            server.settle("nack", job, ",\"delay\":\"1h\"");
            TestRedis.await("depths", () -> {
                scrape = server.get("/metrics").text();
                return scrape.contains("delayq_depth{state=\"delayed\",topic=\"t\"} 1.0")
                        && scrape.contains("delayq_jobs_retried_total{topic=\"t\"} 1.0");
            });
        }
    }

    @AfterAll
    static void forget() {
        scrape = null;
    }

    /** The names of all samples. */
    private static Set<String> samples() {
        return scrape.lines()
                .filter(line -> line.startsWith("delayq_"))
                .map(line -> line.split("[{ ]", 2)[0])
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> metricsIn(String text) {
        return METRIC.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void every_metric_is_on_the_page_and_nothing_else() throws IOException {
        Set<String> families = samples().stream()
                .map(name -> SUFFIX.matcher(name).replaceFirst(""))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> named = Files.readString(PAGE)
                .lines()
                .filter(line -> line.startsWith("| `delayq_"))
                .map(line -> line.substring(3, line.indexOf('`', 3)))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(named, families);
    }

    @Test
    void labels_are_those_of_the_page() throws IOException {
        for (String line : Files.readAllLines(PAGE)) {
            if (line.startsWith("| `delayq_")) {
                String[] cells = line.split(" *\\| *");
                String name = cells[1].replace("`", "");
                Set<String> named = Arrays.stream(cells[3].split("[ ,`]+"))
                        .filter(word -> !word.isEmpty())
                        .collect(Collectors.toCollection(TreeSet::new));
                Set<String> found = scrape.lines()
                        .filter(sample -> sample.startsWith(name + "{") || sample.startsWith(name + "_count{"))
                        .flatMap(sample ->
                                Pattern.compile("[{,]([a-z]+)=").matcher(sample).results())
                        .map(label -> label.group(1))
                        .filter(label -> !label.equals("le"))
                        .collect(Collectors.toCollection(TreeSet::new));
                assertEquals(named, found, name);
            }
        }
    }

    @Test
    void dashboard_and_alerts_use_metrics_that_there_are() throws IOException {
        JsonObject dashboard = new JsonObject(Files.readString(GRAFANA));
        assertTrue(dashboard.getJsonArray("panels").size() > 15);
        for (Path file : List.of(GRAFANA, ALERTS)) {
            Set<String> used = metricsIn(Files.readString(file));
            assertFalse(used.isEmpty());
            used.removeAll(samples());
            assertEquals(Set.of(), used, file + " names metrics that no server has");
        }
        assertEquals(Set.of("delayq_jobs_lost_total"), unknown("rate(delayq_jobs_lost_total[1m])"));
    }

    private static Set<String> unknown(String text) {
        Set<String> used = metricsIn(text);
        used.removeAll(samples());
        return used;
    }

    @Test
    void every_alert_has_its_paragraph_and_every_paragraph_its_alert() throws IOException {
        List<Map<String, Object>> rules = rules();
        Set<String> alerts = new TreeSet<>();
        for (Map<String, Object> rule : rules) {
            String alert = rule.get("alert").toString();
            alerts.add(alert);
            Map<?, ?> annotations = (Map<?, ?>) rule.get("annotations");
            assertEquals("docs/monitoring.md#" + alert.toLowerCase(Locale.ROOT), annotations.get("runbook_url"), alert);
            assertFalse(annotations.get("summary").toString().isBlank(), alert);
            assertTrue(
                    Set.of("critical", "warning", "info").contains(((Map<?, ?>) rule.get("labels")).get("severity")),
                    alert);
        }
        assertEquals(alerts.size(), rules.size(), "an alert's name is there twice");
        String page = Files.readString(PAGE);
        Set<String> paragraphs = new TreeSet<>();
        for (String part : page.substring(page.indexOf("## Runbook")).split("\n### ")) {
            if (!part.startsWith("## ")) {
                paragraphs.add(part.lines().findFirst().orElseThrow());
                assertTrue(part.length() > 150, part);
            }
        }
        assertEquals(paragraphs, alerts);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> rules() throws IOException {
        Map<String, Object> file = new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(ALERTS));
        return ((List<Map<String, Object>>) file.get("groups"))
                .stream()
                        .flatMap(group -> ((List<Map<String, Object>>) group.get("rules")).stream())
                        .toList();
    }

    @Test
    void promtool_accepts_the_metrics() throws Exception {
        String found = promtool(scrape, "check", "metrics");
        assertEquals("", found);
    }

    @Test
    void promtool_accepts_the_alerts() throws Exception {
        String found = promtool("", "check", "rules", ALERTS.toString());
        assertTrue(found.contains("SUCCESS: " + rules().size() + " rules found"), found);
    }

    /** What it says; it must be content. */
    private static String promtool(String input, String... arguments) throws IOException, InterruptedException {
        assumeTrue(isOnPath("promtool"), "promtool is not installed (Debian: prometheus)");
        List<String> command =
                Stream.concat(Stream.of("promtool"), Arrays.stream(arguments)).toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(20, TimeUnit.SECONDS), "promtool does not end");
        assertEquals(0, process.exitValue(), said);
        return said;
    }

    private static boolean isOnPath(String program) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
    }
}
