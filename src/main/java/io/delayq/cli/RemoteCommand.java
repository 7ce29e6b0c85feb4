package io.delayq.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** A command that asks a server. */
abstract class RemoteCommand implements Callable<Integer> {
    final Context context;

    @ParentCommand
    private RootCommand root;

    @Mixin
    private ConfigFile config;

    @Mixin
    RemoteOptions options;

    @Spec
    CommandSpec spec;

    RemoteCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        run(options.remote(context, config.path(root)));
        out().flush();
        return 0;
    }

    abstract void run(Remote remote);

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** The server's answer as it is with {@code --json}, otherwise what a person wants to see. */
    void answer(Remote.Answer answer, Runnable human) {
        if (options.json()) {
            out().println(answer.text());
        } else {
            human.run();
        }
    }
}
