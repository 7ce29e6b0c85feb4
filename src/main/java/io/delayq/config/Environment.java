package io.delayq.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What the environment sets. An empty variable counts as not set: compose files and unit files make those in passing.
 *
 * @param values by key name
 * @param warnings about variables that look like ours and are not; no fault, since others may own them
 */
record Environment(Map<String, String> values, List<String> warnings) {
    static final String PREFIX = "DELAYQ_";

    private static final String TESTS = PREFIX + "TEST_";
    /** For the start script and the command line tools. */
    private static final Set<String> OTHERS = Set.of(PREFIX + "JAVA_OPTS", PREFIX + "URL", PREFIX + "TOKEN");

    static Environment read(Map<String, String> env) {
        Map<String, String> names =
                KeyTable.ALL.stream().collect(Collectors.toMap(Key::variable, Key::name, (a, b) -> a, TreeMap::new));
        Map<String, String> values = new HashMap<>();
        List<String> warnings = new ArrayList<>();
        new TreeMap<>(env).forEach((variable, value) -> {
            if (names.containsKey(variable)) {
                if (!value.isEmpty()) {
                    values.put(names.get(variable), value);
                }
            } else if (variable.startsWith(PREFIX) && !variable.startsWith(TESTS) && !OTHERS.contains(variable)) {
                warnings.add("unknown variable " + Fault.printable(variable) + "; the nearest known one is "
                        + Nearest.to(variable, names.keySet()));
            }
        });
        return new Environment(values, warnings);
    }
}
