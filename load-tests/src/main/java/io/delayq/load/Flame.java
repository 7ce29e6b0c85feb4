package io.delayq.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Stacks drawn as a flame graph: what called stands above what was called, as wide as it was often seen. */
final class Flame {
    private static final int WIDTH = 1200;
    private static final int ROW = 16;
    private static final int TOP = 34;
    private static final double LETTER = 6.6;
    private static final double NARROWEST = 1.5;

    private final String title;
    private final Node root = new Node();
    private int depth;

    private static final class Node {
        final Map<String, Node> children = new TreeMap<>();
        int count;
    }

    Flame(String title) {
        this.title = title;
    }

    /** @param stack the outermost first */
    void add(List<String> stack) {
        Node node = root;
        node.count++;
        for (String frame : stack) {
            node = node.children.computeIfAbsent(frame, name -> new Node());
            node.count++;
        }
    }

    Path write(Path file) throws IOException {
        StringBuilder boxes = new StringBuilder();
        draw(boxes, root, 0, 0);
        int height = TOP + (depth + 1) * ROW + 8;
        String head = String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"monospace\""
                        + " font-size=\"11\">%n<style>text{fill:#1f2937}.h{font:600 15px sans-serif}"
                        + "rect{stroke:#fff;stroke-width:.5}"
                        + "@media(prefers-color-scheme:dark){.h{fill:#e5e7eb}rect{stroke:#111827}}</style>%n"
                        + "<text class=\"h\" x=\"4\" y=\"20\">%s (%,d samples)</text>%n",
                WIDTH,
                height,
                escaped(title),
                root.count);
        Files.writeString(file, head + boxes + "</svg>\n");
        return file;
    }

    private void draw(StringBuilder out, Node node, double from, int level) {
        double at = from;
        for (Map.Entry<String, Node> child : node.children.entrySet()) {
            double width = (double) WIDTH * child.getValue().count / Math.max(1, root.count);
            if (width >= NARROWEST) {
                depth = Math.max(depth, level);
                box(out, child.getKey(), child.getValue().count, at, width, level);
                draw(out, child.getValue(), at, level + 1);
            }
            at += width;
        }
    }

    private void box(StringBuilder out, String name, int count, double at, double width, int level) {
        int y = TOP + level * ROW;
        int letters = (int) (width / LETTER);
        String label = letters < 4 ? "" : name.length() <= letters ? name : name.substring(0, letters - 1) + "…";
        out.append(String.format(
                Locale.ROOT,
                "<g><title>%s, %.1f %%</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
                escaped(name),
                100.0 * count / root.count,
                at,
                y,
                width,
                ROW,
                colour(name)));
        if (!label.isEmpty()) {
            out.append(String.format(
                    Locale.ROOT, "<text x=\"%.1f\" y=\"%d\">%s</text>", at + 3, y + ROW - 4, escaped(label)));
        }
        out.append("</g>\n");
    }

    /** Native calls and waiting for the kernel stand out from Java. */
    private static String colour(String name) {
        boolean kernel = name.startsWith("Native.") || name.startsWith("Socket.") || name.startsWith("LinuxSocket.");
        int shade = Math.floorMod(name.hashCode(), 24);
        return kernel ? "hsl(210,60%," + (66 + shade / 2) + "%)" : "hsl(" + (28 + shade) + ",85%,68%)";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
