package io.delayq.cli;

import io.delayq.job.Names;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What is wrong with a command's arguments, and what was expected instead of them; the parser knows only the first. */
final class Misuse {
    private static final int MOST_SHOWN = 40;

    private Misuse() {}

    /** Empty: what the parser says will do. */
    static Optional<String> of(ParameterException e) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        if (e instanceof UnmatchedArgumentException unmatched) {
            return Optional.of(unmatched(command, unmatched.getUnmatched()));
        }
        if (e instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()
                && missing.getMissing().stream().allMatch(PositionalParamSpec.class::isInstance)) {
            String labels = missing.getMissing().stream()
                    .map(argument -> argument.paramLabel())
                    .collect(Collectors.joining(" and "));
            return Optional.of("missing " + labels + "; expected " + expected(command));
        }
        return Optional.empty();
    }

    private static String unmatched(CommandSpec command, List<String> words) {
        Optional<String> option = words.stream()
                .filter(word -> word.startsWith("-") && word.length() > 1)
                .findFirst();
        if (option.isPresent()) {
            String name = option.get().replaceFirst("=.*", "");
            String near = Names.nearest(name, command.optionsMap().keySet());
            return "unknown option " + shown(name) + (near == null ? "" : ", did you mean " + near) + "; expected "
                    + expected(command);
        }
        return (words.size() == 1 ? "one argument" : words.size() + " arguments") + " too many: "
                + shown(String.join(" ", words)) + "; expected " + expected(command)
                + (takesBody(command) ? ", a body with spaces in quotes" : "");
    }

    private static String expected(CommandSpec command) {
        return command.qualifiedName() + " [OPTIONS]"
                + command.positionalParameters().stream()
                        .map(argument ->
                                argument.required() ? argument.paramLabel() : "[" + argument.paramLabel() + "]")
                        .map(label -> " " + label)
                        .collect(Collectors.joining());
    }

    private static boolean takesBody(CommandSpec command) {
        return command.positionalParameters().stream()
                .anyMatch(argument -> argument.paramLabel().equals("BODY"));
    }

    private static String shown(String text) {
        String plain = Texts.plain(text);
        return plain.length() <= MOST_SHOWN ? plain : plain.substring(0, MOST_SHOWN) + "...";
    }
}
