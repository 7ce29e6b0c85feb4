package io.delayq.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(description = "Shows help, of delayq or of a command.")
final class HelpCommand implements Runnable {
    @Parameters(arity = "0..1", paramLabel = "COMMAND")
    private String command;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        CommandLine root = spec.root().commandLine();
        CommandLine asked = command == null ? root : root.getSubcommands().get(command);
        if (asked == null) {
            throw Failure.usage("unknown command " + Texts.plain(command) + "; see 'delayq --help'");
        }
        asked.usage(spec.commandLine().getOut());
    }
}
