package io.delayq.load;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What was asked for on the command line. */
record Options(
        List<String> only, Scale scale, List<String> peers, boolean guard, boolean profile, List<String> compare) {
    static final List<String> SCENARIOS = List.of("A", "B", "C", "D", "E", "F", "G", "H", "I");
    static final List<String> PEERS = List.of("beanstalkd", "bullmq", "redisson", "rabbitmq");

    static Options of(String[] args) {
        Map<String, String> values = new LinkedHashMap<>();
        boolean guard = false;
        boolean profile = false;
        List<String> compare = new ArrayList<>();
        for (String arg : args) {
            String[] parts = arg.split("=", 2);
            if (arg.equals("--guard")) {
                guard = true;
            } else if (arg.equals("--profile")) {
                profile = true;
            } else if (parts.length == 2 && parts[0].equals("--compare") && !parts[1].isBlank()) {
                compare.add(parts[1].strip());
            } else if (parts.length == 2
                    && List.of("--only", "--scale", "--peers").contains(parts[0])) {
                values.put(parts[0], parts[1]);
            } else {
                throw new IllegalArgumentException(
                        arg + ": expected --only=A,B --scale=tiny|small|full --peers=beanstalkd,bullmq --profile,"
                                + " --compare='flags of the server', or --guard");
            }
        }
        return new Options(
                chosen("--only", values.get("--only"), SCENARIOS),
                Scale.of(values.getOrDefault("--scale", "small")),
                chosen("--peers", values.get("--peers"), PEERS),
                guard,
                profile,
                compare);
    }

    private static List<String> chosen(String flag, String given, List<String> known) {
        if (given == null) {
            return known;
        }
        List<String> chosen = new ArrayList<>();
        for (String name : given.split(",")) {
            String match = known.stream()
                    .filter(k -> k.toLowerCase(Locale.ROOT).equals(name.strip().toLowerCase(Locale.ROOT)))
                    .findFirst()
                    .orElse(null);
            if (match == null && !name.isBlank() && !name.equals("none")) {
                throw new IllegalArgumentException(flag + ": expected some of " + known + ", found " + name);
            }
            if (match != null) {
                chosen.add(match);
            }
        }
        return chosen;
    }
}
