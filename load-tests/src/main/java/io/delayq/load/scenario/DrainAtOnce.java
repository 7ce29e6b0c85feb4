package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer;
import io.delayq.load.peer.Peer.DrainWork;
import java.util.Set;

/** C: many jobs that are all due, taken and acknowledged over 16 connections. */
public final class DrainAtOnce implements Scenario {
    private static final String VARIANT = "drain with acks, 16 connections";
    /** The others take minutes for what these do in seconds: they are asked once. */
    private static final Set<String> FAST = Set.of("delayq", "beanstalkd");

    @Override
    public String name() {
        return "C";
    }

    @Override
    public int steps(Bench bench) {
        int fast = (int)
                bench.peers().stream().filter(p -> FAST.contains(p.name())).count();
        return (fast + 1) * bench.scale().rounds() + bench.peers().size() - fast;
    }

    @Override
    public void run(Bench bench) {
        bench.beside(name(), Scenario.TWO_REDIS, two -> run(bench, two));
    }

    private void run(Bench bench, Delayq two) {
        int jobs = bench.scale().drained();
        for (int round = 0; round < bench.scale().rounds(); round++) {
            for (Peer peer : bench.peers()) {
                if (round == 0 || FAST.contains(peer.name())) {
                    bench.measureRate(name(), VARIANT, peer, jobs, bar -> peer.drain(new DrainWork(jobs, 16), bar));
                }
            }
            if (two != null) {
                bench.measureRate(name(), VARIANT + ", two Redis processes", two, jobs, bar -> two.drain(
                        new DrainWork(jobs, 16), bar));
            }
        }
    }
}
