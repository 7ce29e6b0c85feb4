package io.delayq.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(description = "The job is done.")
final class AckCommand extends RemoteCommand {
    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic;

    @Parameters(index = "1", paramLabel = "ID")
    private String id;

    @Parameters(index = "2", paramLabel = "LEASE", description = "As reserve showed it.")
    private String lease;

    AckCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        remote.call("POST", Remote.job(topic, id) + "/ack", Texts.object().put("lease", lease));
        out().println(options.json() ? "{\"acked\":1}" : Texts.plain(topic + " " + id) + "  done");
    }
}
