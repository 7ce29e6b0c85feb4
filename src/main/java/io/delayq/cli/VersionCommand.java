package io.delayq.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(description = "Shows the version.")
final class VersionCommand implements Runnable {
    private final Context context;

    @Spec
    private CommandSpec spec;

    VersionCommand(Context context) {
        this.context = context;
    }

    @Override
    public void run() {
        spec.commandLine().getOut().println("delayq " + context.version());
    }
}
