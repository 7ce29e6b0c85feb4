package io.delayq.config;

import io.vertx.core.json.JsonArray;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The older delay queues whose clients are served; docs/compat.md has what each one is. */
public enum Compat {
    C1,
    C2,
    C3,
    C4,
    C5;

    static final String EXPECTED = "none, all, or a list of some of c1, c2, c3, c4, c5, each once";
    static final String LISTEN_EXPECTED =
            "a list of addresses, each for one of c1, c2, c3, c4, such as c3=127.0.0.1:8080, or c4=9090 for http.host";

    private static final Map<String, Compat> BY_WORD =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(Compat::word, one -> one));
    private static final Pattern ADDRESS = Pattern.compile("(c[1-4])=(?:(.+):)?([0-9]{1,5})");
    private static final int MOST_PORT = 65_535;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Set<Compat> parse(Object given) throws Refused {
        if ("none".equals(given)) {
            return Set.of();
        }
        if ("all".equals(given)) {
            return Collections.unmodifiableSet(EnumSet.allOf(Compat.class));
        }
        Set<Compat> found = EnumSet.noneOf(Compat.class);
        for (Object word : words(given)) {
            Compat one = word instanceof String text ? BY_WORD.get(text) : null;
            if (one == null || !found.add(one)) {
                throw new Refused();
            }
        }
        return Collections.unmodifiableSet(found);
    }

    /** A host that is left out is null. */
    static Map<Compat, Settings.Address> listen(Object given) throws Refused {
        Map<Compat, Settings.Address> found = new EnumMap<>(Compat.class);
        for (Object word : words(given)) {
            Matcher address = ADDRESS.matcher(word instanceof String text ? text : "");
            if (!address.matches()) {
                throw new Refused();
            }
            String host = address.group(2) == null ? null : Hosts.parse(address.group(2));
            int port = Integer.parseInt(address.group(3));
            if (port < 1
                    || port > MOST_PORT
                    || found.put(BY_WORD.get(address.group(1)), new Settings.Address(host, port)) != null) {
                throw new Refused();
            }
        }
        return found;
    }

    /** Of a list, or of text as in the file, where the brackets may be left out. */
    private static List<?> words(Object given) throws Refused {
        if (given instanceof JsonArray array) {
            if (array.isEmpty()) {
                throw new Refused();
            }
            return array.getList();
        }
        String text =
                Values.text(given).strip().replaceFirst("^\\[(.*)]$", "$1").strip();
        return List.of(text.split("\\s*,\\s*", -1));
    }
}
