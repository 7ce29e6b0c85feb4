package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.peer.Peer;
import io.delayq.load.peer.Peer.PushWork;

/** A: one job a request, the next when it is answered. The server draws the ids, in delayq also the client. */
public final class SinglePushes implements Scenario {
    private static final int[] CONNECTIONS = {16, 64};

    @Override
    public String name() {
        return "A";
    }

    @Override
    public int steps(Bench bench) {
        return bench.scale().rounds() * (CONNECTIONS.length * bench.peers().size() + 1);
    }

    @Override
    public void run(Bench bench) {
        int jobs = bench.scale().singles();
        for (int round = 0; round < bench.scale().rounds(); round++) {
            for (int connections : CONNECTIONS) {
                String variant = "single pushes, " + connections + " connections";
                for (Peer peer : bench.peers()) {
                    bench.measureRate(
                            name(), variant, peer, jobs, bar -> peer.push(new PushWork(jobs, connections, 1), bar));
                }
            }
            bench.measureRate(
                    name(), "single pushes, 64 connections, ids given", bench.delayq(), jobs, bar -> bench.delayq()
                            .push(new PushWork(jobs, 64, 1).withIds(), bar));
        }
    }
}
