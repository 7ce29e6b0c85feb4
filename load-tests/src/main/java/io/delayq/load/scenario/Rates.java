package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.Scale;
import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer.DrainWork;
import io.delayq.load.peer.Peer.PushWork;

/** A, B and C in small, for scenarios that take them again and again: in turn, as often as these; the median counts. */
final class Rates {
    private static final int PARTS = 3;

    private Rates() {}

    static int steps(Scale scale) {
        return PARTS * scale.rounds();
    }

    static void take(Bench bench, String scenario, Delayq delayq, int topics, String variant) {
        Scale scale = bench.scale();
        PushWork singles = new PushWork(scale.fillSingles(), 64, 1);
        PushWork batches = new PushWork(scale.fillBatched(), 16, 100);
        DrainWork drained = new DrainWork(scale.fillDrained(), 16);
        for (int round = 0; round < scale.rounds(); round++) {
            bench.measureRate(
                    scenario,
                    variant + ", single pushes, 64 connections",
                    delayq,
                    singles.jobs(),
                    bar -> delayq.push(singles, topics, bar));
            bench.measureRate(
                    scenario,
                    variant + ", batches of 100",
                    delayq,
                    batches.jobs(),
                    bar -> delayq.push(batches, topics, bar));
            bench.measureRate(
                    scenario,
                    variant + ", drain with acks",
                    delayq,
                    drained.jobs(),
                    bar -> delayq.drain(drained, topics, 0, bar));
        }
    }
}
