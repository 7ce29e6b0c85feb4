package io.delayq.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What the command line sets: {@code --http.port=0}, {@code --http.port 0}, {@code --insecure}. Of a flag given twice the
 * last one counts, so that a script's flags can be overridden by appending.
 *
 * @param values by key name
 */
record Flags(Map<String, String> values, List<Fault> faults) {
    private static final Pattern NAME = Pattern.compile("--[A-Za-z0-9._-]{1,64}");

    static Flags read(List<String> arguments) {
        Map<String, String> values = new HashMap<>();
        List<Fault> faults = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            int equals = argument.indexOf('=');
            String flag = equals < 0 ? argument : argument.substring(0, equals);
            String value = equals < 0 ? null : argument.substring(equals + 1);
            if (!NAME.matcher(flag).matches()) {
                // Not shown: it may be half of a secret that a shell split in two.
                faults.add(new Fault("argument " + (i + 1), null, "command line", "expected --name=value"));
                continue;
            }
            // The value of an unknown flag is skipped too, or it would be reported as a second fault.
            if (value == null
                    && i + 1 < arguments.size()
                    && !arguments.get(i + 1).startsWith("--")) {
                value = arguments.get(++i);
            }
            add(flag.substring(2), value, values, faults);
        }
        return new Flags(values, faults);
    }

    private static void add(String name, String value, Map<String, String> values, List<Fault> faults) {
        String origin = "flag --" + name;
        if (!KeyTable.NAMES.contains(name)) {
            faults.add(new Fault(name, null, origin, KeyTable.unknown(name)));
        } else if (value != null) {
            values.put(name, value);
        } else if (name.equals(KeyTable.INSECURE.name())) {
            values.put(name, "true");
        } else {
            faults.add(new Fault(name, null, origin, "has no value; expected --" + name + "=value"));
        }
    }
}
