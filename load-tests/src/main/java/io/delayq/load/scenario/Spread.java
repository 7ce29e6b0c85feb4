package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer.DrainWork;
import java.util.List;

/** H: the same jobs in one topic, and in a hundred topics with a consumer each. */
public final class Spread implements Scenario {
    private record Way(String name, int topics, int consumers) {}

    private static final List<Way> WAYS = List.of(
            new Way("drain, 1 topic, 1 consumer", 1, 1),
            new Way("drain, 1 topic, 100 consumers", 1, 100),
            new Way("drain, 100 topics, a consumer each", 100, 100));

    @Override
    public String name() {
        return "H";
    }

    @Override
    public int steps(Bench bench) {
        return WAYS.size() * bench.scale().rounds();
    }

    @Override
    public void run(Bench bench) {
        Delayq delayq = bench.delayq();
        int jobs = bench.scale().fillDrained();
        for (int round = 0; round < bench.scale().rounds(); round++) {
            for (Way way : WAYS) {
                bench.measure(name(), way.name(), delayq, jobs, bar -> bench.results()
                        .add(
                                Scenario.jobsPerSecond(name(), way.name()),
                                delayq.name(),
                                delayq.drain(new DrainWork(jobs, way.consumers()), way.topics(), 0, bar)));
            }
        }
    }
}
