package io.delayq.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(description = "Removes a job, whatever its state.")
final class CancelCommand extends RemoteCommand {
    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic;

    @Parameters(index = "1", paramLabel = "ID")
    private String id;

    CancelCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        remote.call("DELETE", Remote.job(topic, id), null);
        out().println(options.json() ? "{\"cancelled\":1}" : Texts.plain(topic + " " + id) + "  cancelled");
    }
}
