package io.delayq.config;

import io.delayq.job.Durations;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Parsers for the plain kinds of value. Variables and flags are always text and the file has numbers and booleans too, so
 * each parser takes both, spelled alike.
 */
final class Values {
    static final String HIDDEN = "(hidden)";

    private static final Pattern REPLICAS = Pattern.compile("replicas:([1-9]|10)");
    private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9]{0,9}");

    private Values() {}

    /** Text, or a whole number as text. Other kinds have lost their spelling on the way and must be quoted in the file. */
    static String text(Object given) throws Refused {
        if (given instanceof String || given instanceof Integer || given instanceof Long) {
            return given.toString();
        }
        throw new Refused();
    }

    /** A list, or its JSON text. What is neither is refused without a word of it: it may hold secrets. */
    static JsonArray list(Object given) throws Refused {
        if (given instanceof JsonArray array) {
            return array;
        }
        try {
            if (given instanceof String text) {
                return new JsonArray(text);
            }
        } catch (DecodeException e) {
            throw new Refused();
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

    static <E extends Enum<E>> Key.Parser<E> oneOf(Class<E> type) {
        return given -> {
            String text = text(given);
            for (E one : type.getEnumConstants()) {
                if (spelled(one).equals(text)) {
                    return one;
                }
            }
            throw new Refused();
        };
    }

    static <E extends Enum<E>> String expected(Class<E> type) {
        List<String> words =
                Stream.of(type.getEnumConstants()).map(Values::spelled).toList();
        int last = words.size() - 1;
        return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }

    static String spelled(Enum<?> one) {
        return one.name().toLowerCase(Locale.ROOT);
    }

    static Settings.Durability durability(Object given) throws Refused {
        String text = text(given);
        Matcher replicas = REPLICAS.matcher(text);
        if (replicas.matches()) {
            return Settings.Durability.replicas(Integer.parseInt(replicas.group(1)));
        }
        return switch (text) {
            case "everysec" -> Settings.Durability.EVERYSEC;
            case "always" -> Settings.Durability.ALWAYS;
            default -> throw new Refused();
        };
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
