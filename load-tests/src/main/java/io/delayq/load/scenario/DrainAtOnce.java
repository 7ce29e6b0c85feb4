package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer;
import io.delayq.load.peer.Peer.DrainWork;

/** C: many jobs that are all due, taken and acknowledged over 16 connections. */
public final class DrainAtOnce implements Scenario {
    private static final String VARIANT = "drain with acks, 16 connections";

    @Override
    public String name() {
        return "C";
    }

    @Override
    public int steps(Bench bench) {
        return bench.scale().rounds() + Scenario.turns(bench).size();
    }

    @Override
    public void run(Bench bench) {
        bench.beside(name(), Scenario.TWO_REDIS, two -> run(bench, two));
    }

    private void run(Bench bench, Delayq two) {
        int jobs = bench.scale().drained();
        for (Peer peer : Scenario.turns(bench)) {
            bench.measureRate(name(), VARIANT, peer, jobs, bar -> peer.drain(new DrainWork(jobs, 16), bar));
            if (two != null && peer == bench.delayq()) {
                bench.measureRate(
                        name(),
                        VARIANT + ", two Redis processes",
                        two,
                        jobs,
                        bar -> two.drain(new DrainWork(jobs, 16), bar));
            }
        }
    }
}
