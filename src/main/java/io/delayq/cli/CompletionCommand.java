package io.delayq.cli;

import java.io.PrintWriter;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        description = "Prints a completion script for bash and zsh.",
        footer = {"", "  source <(delayq completion)"})
final class CompletionCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(AutoComplete.bash("delayq", spec.root().commandLine()));
        // only println writes through, and half a script is none
        out.flush();
    }
}
