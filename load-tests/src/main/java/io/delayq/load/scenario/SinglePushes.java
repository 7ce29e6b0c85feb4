package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.peer.Peer;
import io.delayq.load.peer.Peer.PushWork;

/** A: one job a request, the next when it is answered. */
public final class SinglePushes implements Scenario {
    private static final int[] CONNECTIONS = {16, 64};

    @Override
    public String name() {
        return "A";
    }

    @Override
    public int steps(Bench bench) {
        return CONNECTIONS.length * bench.scale().rounds() * bench.peers().size();
    }

    @Override
    public void run(Bench bench) {
        int jobs = bench.scale().singles();
        for (int round = 0; round < bench.scale().rounds(); round++) {
            for (int connections : CONNECTIONS) {
                String variant = "single pushes, " + connections + " connections";
                for (Peer peer : bench.peers()) {
                    bench.measure(name(), variant, peer, jobs, bar -> bench.results()
                            .add(
                                    Scenario.jobsPerSecond(name(), variant),
                                    peer.name(),
                                    peer.push(new PushWork(jobs, connections, 1), bar)));
                }
            }
        }
    }
}
