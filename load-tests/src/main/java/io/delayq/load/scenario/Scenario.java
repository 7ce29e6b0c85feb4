package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.Results;
import java.util.List;

/** One claim, measured. */
public interface Scenario {
    /** Redis has one thread; with two of it that share the buckets it uses two cores. */
    List<String> TWO_REDIS = List.of("--redis.processes=2");

    /** A letter. */
    String name();

    /** How many steps {@link #run} takes, for the bar. */
    int steps(Bench bench);

    void run(Bench bench);

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
