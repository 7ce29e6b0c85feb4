package io.delayq.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        description = {
            "Lists the topics with how many jobs they have in each state.",
            "Jobs that are done are gone, unless the topic's setting keepDone keeps them: then they are counted as"
                    + " DONE."
        })
final class TopicsCommand extends RemoteCommand {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "PREFIX",
            defaultValue = "",
            description = "Only topics whose names begin with it.")
    private String prefix;

    TopicsCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        ArrayNode topics = Topics.all(remote, prefix);
        if (options.json()) {
            out().println(Texts.object().set("topics", topics));
        } else if (topics.isEmpty()) {
            out().println("no topic" + (prefix.isEmpty() ? "" : " begins with " + Texts.plain(prefix))
                    + "; the first push makes one");
        } else {
            show(topics);
        }
    }

    private void show(ArrayNode topics) {
        List<String> states = new ArrayList<>(List.of("delayed", "ready", "reserved", "dead"));
        // most topics do not keep them, and a column of noughts looks like a fault
        for (JsonNode topic : topics) {
            if (topic.path("done").asLong() > 0 && !states.contains("done")) {
                states.add("done");
            }
        }
        List<String> head = new ArrayList<>(List.of("TOPIC"));
        states.forEach(state -> head.add(state.toUpperCase(Locale.ROOT)));
        head.addAll(List.of("CONSUMERS", ""));
        Table table = new Table(head.toArray(String[]::new));
        for (JsonNode topic : topics) {
            List<String> row =
                    new ArrayList<>(List.of(Texts.plain(topic.path("topic").asText())));
            states.forEach(state -> row.add(topic.path(state).asText("0")));
            row.add(topic.path("subscribers").asText("0"));
            row.add(topic.path("paused").asBoolean() ? "paused" : "");
            table.row(row);
        }
        table.lines(Terminal.width(context)).forEach(out()::println);
    }
}
