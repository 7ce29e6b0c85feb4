package io.delayq.config;

import io.vertx.core.json.JsonArray;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What a server can do; in the order of a job's way. */
public enum Role {
    INGRESS,
    SCANNER,
    DISPATCHER,
    GATEWAY,
    WEBHOOK;

    static final String ALL = "[" + Arrays.stream(values()).map(Role::word).collect(Collectors.joining(", ")) + "]";
    static final String EXPECTED = "a list of some of " + ALL.substring(1, ALL.length() - 1) + ", each once";

    private static final Map<String, Role> BY_WORD =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Role::word, role -> role));

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** A list, or text as in the file: {@code [ingress, scanner]}, where the brackets may be left out. */
    static Set<Role> parse(Object given) throws Refused {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        for (Object word : words(given)) {
            Role role = word instanceof String text ? BY_WORD.get(text) : null;
            if (role == null || !roles.add(role)) {
                throw new Refused();
            }
        }
        if (roles.isEmpty()) {
            throw new Refused();
        }
        return roles;
    }

    private static List<?> words(Object given) throws Refused {
        return given instanceof JsonArray array
                ? array.getList()
                : List.of(Values.text(given)
                        .strip()
                        .replaceFirst("^\\[(.*)]$", "$1")
                        .strip()
                        .split("\\s*,\\s*", -1));
    }

    /** Why these cannot work together; null if they can. Consumers and dispatchers meet within a process. */
    static String conflict(Set<Role> roles) {
        if (roles.contains(GATEWAY) && !roles.contains(INGRESS)) {
            return "gateway needs ingress: WebSockets come in through its port";
        }
        if (roles.contains(GATEWAY) && !roles.contains(DISPATCHER)) {
            return "gateway needs dispatcher: nobody would hand jobs to its subscribers";
        }
        if (roles.contains(DISPATCHER) && !roles.contains(INGRESS)) {
            return "dispatcher needs ingress: it would have nobody to hand jobs to";
        }
        return null;
    }
}
