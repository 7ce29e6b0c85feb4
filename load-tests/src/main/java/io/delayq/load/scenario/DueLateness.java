package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.Results;
import io.delayq.load.net.Lateness;
import io.delayq.load.peer.Peer;
import io.delayq.load.peer.Peer.PaceWork;
import java.util.Random;

/** D: a thousand jobs a second, whatever the server does, each due one to three seconds later. */
public final class DueLateness implements Scenario {
    static final int PER_SECOND = 1_000;

    @Override
    public String name() {
        return "D";
    }

    @Override
    public int steps(Bench bench) {
        return Scenario.turns(bench).size();
    }

    @Override
    public void run(Bench bench) {
        int seconds = bench.scale().pace();
        String variant = PER_SECOND + " jobs/s, delays 1-3 s";
        for (Peer peer : Scenario.turns(bench)) {
            bench.measure(
                    name(),
                    variant,
                    peer,
                    PER_SECOND * seconds,
                    bar -> add(
                            bench.results(),
                            name(),
                            variant,
                            peer.name(),
                            peer.lateness(new PaceWork(PER_SECOND, seconds, delays(peer.takesMillis()), 16), bar)));
        }
    }

    /** The same for every run; whole seconds where nothing finer is taken. */
    public static long[] delays(boolean millis) {
        Random random = new Random(7);
        return random.longs(10_007, 1_000, 3_001)
                .map(delay -> millis ? delay : (delay + 500) / 1_000 * 1_000)
                .toArray();
    }

    public static void add(Results results, String scenario, String variant, String peer, Lateness lateness) {
        results.add(key(scenario, variant, "lateness p50"), peer, lateness.p50());
        results.add(key(scenario, variant, "lateness p99"), peer, lateness.p99());
        results.add(key(scenario, variant, "lateness p99.9"), peer, lateness.p999());
        results.add(key(scenario, variant, "lateness max"), peer, lateness.max());
        if (lateness.undisturbed() != null) {
            results.add(
                    key(scenario, variant, "p99 where no core stood still"),
                    peer,
                    lateness.undisturbed().p99());
            results.add(
                    key(scenario, variant, "max where no core stood still"),
                    peer,
                    lateness.undisturbed().max());
            results.add(
                    new Results.Key(scenario, variant, "jobs on whose way one did", "%", false),
                    peer,
                    lateness.disturbed());
        }
    }

    private static Results.Key key(String scenario, String variant, String metric) {
        return new Results.Key(scenario, variant, metric, "ms", false);
    }
}
