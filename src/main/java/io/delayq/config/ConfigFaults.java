package io.delayq.config;

import java.util.List;
import java.util.stream.Collectors;

/** Everything wrong with the configuration, at once. The message is for people: one line for each fault. */
public final class ConfigFaults extends RuntimeException {
    private final transient List<Fault> faults;

    public ConfigFaults(List<Fault> faults) {
        // Without a stack trace: the fault is in the configuration, not in the code that read it.
        super(message(faults), null, false, false);
        this.faults = List.copyOf(faults);
    }

    public List<Fault> faults() {
        return faults;
    }

    private static String message(List<Fault> faults) {
        String head = "the configuration has " + (faults.size() == 1 ? "a fault" : faults.size() + " faults") + ":";
        return faults.stream().map(fault -> "\n  " + fault).collect(Collectors.joining("", head, ""));
    }
}
