package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.Results;
import io.delayq.load.peer.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** One claim, measured. */
public interface Scenario {
    /** Redis has one thread; with two of it that share the buckets it uses two cores. */
    List<String> TWO_REDIS = List.of("--redis.processes=2");

    Set<String> FAST = Set.of("delayq", "beanstalkd");

    /** A letter. */
    String name();

    /** How many steps {@link #run} takes, for the bar. */
    int steps(Bench bench);

    void run(Bench bench);

    /** Who has a turn when, for work that takes long, most systems minutes: in the rounds after the first the fast ones. */
    static List<Peer> turns(Bench bench) {
        List<Peer> turns = new ArrayList<>(bench.peers());
        for (int round = 1; round < bench.scale().rounds(); round++) {
            bench.peers().stream().filter(peer -> FAST.contains(peer.name())).forEach(turns::add);
        }
        return turns;
    }

    static Results.Key jobsPerSecond(String scenario, String variant) {
        return new Results.Key(scenario, variant, "throughput", "jobs/s", true);
    }

    static Scenario of(String name) {
        return List.of(
                        new SinglePushes(),
                        new BatchPushes(),
                        new DrainAtOnce(),
                        new DueLateness(),
                        new PendingMemory(),
                        new CpuOfALife(),
                        new Growth(),
                        new Spread(),
                        new Instances())
                .stream()
                .filter(scenario -> scenario.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
