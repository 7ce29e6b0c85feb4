package io.delayq.config;

import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * One setting: a row of {@link KeyTable}.
 *
 * @param name dotted, as in a flag; the dots are sections in the file
 * @param defaultText what the shipped file has, null when there is no default
 * @param description what it is for, one or more sentences
 * @param expected what a right value looks like, to be read after the word "expected"
 * @param shown how a wrong value may be printed, so that no secret is
 */
public record Key<T>(
        String name,
        String defaultText,
        String description,
        String expected,
        Parser<T> parser,
        UnaryOperator<String> shown) {

    /** From what a source gave: text, a whole number, a boolean, a {@code JsonArray} or a {@code JsonObject}. */
    @FunctionalInterface
    public interface Parser<T> {
        T parse(Object given) throws Refused;
    }

    /** {@code http.maxConnections} is {@code DELAYQ_HTTP_MAX_CONNECTIONS}. */
    public String variable() {
        return Environment.PREFIX
                + name.replace('.', '_').replaceAll("([a-z])([A-Z])", "$1_$2").toUpperCase(Locale.ROOT);
    }

    public String flag() {
        return "--" + name;
    }

    T defaultValue() {
        try {
            return defaultText == null ? null : parser.parse(defaultText);
        } catch (Refused e) {
            throw new IllegalStateException("the default of " + name + " is not valid", e);
        }
    }
}
