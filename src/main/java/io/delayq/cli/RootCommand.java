package io.delayq.cli;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

@Command(
        name = "delayq",
        description = "A delay queue: jobs go in with a time and come out when it has come.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  delayq serve",
            "  delayq push order --in 30m '{\"id\":1}'",
            "  delayq watch order --ack",
            "",
            "DELAYQ_URL and DELAYQ_TOKEN stand in for --url and --token."
        })
final class RootCommand implements Runnable {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Shows this help.")
    private boolean help;

    @Option(
            names = {"-v", "--version"},
            versionHelp = true,
            description = "Shows the version.")
    private boolean version;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Settings of the server; without it conf/delayq.yaml, if it is there.")
    Path config;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
