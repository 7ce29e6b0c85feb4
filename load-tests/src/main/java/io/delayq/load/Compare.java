package io.delayq.load;

import io.delayq.load.net.Lateness;
import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer.DrainWork;
import io.delayq.load.peer.Peer.PaceWork;
import io.delayq.load.peer.Peer.PushWork;
import io.delayq.load.scenario.DueLateness;
import io.delayq.load.scenario.Scenario;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * delayq with other settings, or another build of it, against the defaults: all are up side by side and take turns, for
 * a machine is never the same twice, and what one run shows and the next one does not says nothing of either. Besides the
 * rates it tells the CPU time that a job took, which the host's other guests disturb less.
 */
final class Compare {
    private static final int ROUNDS = 5;
    private static final int PACE_SECONDS = 10;
    private static final int PER_SECOND = 1_000;
    private static final int TOPICS = 100;
    private static final String DEFAULTS = "defaults";
    /** So many jobs wait in it from the beginning on. */
    private static final Pattern PENDING = Pattern.compile("\\bpending=(\\d+)");

    private final Scale scale;
    private final List<String> only;
    private final Progress progress;
    private final Results results = new Results();
    private final Map<String, Delayq> up = new LinkedHashMap<>();
    private final Map<String, List<Delayq.Blocked>> blocked = new LinkedHashMap<>();
    private final Map<String, List<SlowWatch.Slow>> slow = new LinkedHashMap<>();

    Compare(Scale scale, List<String> only, Progress progress) {
        this.scale = scale;
        this.only = only;
        this.progress = progress;
    }

    /**
     * @param others the flags of each, as one text
     * @param maker makes one with these flags, not yet started
     */
    int run(List<String> others, Function<List<String>, Delayq> maker) throws Exception {
        List<String> names = new ArrayList<>(List.of(DEFAULTS));
        names.addAll(others);
        Stolen before = Stolen.now();
        long began = System.nanoTime();
        try {
            for (String name : names) {
                Delayq delayq = maker.apply(name.equals(DEFAULTS) ? List.of() : List.of(name.split("\\s+")));
                up.put(name, delayq);
                delayq.start();
                scale.warmUp().run(delayq, progress);
                fill(delayq, name);
                delayq.slowCommands();
                delayq.blockedLoops();
            }
            progress.expect(ROUNDS * up.size());
            for (int round = 0; round < ROUNDS; round++) {
                round(round);
            }
        } finally {
            up.values().forEach(Delayq::close);
        }
        progress.end();
        print(Stolen.now().since(before), Witness.Stood.between(began, System.nanoTime()));
        return 0;
    }

    private void fill(Delayq delayq, String name) throws Exception {
        Matcher pending = PENDING.matcher(name);
        if (pending.find()) {
            int jobs = Integer.parseInt(pending.group(1));
            delayq.fill("waiting.", 1, 0, jobs, progress.step("filling: " + name, jobs));
            progress.stepDone();
            delayq.awaitLogWritten();
        }
    }

    /** Each round begins with another one: to be the first, or behind a certain other, is to be no advantage. */
    private void round(int round) throws Exception {
        List<String> names = new ArrayList<>(up.keySet());
        for (int i = 0; i < names.size(); i++) {
            String name = names.get((round + i) % names.size());
            Delayq delayq = up.get(name);
            IntConsumer bar = progress.step("round " + (round + 1) + ": " + name, 1);
            if (only.contains("A")) {
                rate(
                        "A",
                        "single pushes, 16 connections",
                        name,
                        b -> delayq.push(new PushWork(scale.singles(), 16, 1), b));
                rate(
                        "A",
                        "single pushes, 64 connections",
                        name,
                        b -> delayq.push(new PushWork(scale.singles(), 64, 1), b));
            }
            if (only.contains("B")) {
                rate("B", "batches of 100", name, b -> delayq.push(new PushWork(scale.batched(), 16, 100), b));
            }
            if (only.contains("C")) {
                rate("C", "drain with acks", name, b -> delayq.drain(new DrainWork(scale.drained(), 16), b));
            }
            if (only.contains("D")) {
                lateness(name, bar);
            }
            if (only.contains("G")) {
                rate(
                        "G",
                        "batches of 100, " + TOPICS + " topics",
                        name,
                        b -> delayq.push(new PushWork(scale.fillBatched(), 16, 100), TOPICS, b));
                rate(
                        "G",
                        "drain with acks, " + TOPICS + " topics",
                        name,
                        b -> delayq.drain(new DrainWork(scale.fillDrained(), 16), TOPICS, 0, b));
            }
            progress.stepDone();
        }
    }

    private void lateness(String name, IntConsumer bar) throws Exception {
        Delayq delayq = up.get(name);
        String variant = "1,000 jobs/s";
        Stopwatch.awaitQuiet(List.copyOf(up.values()));
        Stopwatch.watch(delayq::processes);
        Stopwatch watch = Stopwatch.start();
        Lateness late = delayq.lateness(new PaceWork(PER_SECOND, PACE_SECONDS, DueLateness.delays(true), 16), bar);
        double seconds = watch.seconds();
        DueLateness.add(results, "D", variant, name, late);
        addCpu("D", variant, name, PER_SECOND * PACE_SECONDS / seconds);
        noteAndClear(name, delayq);
    }

    private void rate(String scenario, String variant, String name, Bench.Rate rate) throws Exception {
        Delayq delayq = up.get(name);
        Stopwatch.awaitQuiet(List.copyOf(up.values()));
        Stopwatch.watch(delayq::processes);
        double perSecond = rate.measure(done -> {});
        results.add(Scenario.jobsPerSecond(scenario, variant), name, perSecond);
        addCpu(scenario, variant, name, perSecond);
        noteAndClear(name, delayq);
    }

    private void addCpu(String scenario, String variant, String name, double perSecond) {
        Stopwatch.lastUse()
                .forEach((role, percent) -> results.add(
                        new Results.Key(scenario, variant, "CPU of " + role, "µs a job", false),
                        name,
                        percent * 10_000 / perSecond));
    }

    private void noteAndClear(String name, Delayq delayq) throws Exception {
        slow.computeIfAbsent(name, one -> new ArrayList<>()).addAll(delayq.slowCommands());
        blocked.computeIfAbsent(name, one -> new ArrayList<>()).addAll(delayq.blockedLoops());
        delayq.clear();
        // emptying is ours
        delayq.slowCommands();
        delayq.blockedLoops();
    }

    private void print(Stolen stolen, Witness.Stood stood) {
        for (Results.Key key : results.keys()) {
            System.out.println(key.scenario() + " " + key.variant() + ", " + key.metric() + ", " + key.unit());
            for (String name : results.peers(key)) {
                StringBuilder all = new StringBuilder();
                results.values(key, name).forEach(value -> all.append("  ").append(Report.number(value)));
                System.out.printf("  %-60s %10s  of%s%n", name, Report.number(results.median(key, name)), all);
            }
        }
        up.keySet()
                .forEach(name -> System.out.println(name + ": commands over 10 ms in Redis: "
                        + Bench.toldSlow(slow.get(name)) + "\n" + name + ": event loops blocked over 50 ms: "
                        + Bench.toldBlocked(blocked.get(name))));
        System.out.println("taken by the host: " + stolen);
        System.out.println("stood still: " + stood);
    }
}
