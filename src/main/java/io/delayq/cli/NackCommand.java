package io.delayq.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(description = "The job failed; it runs again if attempts remain.")
final class NackCommand extends RemoteCommand {
    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic;

    @Parameters(index = "1", paramLabel = "ID")
    private String id;

    @Parameters(index = "2", paramLabel = "LEASE", description = "As reserve showed it.")
    private String lease;

    @Option(
            names = {"--in", "--delay"},
            paramLabel = "DURATION",
            description = "When again; left out, the backoff decides.")
    private String in;

    @Option(names = "--error", paramLabel = "TEXT", description = "Why; kept with the job.")
    private String error;

    NackCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        ObjectNode body = Texts.object().put("lease", lease);
        if (in != null) {
            body.put("delay", Texts.millis("--in", in));
        }
        if (error != null) {
            body.put("error", error);
        }
        Remote.Answer answer = remote.call("POST", Remote.job(topic, id) + "/nack", body);
        answer(answer, () -> out().println(PushCommand.line(
                Texts.object().put("topic", topic).put("id", id).setAll((ObjectNode) answer.json()))));
    }
}
