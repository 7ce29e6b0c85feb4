package io.delayq.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Bars as SVG, one file a question. The colours follow the reader's choice of light or dark. */
final class Plots {
    private static final int LABELS = 350;
    private static final int BARS = 420;
    private static final int WIDTH = LABELS + BARS + 110;
    private static final int BAR = 14;
    private static final int GAP = 12;
    private static final Map<String, String> COLOURS = colours();

    private final Results results;
    private final Path dir;
    private final List<Path> written = new ArrayList<>();

    Plots(Results results, Path dir) {
        this.results = results;
        this.dir = dir;
    }

    private static Map<String, String> colours() {
        Map<String, String> colours = new LinkedHashMap<>();
        colours.put("delayq", "#3b82f6");
        colours.put("beanstalkd", "#d97706");
        colours.put("bullmq", "#dc2626");
        colours.put("redisson", "#8b5cf6");
        colours.put("rabbitmq", "#0d9488");
        return colours;
    }

    List<Path> write() throws IOException {
        plot("push.svg", "Pushes, jobs a second (more is better)", keys("A", "B"), false);
        plot("drain.svg", "Drain with acks, jobs a second (more is better)", keys("C", "H"), false);
        plot("lateness.svg", "Lateness in ms at 1,000 jobs a second, logarithmic (less is better)", lateness("D"), true);
        plot("memory.svg", "Bytes per pending job (less is better)", keys("E"), false);
        plot("cpu.svg", "CPU seconds per 1,000 jobs, whole life (less is better)", keys("F"), false);
        plot("growth.svg", "delayq beside waiting jobs and over many topics, jobs a second", throughput("G"), false);
        plot("growth-lateness.svg", "The same, lateness in ms, logarithmic", lateness("G"), true);
        plot("instances.svg", "delayq with other instances and buckets, jobs a second", keys("I"), false);
        return written;
    }

    private List<Results.Key> keys(String... scenarios) {
        List<Results.Key> keys = new ArrayList<>();
        for (String scenario : scenarios) {
            keys.addAll(results.keys(scenario));
        }
        return keys.stream().filter(key -> !key.unit().isEmpty()).toList();
    }

    private List<Results.Key> throughput(String scenario) {
        return keys(scenario).stream().filter(Results.Key::more).toList();
    }

    private List<Results.Key> lateness(String scenario) {
        return keys(scenario).stream().filter(key -> key.metric().startsWith("lateness")).toList();
    }

    private void plot(String name, String title, List<Results.Key> keys, boolean logarithmic) throws IOException {
        if (keys.isEmpty()) {
            return;
        }
        double most = 0;
        double least = Double.MAX_VALUE;
        for (Results.Key key : keys) {
            for (String peer : results.peers(key)) {
                most = Math.max(most, results.median(key, peer));
                least = Math.min(least, Math.max(0.1, results.median(key, peer)));
            }
        }
        StringBuilder body = new StringBuilder();
        int y = 56;
        for (Results.Key key : keys) {
            List<String> peers = results.peers(key);
            text(body, LABELS - 8, y + peers.size() * BAR / 2 + 4, "end", "", label(key));
            for (String peer : peers) {
                double value = results.median(key, peer);
                double part = logarithmic
                        ? Math.log(Math.max(value, least) / least * 1.2) / Math.log(most / least * 1.2)
                        : value / most;
                double width = Math.max(1, BARS * part);
                body.append(String.format(
                        Locale.ROOT,
                        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                        LABELS,
                        y,
                        width,
                        BAR - 2,
                        COLOURS.getOrDefault(peer, "#6b7280")));
                text(body, LABELS + (int) width + 5, y + BAR - 4, "start", "v", Report.number(value));
                y += BAR;
            }
            y += GAP;
        }
        Files.createDirectories(dir);
        written.add(Files.writeString(dir.resolve(name), framed(title, keys, body, y)));
    }

    private static String label(Results.Key key) {
        return key.metric().equals("throughput") ? key.variant() : shortened(key.variant()) + key.metric();
    }

    /** In D and F every bar has the same variant, which the title says. */
    private static String shortened(String variant) {
        return variant.contains("jobs/s") || variant.startsWith("CPU") ? "" : variant + ", ";
    }

    private String framed(String title, List<Results.Key> keys, StringBuilder body, int height) {
        StringBuilder svg = new StringBuilder(String.format(
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img">
                <title>%3$s</title>
                <style>
                text { font: 12px system-ui, sans-serif; fill: #1f2937 }
                .t { font-size: 14px; font-weight: 600 }
                .v { font-size: 11px; fill: #4b5563 }
                .b { fill: #ffffff }
                @media (prefers-color-scheme: dark) { text { fill: #e5e7eb } .v { fill: #9ca3af } .b { fill: #0d1117 } }
                </style>
                <rect class="b" width="100%%" height="100%%"/>
                """,
                WIDTH, height + 8, escaped(title)));
        text(svg, 12, 22, "start", "t", title);
        int x = LABELS;
        for (Map.Entry<String, String> colour : COLOURS.entrySet()) {
            if (keys.stream().anyMatch(key -> results.peers(key).contains(colour.getKey()))) {
                svg.append(String.format(
                        "<rect x=\"%d\" y=\"34\" width=\"10\" height=\"10\" fill=\"%s\"/>%n", x, colour.getValue()));
                text(svg, x + 14, 43, "start", "v", colour.getKey());
                x += 30 + 7 * colour.getKey().length();
            }
        }
        return svg.append(body).append("</svg>\n").toString();
    }

    private static void text(StringBuilder out, int x, int y, String anchor, String style, String text) {
        out.append(String.format(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\"%s>%s</text>%n",
                x, y, anchor, style.isEmpty() ? "" : " class=\"" + style + "\"", escaped(text)));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
