package io.delayq.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Columns in plain text: the first to the left, figures to the right. */
final class Table {
    private static final int LEAST = 8;
    private static final String GAP = "  ";

    private final List<String> head;
    private final List<List<String>> rows = new ArrayList<>();

    Table(String... head) {
        this.head = Arrays.asList(head);
    }

    void row(List<String> cells) {
        rows.add(cells);
    }

    /** @param width the first column gives way to it */
    List<String> lines(int width) {
        int[] widths = head.stream().mapToInt(String::length).toArray();
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        int all = Arrays.stream(widths).sum() + GAP.length() * (widths.length - 1);
        widths[0] = Math.max(Math.min(LEAST, widths[0]), Math.min(widths[0], widths[0] - (all - width)));
        List<String> lines = new ArrayList<>();
        lines.add(line(head, widths));
        rows.forEach(row -> lines.add(line(row, widths)));
        return lines;
    }

    private static String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        line.append(cut(cells.get(0), widths[0]));
        line.append(" ".repeat(widths[0] - line.length()));
        for (int i = 1; i < widths.length; i++) {
            line.append(GAP)
                    .append(" ".repeat(widths[i] - cells.get(i).length()))
                    .append(cells.get(i));
        }
        return line.toString().stripTrailing();
    }

    /** In the middle: names that begin alike differ at their ends. */
    private static String cut(String name, int width) {
        if (name.length() <= width) {
            return name;
        }
        int end = (width - 1) / 2;
        return name.substring(0, width - 1 - end) + "…" + name.substring(name.length() - end);
    }
}
