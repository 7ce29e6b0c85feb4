package io.delayq.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(description = "Lists the topics with how many jobs they have in each state.")
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
        Table table = new Table("TOPIC", "DELAYED", "READY", "RESERVED", "DEAD", "DONE", "CONSUMERS", "");
        for (JsonNode topic : topics) {
            table.row(List.of(
                    Texts.plain(topic.path("topic").asText()),
                    topic.path("delayed").asText("0"),
                    topic.path("ready").asText("0"),
                    topic.path("reserved").asText("0"),
                    topic.path("dead").asText("0"),
                    topic.path("done").asText("0"),
                    topic.path("subscribers").asText("0"),
                    topic.path("paused").asBoolean() ? "paused" : ""));
        }
        table.lines(Terminal.width(context)).forEach(out()::println);
    }
}
