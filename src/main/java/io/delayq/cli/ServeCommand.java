package io.delayq.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(
        description = {
            "Starts the server. Without redis.url it starts a Redis of its own in data.dir.",
            "conf/delayq.yaml lists every setting; each one is also a flag (--http.port=9000)"
                    + " and an environment variable (DELAYQ_HTTP_PORT)."
        },
        customSynopsis = "delayq serve [-dh] [-c=FILE] [--name=value ...]")
final class ServeCommand implements Callable<Integer> {
    private final Context context;

    @ParentCommand
    private RootCommand root;

    @Mixin
    private ConfigFile config;

    @Option(
            names = {"-d", "--detach"},
            description = "Goes to the background; its pid file and log are delayq.pid and delayq.log in data.dir.")
    private boolean detach;

    @Parameters(paramLabel = "--name=value", hidden = true)
    private List<String> flags = List.of();

    @Spec
    private CommandSpec spec;

    ServeCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        Path file = config.path(root);
        if (detach) {
            new Background(spec.commandLine().getOut(), context, file, flags).start();
        } else {
            context.starter().serve(file, flags);
        }
        return 0;
    }
}
