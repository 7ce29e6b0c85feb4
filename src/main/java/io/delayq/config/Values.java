package io.delayq.config;

import io.delayq.job.Durations;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Parsers for the plain kinds of value. Variables and flags are always text and the file has numbers and booleans too, so
 * each parser takes both, spelled alike.
 */
final class Values {
    static final String HIDDEN = "(hidden)";

    private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9]{0,9}");

    private Values() {}

    /** Text, or a whole number as text. Other kinds have lost their spelling on the way and must be quoted in the file. */
    static String text(Object given) throws Refused {
        if (given instanceof String || given instanceof Integer || given instanceof Long) {
            return given.toString();
        }
        throw new Refused();
    }

    static Key.Parser<String> matching(String regex) {
        Pattern pattern = Pattern.compile(regex);
        return given -> {
            String text = text(given);
            if (!pattern.matcher(text).matches()) {
                throw new Refused();
            }
            return text;
        };
    }

    static Key.Parser<Integer> whole(int least, int most) {
        return given -> {
            String text = text(given);
            // Ten digits at most, so that this fits a long.
            long number = WHOLE.matcher(text).matches() ? Long.parseLong(text) : -1;
            if (number < least || number > most) {
                throw new Refused();
            }
            return (int) number;
        };
    }

    static Key.Parser<Long> duration(long leastMillis, long mostMillis) {
        return given -> {
            try {
                long millis = Durations.parseOrMillis(text(given));
                if (millis >= leastMillis && millis <= mostMillis) {
                    return millis;
                }
            } catch (IllegalArgumentException e) {
                throw new Refused();
            }
            throw new Refused();
        };
    }

    static Boolean trueOrFalse(Object given) throws Refused {
        if (given instanceof Boolean value) {
            return value;
        }
        if ("true".equals(given) || "false".equals(given)) {
            return "true".equals(given);
        }
        throw new Refused();
    }

    static Path path(Object given) throws Refused {
        String text = text(given);
        try {
            if (!text.isBlank()) {
                return Path.of(text);
            }
        } catch (InvalidPathException e) {
            throw new Refused();
        }
        throw new Refused();
    }
}
