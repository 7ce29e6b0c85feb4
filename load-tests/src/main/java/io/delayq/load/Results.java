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

    public record Failure(String scenario, String variant, String peer, String why) {}

    private final Map<Key, Map<String, List<Double>>> figures = new LinkedHashMap<>();
    private final List<Failure> failures = new ArrayList<>();

    public void add(Key key, String peer, double value) {
        figures.computeIfAbsent(key, k -> new LinkedHashMap<>())
                .computeIfAbsent(peer, p -> new ArrayList<>())
                .add(value);
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
        double[] sorted =
                values(key, peer).stream().mapToDouble(Double::doubleValue).toArray();
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
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("figures", rows);
        all.put("failures", failed);
        return all;
    }
}
