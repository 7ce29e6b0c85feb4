package io.delayq.cli;

import io.delayq.config.ConfigFaults;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Puts the commands together and says errors in one line. Exit codes: 0 done, 1 failed, 2 called in a wrong way. */
public final class Cli {
    private static final int FAILED = 1;
    private static final int USAGE = 2;
    private static final int WIDTH = 80;

    private Cli() {}

    /** What a call with these arguments needs: a server that starts does not wait for the other commands. */
    public static CommandLine of(Context context, String... args) {
        CommandLine cli = new CommandLine(new RootCommand());
        cli.getCommandSpec().versionProvider(() -> new String[] {"delayq " + context.version()});
        cli.addSubcommand("serve", new ServeCommand(context));
        if (args.length == 0 || !args[0].equals("serve")) {
            addOthers(cli, context);
        }
        // a body may begin with @
        cli.setExpandAtFiles(false)
                .setUsageHelpWidth(WIDTH)
                .setColorScheme(Help.defaultColorScheme(context.ansi()))
                .setParameterExceptionHandler(Cli::misused)
                .setExecutionExceptionHandler(Cli::failed);
        // settings are read by the server's own loader, which knows their names
        cli.getSubcommands().get("serve").setUnmatchedOptionsArePositionalParams(true);
        return cli;
    }

    private static void addOthers(CommandLine cli, Context context) {
        cli.addSubcommand("push", new PushCommand(context))
                .addSubcommand("put", new PutCommand(context))
                .addSubcommand("reserve", new ReserveCommand(context))
                .addSubcommand("ack", new AckCommand(context))
                .addSubcommand("nack", new NackCommand(context))
                .addSubcommand("get", new GetCommand(context))
                .addSubcommand("cancel", new CancelCommand(context))
                .addSubcommand("reschedule", new RescheduleCommand(context))
                .addSubcommand("watch", new WatchCommand(context))
                .addSubcommand("import", new ImportCommand(context))
                .addSubcommand("export", new ExportCommand(context))
                .addSubcommand("topics", new TopicsCommand(context))
                .addSubcommand("stats", new StatsCommand(context))
                .addSubcommand("doctor", new DoctorCommand(context))
                .addSubcommand("rebucket", new RebucketCommand(context))
                .addSubcommand("secret", new SecretCommand(context))
                .addSubcommand("completion", new CompletionCommand())
                .addSubcommand("version", new VersionCommand(context))
                .addSubcommand("help", new HelpCommand());
        cli.getSubcommands().get("rebucket").setUnmatchedOptionsArePositionalParams(true);
    }

    /** Whether the command is serve, and not, say, a push to a topic of that name. */
    public static boolean serves(ParseResult parsed) {
        return parsed.hasSubcommand()
                && parsed.subcommand().commandSpec().name().equals("serve");
    }

    private static int misused(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        boolean atRoot = command.getParent() == null;
        String what = atRoot ? said(e) : Misuse.of(e).orElseGet(() -> said(e));
        if (atRoot && e instanceof UnmatchedArgumentException unmatched) {
            String word = unmatched.getUnmatched().get(0);
            List<String> near = unmatched.getSuggestions();
            what = (word.startsWith("-") ? "unknown option " : "unknown command ")
                    + word
                    + (near.isEmpty() || word.startsWith("-") ? "" : ", did you mean " + near.get(0));
        }
        String help = atRoot ? "delayq --help" : command.getCommandSpec().qualifiedName() + " --help";
        say(command.getErr(), what + "; see '" + help + "'");
        return USAGE;
    }

    private static String said(ParameterException e) {
        String text = e.getMessage().replaceFirst("^Error: ", "");
        return text.isEmpty() ? text : text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
    }

    private static int failed(Exception e, CommandLine command, ParseResult parsed) {
        if (e instanceof Failure failure) {
            say(command.getErr(), failure.getMessage());
            return failure.exitCode();
        }
        if (e instanceof ConfigFaults) {
            // a line for each, as serve has them
            command.getErr().println("delayq: " + e.getMessage());
            command.getErr().flush();
            return FAILED;
        }
        say(command.getErr(), e.getMessage() == null ? e.toString() : e.getMessage());
        return FAILED;
    }

    private static void say(PrintWriter err, String message) {
        err.println("delayq: " + message.lines().map(String::strip).collect(Collectors.joining(" ")));
        err.flush();
    }
}
