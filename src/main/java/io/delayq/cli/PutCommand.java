package io.delayq.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        description = {
            "Creates a job, or replaces the one that has the id, whatever its state.",
            "Called again and again, it puts the job off: a debounce."
        },
        footer = {"", "  delayq put mail user-7 --in 5m '{\"changes\":3}'"})
final class PutCommand extends RemoteCommand {
    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic;

    @Parameters(index = "1", paramLabel = "ID")
    private String id;

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "BODY",
            description = "Any JSON; - reads it from standard input; left out it is null.")
    private String body;

    @Mixin
    private JobFields fields;

    PutCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        Remote.Answer answer = remote.call("PUT", Remote.job(topic, id), fields.write(body, context.in()));
        answer(answer, () -> out().println(
                        PushCommand.line(answer.json()) + (answer.status() == 200 ? ", replaced" : "")));
    }
}
