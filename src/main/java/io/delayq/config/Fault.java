package io.delayq.config;

/**
 * One thing wrong with the configuration.
 *
 * @param key the setting's name as it was given, which may be an unknown one
 * @param given the value with secrets hidden, null when there is none to show
 * @param origin the file and line, the environment variable or the flag
 * @param problem what was expected or what to do
 */
public record Fault(String key, String given, String origin, String problem) {
    private static final int MOST_SHOWN = 80;

    public Fault {
        key = printable(key);
        given = given == null ? null : printable(given);
    }

    @Override
    public String toString() {
        return key + (given == null ? "" : ": \"" + given + "\"") + " (" + origin + "): " + problem;
    }

    /** Values come from outside: a line break in one must not look like a line of ours. */
    static String printable(String text) {
        String shown = text.replaceAll("\\p{Cntrl}", "?");
        return shown.length() <= MOST_SHOWN ? shown : shown.substring(0, MOST_SHOWN) + "...";
    }
}
