package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer;
import io.delayq.load.peer.Peer.PushWork;

/** B: a hundred jobs a request, over 16 connections. Ids as in A. */
public final class BatchPushes implements Scenario {
    private static final String VARIANT = "batches of 100, 16 connections";

    @Override
    public String name() {
        return "B";
    }

    @Override
    public int steps(Bench bench) {
        return bench.scale().rounds() * (bench.peers().size() + 2);
    }

    @Override
    public void run(Bench bench) {
        bench.beside(name(), Scenario.TWO_REDIS, two -> run(bench, two));
    }

    private void run(Bench bench, Delayq two) {
        int jobs = bench.scale().batched();
        for (int round = 0; round < bench.scale().rounds(); round++) {
            for (Peer peer : bench.peers()) {
                bench.measureRate(name(), VARIANT, peer, jobs, bar -> peer.push(new PushWork(jobs, 16, 100), bar));
            }
            bench.measureRate(name(), VARIANT + ", ids given", bench.delayq(), jobs, bar -> bench.delayq()
                    .push(new PushWork(jobs, 16, 100).withIds(), bar));
            if (two != null) {
                bench.measureRate(
                        name(),
                        VARIANT + ", two Redis processes",
                        two,
                        jobs,
                        bar -> two.push(new PushWork(jobs, 16, 100), bar));
            }
        }
    }
}
