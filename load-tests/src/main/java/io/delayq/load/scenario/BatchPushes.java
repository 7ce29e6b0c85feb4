package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.peer.Peer;
import io.delayq.load.peer.Peer.PushWork;

/** B: a hundred jobs a request, over 16 connections. */
public final class BatchPushes implements Scenario {
    private static final String VARIANT = "batches of 100, 16 connections";

    @Override
    public String name() {
        return "B";
    }

    @Override
    public int steps(Bench bench) {
        return bench.scale().rounds() * bench.peers().size();
    }

    @Override
    public void run(Bench bench) {
        int jobs = bench.scale().batched();
        for (int round = 0; round < bench.scale().rounds(); round++) {
            for (Peer peer : bench.peers()) {
                bench.measure(name(), VARIANT, peer, jobs, bar -> bench.results()
                        .add(
                                Scenario.jobsPerSecond(name(), VARIANT),
                                peer.name(),
                                peer.push(new PushWork(jobs, 16, 100), bar)));
            }
        }
    }
}
