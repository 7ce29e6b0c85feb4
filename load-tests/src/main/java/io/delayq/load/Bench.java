package io.delayq.load;

import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer;
import io.delayq.load.scenario.Scenario;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a scenario works with: the systems that are up, and where figures go. */
public final class Bench {
    private static final int SLOW_MICROS = 10_000;
    private static final int BLOCKED_MILLIS = 50;

    private final Scale scale;
    private final Results results;
    private final Progress progress;
    private final List<Peer> peers;
    private final Map<String, List<SlowWatch.Slow>> slow = new LinkedHashMap<>();
    private final Map<String, List<Delayq.Blocked>> blocked = new LinkedHashMap<>();
    private final Map<String, Double> lag = new LinkedHashMap<>();
    private final Map<String, Stolen> stolen = new LinkedHashMap<>();
    private final Map<String, Witness.Stood> stood = new LinkedHashMap<>();
    private final Function<List<String>, Delayq> another;

    /** @param another makes a delayq with these flags, not yet started */
    Bench(Scale scale, Results results, Progress progress, List<Peer> peers, Function<List<String>, Delayq> another) {
        this.scale = scale;
        this.results = results;
        this.progress = progress;
        this.peers = new ArrayList<>(peers);
        this.another = another;
    }

    /** A figure, or several by {@link Results#add}; what it throws is a failed check of that system. */
    public interface Work {
        void run(IntConsumer progress) throws Exception;
    }

    public Scale scale() {
        return scale;
    }

    public Results results() {
        return results;
    }

    public Progress progress() {
        return progress;
    }

    /** Those that are up, delayq first. */
    public List<Peer> peers() {
        return peers;
    }

    public Delayq delayq() {
        return (Delayq) peers.get(0);
    }

    /** A delayq of its own with these flags, started and warm; null, and a failure noted, if it does not start. */
    public Delayq warm(String scenario, List<String> flags) {
        Delayq delayq = another.apply(flags);
        try {
            delayq.start();
            scale.warmUp().run(delayq, progress);
            // what was slow until now was the warming up
            delayq.slowCommands();
            delayq.blockedLoops();
            return delayq;
        } catch (Exception e) {
            results.failed(new Results.Failure(scenario, String.join(" ", flags), delayq.name(), why(e)));
            delayq.close();
            return null;
        }
    }

    /** Runs it with one such beside the others, and ends that after it; with null if it does not start. */
    public void beside(String scenario, List<String> flags, Consumer<Delayq> run) {
        Delayq another = warm(scenario, flags);
        try {
            run.accept(another);
        } finally {
            if (another != null) {
                another.close();
            }
        }
    }

    /** A rate, and what the processes used of the CPU meanwhile. */
    public interface Rate {
        double measure(IntConsumer progress) throws Exception;
    }

    public void measureRate(String scenario, String variant, Peer peer, int most, Rate rate) {
        measure(scenario, variant, peer, most, bar -> {
            Stopwatch.watch(peer::processes);
            results.add(Scenario.jobsPerSecond(scenario, variant), peer.name(), rate.measure(bar));
            results.addCpu(scenario, variant, peer.name(), Stopwatch.lastUse());
        });
    }

    /** Runs one step and empties the system after it, also when it failed. */
    public void measure(String scenario, String variant, Peer peer, int most, Work work) {
        IntConsumer bar = progress.step(scenario + " " + variant + ": " + peer.name(), most);
        try {
            Stopwatch.awaitQuiet(peers);
            Stolen before = Stolen.now();
            long began = System.nanoTime();
            work.run(bar);
            stolen.merge(scenario, Stolen.now().since(before), Stolen::and);
            stood.merge(scenario, Witness.Stood.between(began, System.nanoTime()), Witness.Stood::and);
            noteSlow(scenario, peer);
        } catch (Exception e) {
            results.failed(new Results.Failure(scenario, variant, peer.name(), why(e)));
        }
        try {
            peer.clear();
            if (peer instanceof Delayq delayq) {
                // emptying is ours, not the scenario's
                delayq.slowCommands();
                delayq.blockedLoops();
            }
        } catch (Exception e) {
            results.failed(new Results.Failure(scenario, variant, peer.name(), "cannot be emptied: " + why(e)));
        }
        progress.stepDone();
    }

    private void noteSlow(String scenario, Peer peer) throws IOException {
        if (peer instanceof Delayq delayq) {
            slow.computeIfAbsent(scenario, name -> new ArrayList<>()).addAll(delayq.slowCommands());
            blocked.computeIfAbsent(scenario, name -> new ArrayList<>()).addAll(delayq.blockedLoops());
            lag.merge(scenario, delayq.loopLagMillis(), Math::max);
        }
    }

    /** Commands that took delayq's Redis more than 10 ms, and what held its event loops up, by scenario, for the reader. */
    Map<String, String> slow() {
        Map<String, String> said = new LinkedHashMap<>();
        slow.forEach((scenario, all) -> said.put("commands over 10 ms in Redis, " + scenario, toldSlow(all)));
        blocked.forEach((scenario, all) -> said.put("event loops blocked over 50 ms, " + scenario, toldBlocked(all)));
        stood.forEach((scenario, all) -> said.put("stood still, " + scenario, all.toString()));
        stolen.forEach((scenario, taken) -> said.put("taken by the host, " + scenario, taken.toString()));
        lag.forEach((scenario, millis) ->
                said.put("event loops late, " + scenario, "by at most " + Math.round(millis) + " ms"));
        return said;
    }

    static String toldSlow(List<SlowWatch.Slow> all) {
        return all.isEmpty()
                ? "none"
                : all.size() + ", the longest " + most(all, SlowWatch.Slow::micros) / 1_000 + " ms"
                        + counts(all.stream().map(SlowWatch.Slow::what)) + "; without what a core stood still "
                        + all.stream()
                                .filter(one -> one.micros() - one.stalledMicros() > SLOW_MICROS)
                                .count()
                        + ", and what Redis waited for one "
                        + all.stream()
                                .filter(one -> one.ownMicros() > SLOW_MICROS)
                                .count()
                        + counts(all.stream()
                                .filter(one -> one.ownMicros() > SLOW_MICROS)
                                .map(SlowWatch.Slow::what))
                        + ", the longest " + Report.number(most(all, SlowWatch.Slow::ownMicros) / 1e3) + " ms";
    }

    static String toldBlocked(List<Delayq.Blocked> all) {
        List<Delayq.Blocked> own =
                all.stream().filter(one -> one.ownMillis() > BLOCKED_MILLIS).toList();
        return all.isEmpty()
                ? "never"
                : all.size() + " times, the longest " + most(all, Delayq.Blocked::millis) + " ms" + counts(where(all))
                        + "; without what a core stood still " + own.size() + " times, the longest "
                        + most(all, Delayq.Blocked::ownMillis) + " ms" + counts(where(own));
    }

    private static Stream<String> where(List<Delayq.Blocked> all) {
        return all.stream().map(one -> one.where().isEmpty() ? "elsewhere" : one.where());
    }

    private static <T> long most(List<T> all, ToLongFunction<T> of) {
        return all.stream().mapToLong(of).max().orElse(0);
    }

    /** Of which there were how many. */
    private static String counts(Stream<String> names) {
        Map<String, Long> counts =
                names.collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()));
        return counts.isEmpty()
                ? ""
                : counts.entrySet().stream()
                        .map(one -> one.getKey() + " " + one.getValue())
                        .collect(Collectors.joining(", ", " (", ")"));
    }

    static String why(Throwable e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }
}
