package io.delayq.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All figures of a run. One that was taken more than once has all its values; the median counts. */
public final class Results {
    /** @param more whether more is better */
    public record Key(String scenario, String variant, String metric, String unit, boolean more) {}

    private record Measured(String scenario, String variant, String peer) {}

    public record Failure(String scenario, String variant, String peer, String why) {}

    private final Map<Key, Map<String, List<Double>>> figures = new LinkedHashMap<>();
    private final List<Failure> failures = new ArrayList<>();
    /** Not among the figures: they have no better and worse, and no place in the table. */
    private final Map<Measured, Map<String, List<Double>>> cpu = new LinkedHashMap<>();

    public void add(Key key, String peer, double value) {
        figures.computeIfAbsent(key, k -> new LinkedHashMap<>())
                .computeIfAbsent(peer, p -> new ArrayList<>())
                .add(value);
    }

    /** @param use by role, in percent of a core */
    void addCpu(String scenario, String variant, String peer, Map<String, Double> use) {
        Map<String, List<Double>> byRole =
                cpu.computeIfAbsent(new Measured(scenario, variant, peer), m -> new LinkedHashMap<>());
        use.forEach((role, percent) ->
                byRole.computeIfAbsent(role, r -> new ArrayList<>()).add(percent));
    }

    /** A line for each scenario and variant. */
    List<String> cpuLines() {
        Map<String, List<String>> lines = new LinkedHashMap<>();
        cpu.forEach((measured, byRole) -> {
            List<String> roles = new ArrayList<>();
            byRole.forEach((role, values) -> roles.add(role + " " + Math.round(median(values))));
            lines.computeIfAbsent(measured.scenario() + " " + measured.variant(), l -> new ArrayList<>())
                    .add(measured.peer() + " " + String.join(", ", roles));
        });
        List<String> said = new ArrayList<>();
        lines.forEach((variant, peers) -> said.add(variant + ": " + String.join("; ", peers)));
        return said;
    }

    public void failed(Failure failure) {
        failures.add(failure);
    }

    public List<Failure> failures() {
        return failures;
    }

    public List<Key> keys() {
        return List.copyOf(figures.keySet());
    }

    public List<Key> keys(String scenario) {
        return keys().stream().filter(key -> key.scenario().equals(scenario)).toList();
    }

    public List<String> peers(Key key) {
        return List.copyOf(figures.get(key).keySet());
    }

    public List<Double> values(Key key, String peer) {
        return figures.get(key).getOrDefault(peer, List.of());
    }

    /** NaN if there is none. */
    public double median(Key key, String peer) {
        return median(values(key, peer));
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        if (sorted.length == 0) {
            return Double.NaN;
        }
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    Map<String, Object> json() {
        List<Object> rows = new ArrayList<>();
        figures.forEach((key, byPeer) -> byPeer.forEach((peer, values) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("scenario", key.scenario());
            row.put("variant", key.variant());
            row.put("metric", key.metric());
            row.put("unit", key.unit());
            row.put("peer", peer);
            row.put("median", median(key, peer));
            row.put("values", values);
            rows.add(row);
        }));
        List<Object> failed = new ArrayList<>();
        for (Failure failure : failures) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("scenario", failure.scenario());
            row.put("variant", failure.variant());
            row.put("peer", failure.peer());
            row.put("why", failure.why());
            failed.add(row);
        }
        List<Object> used = new ArrayList<>();
        cpu.forEach((measured, byRole) -> byRole.forEach((role, values) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("scenario", measured.scenario());
            row.put("variant", measured.variant());
            row.put("peer", measured.peer());
            row.put("process", role);
            row.put("unit", "% of a core");
            row.put("median", median(values));
            row.put("values", values);
            used.add(row);
        }));
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("figures", rows);
        all.put("cpu", used);
        all.put("failures", failed);
        return all;
    }
}
