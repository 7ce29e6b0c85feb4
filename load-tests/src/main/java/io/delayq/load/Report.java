package io.delayq.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The results as a table for people, and as JSON. */
final class Report {
    private static final String OURS = "delayq";
    private static final List<String> AGAINST = List.of("beanstalkd", "bullmq");

    private final Scale scale;
    private final Results results;
    private final Map<String, Map<String, String>> settings;
    private final Map<String, String> missing;

    Report(Scale scale, Results results, Map<String, Map<String, String>> settings, Map<String, String> missing) {
        this.scale = scale;
        this.results = results;
        this.settings = settings;
        this.missing = missing;
    }

    String text() {
        StringBuilder out = new StringBuilder("\n");
        settings.forEach((peer, chosen) -> {
            out.append(peer).append('\n');
            chosen.forEach((name, value) ->
                    out.append("  ").append(name).append(": ").append(value).append('\n'));
        });
        missing.forEach((peer, why) ->
                out.append("missing: ").append(peer).append(": ").append(why).append('\n'));
        out.append('\n').append(table());
        results.cpuLines()
                .forEach(line -> out.append("CPU in % of a core, ").append(line).append('\n'));
        for (Results.Failure failure : results.failures()) {
            out.append("FAILED ")
                    .append(failure.scenario())
                    .append(' ')
                    .append(failure.variant())
                    .append(", ")
                    .append(failure.peer())
                    .append(": ")
                    .append(failure.why())
                    .append('\n');
        }
        return out.toString();
    }

    /** Markdown, so that it can go into a page as it is. */
    private String table() {
        Set<String> peers = new LinkedHashSet<>();
        results.keys().forEach(key -> peers.addAll(results.peers(key)));
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("", "scenario", "unit"));
        head.addAll(peers);
        AGAINST.stream().filter(peers::contains).forEach(peer -> head.add("x " + peer));
        rows.add(head);
        for (Results.Key key : results.keys()) {
            List<String> row = new ArrayList<>();
            row.add(key.scenario());
            row.add(key.variant() + (key.metric().equals("throughput") ? "" : ", " + key.metric()));
            row.add(key.unit());
            peers.forEach(peer -> row.add(number(results.median(key, peer))));
            AGAINST.stream()
                    .filter(peers::contains)
                    .forEach(peer -> row.add(number(results.median(key, OURS) / results.median(key, peer))));
            rows.add(row);
        }
        return laidOut(rows);
    }

    private static String laidOut(List<List<String>> rows) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder out = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            for (int i = 0; i < columns; i++) {
                String cell = rows.get(r).get(i);
                String pad = " ".repeat(widths[i] - cell.length());
                out.append("| ").append(i > 2 ? pad + cell : cell + pad).append(' ');
            }
            out.append("|\n");
            if (r == 0) {
                for (int i = 0; i < columns; i++) {
                    out.append('|').append("-".repeat(widths[i] + 1)).append(i > 2 ? ':' : '-');
                }
                out.append("|\n");
            }
        }
        return out.toString();
    }

    static String number(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                value >= 1_000
                        ? "%,.0f"
                        : value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : value >= 0.1 ? "%.2f" : "%.4f",
                value);
    }

    String json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("taken", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        all.put("scale", scale.name());
        all.put("machine", machine());
        all.put("settings", settings);
        all.put("missing", missing);
        all.putAll(results.json());
        return Json.of(all);
    }

    private static Map<String, Object> machine() {
        Map<String, Object> machine = new LinkedHashMap<>();
        machine.put("cores", Runtime.getRuntime().availableProcessors());
        machine.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        machine.put("java", Runtime.version().toString());
        try {
            machine.put(
                    "loadAtTheEnd", Files.readString(Path.of("/proc/loadavg")).strip());
        } catch (IOException e) {
            machine.put("loadAtTheEnd", "unknown");
        }
        return machine;
    }
}
