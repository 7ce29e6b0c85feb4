package io.delayq.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(description = "Gives a delayed, ready or dead job another time.")
final class RescheduleCommand extends RemoteCommand {
    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic;

    @Parameters(index = "1", paramLabel = "ID")
    private String id;

    @ArgGroup(multiplicity = "1")
    private JobFields.When when;

    RescheduleCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        ObjectNode body = Texts.object();
        when.write(body);
        Remote.Answer answer = remote.call("PATCH", Remote.job(topic, id), body);
        answer(answer, () -> out().println(PushCommand.line(answer.json())));
    }
}
