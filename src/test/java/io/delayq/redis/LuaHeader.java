package io.delayq.redis;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Compares a script's header with what its code, and what that calls of the prelude, does with KEYS and ARGV. */
final class LuaHeader {
    private static final Pattern HEADER = Pattern.compile("(?s)\\A#!lua[^\\n]*\\n--\\[\\[\\n(.*?)\\n]]\\n(.*)\\z");
    private static final Pattern NAMED = Pattern.compile("(KEYS|ARGV)\\[(\\d+)(\\.\\.(\\d*))?]");
    private static final Pattern USED = Pattern.compile("(KEYS|ARGV)\\[(\\d+)]");
    private static final Pattern GROUPS = Pattern.compile("groups_of\\((\\d+), (\\d+)[,)]");
    private static final Pattern LOOP = Pattern.compile("for \\w+ = (\\d+), #ARGV");
    private static final Pattern FUNCTION = Pattern.compile("(?ms)^local function (\\w+)\\(.*?\\)\\n(.*?)^end$");
    /** What each job brings, up to the next slot or the answer. */
    private static final Pattern A_JOB =
            Pattern.compile("(?s)then for each job: (.*?)(?=\\n  (?:KEYS|ARGV|Returns)|\\z)");

    private final String prelude;
    private final String header;
    private final String code;
    private final boolean numbered;

    LuaHeader(String prelude, String script, boolean numbered) {
        this.prelude = prelude.substring(prelude.indexOf("]]") + 2);
        this.numbered = numbered;
        Matcher matcher = HEADER.matcher(script);
        boolean found = matcher.matches();
        this.header = found ? matcher.group(1) : "";
        this.code = found ? matcher.group(2) : script;
    }

    /** Each in one sentence. */
    List<String> faults() {
        if (header.isEmpty()) {
            return List.of("there is no header between the first line and the code");
        }
        List<String> faults = new ArrayList<>();
        Set<String> named = named();
        Set<String> used = used();
        for (String slot : used) {
            if (!named.contains(slot)) {
                faults.add(slot + " is used but not named");
            }
        }
        for (String slot : named) {
            if (!used.contains(slot) && !given(slot)) {
                faults.add(slot + " is named but not there");
            }
        }
        if (code.replaceAll("--[^\\n]*", "").contains("ARGV[at")
                && used.stream().noneMatch(s -> s.endsWith("..]"))) {
            faults.add("ARGV is read from a place that this check does not understand");
        }
        if (!Pattern.compile("(?m)^  Returns ").matcher(header).find()) {
            faults.add("there is no line that begins with Returns");
        }
        arguments(faults);
        return faults;
    }

    /** Slots that every script is given, whether it uses them or not. */
    private boolean given(String slot) {
        Matcher matcher = USED.matcher(slot);
        if (!matcher.matches()) {
            return false;
        }
        int number = Integer.parseInt(matcher.group(2));
        int last = matcher.group(1).equals("KEYS") ? numbered ? 5 : 4 : numbered ? 3 : 2;
        return number >= 1 && number <= last;
    }

    private Set<String> named() {
        Set<String> named = new TreeSet<>();
        Matcher matcher = NAMED.matcher(header);
        while (matcher.find()) {
            int from = Integer.parseInt(matcher.group(2));
            if ("".equals(matcher.group(4))) {
                named.add(matcher.group(1) + "[" + from + "..]");
                continue;
            }
            int to = matcher.group(4) == null ? from : Integer.parseInt(matcher.group(4));
            for (int i = from; i <= to; i++) {
                named.add(matcher.group(1) + "[" + i + "]");
            }
        }
        return named;
    }

    private Set<String> used() {
        StringBuilder reached = new StringBuilder(code);
        // what the prelude does in every script
        reached.append(FUNCTION.matcher(prelude).replaceAll(""));
        Set<String> seen = new HashSet<>();
        boolean more = true;
        while (more) {
            more = false;
            Matcher function = FUNCTION.matcher(prelude);
            while (function.find()) {
                if (calls(reached, function.group(1)) && seen.add(function.group(1))) {
                    reached.append(function.group(2));
                    more = true;
                }
            }
        }
        Set<String> used = new TreeSet<>();
        for (Matcher matcher = USED.matcher(reached); matcher.find(); ) {
            used.add(matcher.group());
        }
        for (Pattern pattern : List.of(GROUPS, LOOP)) {
            for (Matcher matcher = pattern.matcher(code); matcher.find(); ) {
                used.add("ARGV[" + matcher.group(1) + "..]");
            }
        }
        return used;
    }

    private static boolean calls(CharSequence text, String function) {
        return Pattern.compile("(?<![\\w.])" + function + "\\(").matcher(text).find();
    }

    private void arguments(List<String> faults) {
        Matcher groups = GROUPS.matcher(code);
        Matcher aJob = A_JOB.matcher(header);
        if (groups.find() && aJob.find()) {
            int named = aJob.group(1).replaceAll("(?s)\\(.*?\\)", "").split(",").length;
            if (named != Integer.parseInt(groups.group(2))) {
                faults.add(named + " arguments a job are named, " + groups.group(2) + " are used");
            }
        } else if (groups.reset().find()) {
            faults.add("the arguments of a job are not named");
        }
    }
}
