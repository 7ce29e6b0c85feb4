package io.delayq.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        description = {
            "A live table of all topics; q or Ctrl-C ends. One JSON when piped or with --json.",
            "Counts are those of all servers on the same Redis; rates and lateness are those of the server asked."
        })
final class StatsCommand extends RemoteCommand {
    private static final String HOME = "\033[H";
    private static final String CLEAR_LINE = "\033[K";
    private static final String CLEAR_BELOW = "\033[J";
    private static final String OTHER_SCREEN = "\033[?1049h\033[?25l";
    private static final String OWN_SCREEN = "\033[?25h\033[?1049l";
    private static final int HEAD_LINES = 5;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "PREFIX",
            defaultValue = "",
            description = "Only topics whose names begin with it.")
    private String prefix;

    @Option(
            names = "--interval",
            paramLabel = "DURATION",
            defaultValue = "1s",
            description = "Over which rates are measured; 1s if left out.")
    private String interval;

    private final CountDownLatch ended = new CountDownLatch(1);

    StatsCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        long millis = Math.max(10, Texts.millis("--interval", interval));
        Sample before = Sample.take(remote, prefix);
        if (options.json() || !context.terminal()) {
            pause(millis);
            out().println(json(remote, before, Sample.take(remote, prefix)));
        } else {
            live(remote, before, millis);
        }
    }

    private void live(Remote remote, Sample first, long millis) {
        Runnable restoreKeys = Terminal.readKeys();
        Runnable restore = () -> {
            out().print(OWN_SCREEN);
            out().flush();
            restoreKeys.run();
        };
        Thread stop = new Thread(restore, "stop");
        Runtime.getRuntime().addShutdownHook(stop);
        Thread keys = new Thread(this::readKeys, "keys");
        keys.setDaemon(true);
        keys.start();
        try {
            out().print(OTHER_SCREEN);
            Sample before = first;
            do {
                Sample now = Sample.take(remote, prefix);
                draw(remote, before, now);
                before = now;
            } while (!pause(millis));
        } finally {
            Runtime.getRuntime().removeShutdownHook(stop);
            restore.run();
        }
    }

    private void readKeys() {
        try {
            for (int key = context.in().read(); key >= 0; key = context.in().read()) {
                if (key == 'q' || key == 'Q') {
                    break;
                }
            }
        } catch (IOException e) {
            // no keys, then: Ctrl-C is left
            return;
        }
        ended.countDown();
    }

    /** Whether it is to end. */
    private boolean pause(long millis) {
        try {
            return ended.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void draw(Remote remote, Sample before, Sample now) {
        int width = Terminal.width(context);
        int height = Terminal.height(context);
        List<String> lines = lines(remote, before, now, width, height);
        StringBuilder screen = new StringBuilder(HOME);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            boolean head = context.colour() && (i == 0 || i == HEAD_LINES - 1);
            String cut = line.length() > width ? line.substring(0, width) : line;
            screen.append(head ? "\033[1m" + cut + "\033[0m" : cut)
                    .append(CLEAR_LINE)
                    .append(i + 1 < lines.size() ? "\r\n" : "");
        }
        out().print(screen.append(CLEAR_BELOW));
        out().flush();
    }

    static List<String> lines(Remote remote, Sample before, Sample now, int width, int height) {
        List<String> lines = new ArrayList<>();
        double p50 = now.latenessMillis(before, 0.5);
        double p99 = now.latenessMillis(before, 0.99);
        lines.add("delayq " + remote.url() + "  " + LocalTime.now().truncatedTo(ChronoUnit.SECONDS) + "  (q ends)");
        lines.add(String.format(
                Locale.ROOT,
                "%s: %.0f delayed, %.0f ready, %.0f reserved, %.0f dead",
                now.topics().size() == 1 ? "1 topic" : now.topics().size() + " topics",
                now.sum("delayed"),
                now.sum("ready"),
                now.sum("reserved"),
                now.sum("dead")));
        lines.add(
                p50 < 0 ? "lateness: nothing was delivered" : "lateness: half " + within(p50) + ", 99% " + within(p99));
        lines.add("");
        Table table =
                new Table("TOPIC", "DELAYED", "READY", "RESERVED", "DEAD", "PUSH/S", "DELIVER/S", "ACK/S", "CONSUMERS");
        for (JsonNode topic : shown(before, now, height - HEAD_LINES)) {
            String name = topic.path("topic").asText();
            table.row(List.of(
                    Texts.plain(name) + (topic.path("paused").asBoolean() ? " (paused)" : ""),
                    topic.path("delayed").asText("0"),
                    topic.path("ready").asText("0"),
                    topic.path("reserved").asText("0"),
                    topic.path("dead").asText("0"),
                    rate(now.perSecond(before, Sample.PUSHED, name)),
                    rate(now.perSecond(before, Sample.DELIVERED, name)),
                    rate(now.perSecond(before, Sample.ACKED, name)),
                    topic.path("subscribers").asText("0")));
        }
        lines.addAll(table.lines(width));
        if (lines.size() > height) {
            int more = lines.size() - height + 1;
            lines.subList(height - 1, lines.size()).clear();
            lines.add("... and " + more + " more; name a prefix to see them");
        }
        return lines;
    }

    /** By name; where not all have room, the busiest first, then those with the most jobs. */
    private static List<JsonNode> shown(Sample before, Sample now, int room) {
        List<JsonNode> topics = new ArrayList<>();
        now.topics().forEach(topics::add);
        if (topics.size() > room) {
            topics.sort(Comparator.comparingDouble((JsonNode topic) -> -busy(before, now, topic))
                    .thenComparingLong(topic -> -jobs(topic)));
        }
        return topics;
    }

    private static double busy(Sample before, Sample now, JsonNode topic) {
        String name = topic.path("topic").asText();
        return now.perSecond(before, Sample.PUSHED, name)
                + now.perSecond(before, Sample.DELIVERED, name)
                + now.perSecond(before, Sample.ACKED, name);
    }

    private static long jobs(JsonNode topic) {
        return topic.path("delayed").asLong()
                + topic.path("ready").asLong()
                + topic.path("reserved").asLong()
                + topic.path("dead").asLong();
    }

    private static String within(double millis) {
        return Double.isInfinite(millis) ? "> 60s" : "<= " + Texts.about(Math.round(millis));
    }

    private static String rate(double perSecond) {
        return perSecond == 0 ? "0" : String.format(Locale.ROOT, perSecond < 10 ? "%.1f" : "%.0f", perSecond);
    }

    private static ObjectNode json(Remote remote, Sample before, Sample now) {
        ObjectNode json = Texts.object().put("time", System.currentTimeMillis()).put("url", remote.url());
        double p50 = now.latenessMillis(before, 0.5);
        double p99 = now.latenessMillis(before, 0.99);
        // left out when nothing was delivered, or when it was beyond what is measured
        if (p99 >= 0 && !Double.isInfinite(p99)) {
            json.putObject("lateness").put("p50Millis", p50).put("p99Millis", p99);
        }
        ArrayNode topics = json.putArray("topics");
        for (JsonNode topic : now.topics()) {
            String name = topic.path("topic").asText();
            topics.add(((ObjectNode) topic.deepCopy())
                    .put("pushedPerSecond", rounded(now.perSecond(before, Sample.PUSHED, name)))
                    .put("deliveredPerSecond", rounded(now.perSecond(before, Sample.DELIVERED, name)))
                    .put("ackedPerSecond", rounded(now.perSecond(before, Sample.ACKED, name))));
        }
        return json;
    }

    private static double rounded(double rate) {
        return Math.round(rate * 100) / 100.0;
    }
}
