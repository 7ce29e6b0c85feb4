package io.delayq.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        description = "Stores a job, to be delivered now or at a later time.",
        footer = {"", "  delayq push order --in 30m '{\"id\":1}'", "  jq -c . big.json | delayq push order --id 7 -"})
final class PushCommand extends RemoteCommand {
    @Parameters(index = "0", paramLabel = "TOPIC", description = "What consumers subscribe to.")
    private String topic;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "BODY",
            description = "Any JSON; - reads it from standard input; left out it is null.")
    private String body;

    @Option(
            names = "--id",
            paramLabel = "ID",
            description = "Unique in its topic: a push repeated with it makes one job. Left out, the server makes one.")
    private String id;

    @Mixin
    private JobFields fields;

    PushCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        ObjectNode job = fields.write(body, context.in());
        if (id != null) {
            job.put("id", id);
        }
        Remote.Answer answer = remote.call("POST", Remote.topic(topic) + "/jobs", job);
        answer(answer, () -> out().println(line(answer.json())));
    }

    static String line(JsonNode job) {
        return Texts.plain(job.path("topic").asText() + " " + job.path("id").asText()) + "  "
                + job.path("state").asText()
                + (job.has("due") ? ", due " + Texts.when(job.path("due").asLong()) : "");
    }
}
