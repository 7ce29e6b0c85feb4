package io.delayq.fault;

import io.delayq.fault.History.Delivery;
import io.delayq.fault.History.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** How late jobs were over the time of a run, as a picture: the median and the worst of each slice, and the faults. */
final class LatenessPlot {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 360;
    private static final int LEFT = 70;
    private static final int RIGHT = 20;
    private static final int TOP = 40;
    private static final int BOTTOM = 50;
    private static final int SLICES = 400;
    private static final long[] MARKS = {1, 10, 100, 1_000, 10_000, 100_000};

    private final StringBuilder svg = new StringBuilder();
    private final long from;
    private final long to;
    private final long most;

    private LatenessPlot(List<Delivery> deliveries, List<Fault> faults) {
        List<Long> times = new ArrayList<>();
        deliveries.forEach(delivery -> times.add(delivery.at()));
        faults.forEach(fault -> times.add(fault.at()));
        this.from = times.stream().min(Long::compare).orElse(0L);
        this.to = Math.max(from + 1_000, times.stream().max(Long::compare).orElse(0L));
        this.most = Math.max(
                1_000,
                deliveries.stream().mapToLong(d -> d.at() - d.due()).max().orElse(0));
    }

    static String of(String name, History history) {
        return new LatenessPlot(history.deliveries(), history.faults()).draw(name, history);
    }

    private String draw(String name, History history) {
        put(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\"><rect width=\"%d\" height=\"%d\" fill=\"white\"/>",
                WIDTH, HEIGHT, WIDTH, HEIGHT);
        put(
                "<text x=\"%d\" y=\"20\">%s: lateness of deliveries (grey: median, blue: worst of each slice) and"
                        + " faults (red)</text>",
                LEFT, escaped(name));
        axes();
        for (Fault fault : history.faults()) {
            put(
                    "<line x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"%2$d\" y2=\"%3$d\" stroke=\"red\" stroke-opacity=\"0.5\">"
                            + "<title>%4$s</title></line>",
                    x(fault.at()), TOP, HEIGHT - BOTTOM, escaped(fault.what() + " " + fault.victim()));
        }
        Map<Long, List<Long>> slices = new TreeMap<>();
        for (Delivery delivery : history.deliveries()) {
            long slice = (delivery.at() - from) * SLICES / (to - from);
            slices.computeIfAbsent(slice, s -> new ArrayList<>()).add(delivery.at() - delivery.due());
        }
        slices.forEach((slice, late) -> {
            late.sort(null);
            long middle = from + (2 * slice + 1) * (to - from) / (2 * SLICES);
            dot(middle, late.get(late.size() / 2), "grey");
            dot(middle, late.get(late.size() - 1), "blue");
        });
        return svg.append("</svg>\n").toString();
    }

    private void axes() {
        for (long mark : MARKS) {
            if (mark <= most) {
                put(
                        "<line x1=\"%1$d\" x2=\"%2$d\" y1=\"%3$.1f\" y2=\"%3$.1f\" stroke=\"#ddd\"/>"
                                + "<text x=\"%4$d\" y=\"%3$.1f\" text-anchor=\"end\">%5$d ms</text>",
                        LEFT, WIDTH - RIGHT, y(mark), LEFT - 6, mark);
            }
        }
        for (int i = 0; i <= 10; i++) {
            long at = from + (to - from) * i / 10;
            put(
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.1f s</text>",
                    x(at), HEIGHT - BOTTOM + 20, (at - from) / 1e3);
        }
    }

    private void dot(long at, long millis, String colour) {
        put("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"%s\"/>", x(at), y(millis), colour);
    }

    private double x(long at) {
        return LEFT + (double) (at - from) / (to - from) * (WIDTH - LEFT - RIGHT);
    }

    /** By powers of ten. */
    private double y(long millis) {
        double part = Math.log10(Math.max(1, millis)) / Math.log10(most);
        return HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    private void put(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
