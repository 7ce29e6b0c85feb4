package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.Results;
import io.delayq.load.Scale;
import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer.DrainWork;
import io.delayq.load.peer.Peer.PaceWork;
import io.delayq.load.peer.Peer.PushWork;
import java.util.List;

/** G: A to D again, beside ever more jobs that wait, and spread over ever more topics. */
public final class Growth implements Scenario {
    @Override
    public String name() {
        return "G";
    }

    @Override
    public int steps(Bench bench) {
        Scale scale = bench.scale();
        int parts = Rates.steps(scale) + scale.fillPaces();
        return (parts + 1) * scale.fills().size() + parts * scale.topics().size();
    }

    @Override
    public void run(Bench bench) {
        Delayq delayq = bench.warm(name(), List.of());
        if (delayq == null) {
            return;
        }
        try {
            for (int topics : bench.scale().topics()) {
                parts(bench, delayq, topics, String.format("%,d topics", topics));
            }
            int filled = 0;
            for (int pending : bench.scale().fills()) {
                int from = filled;
                String variant = String.format("%,d pending", pending);
                bench.measure(name(), variant + ", filling", delayq, pending - from, bar -> {
                    delayq.fill("fill", 1, from, pending - from, bar);
                    // of filling, not of being full
                    delayq.awaitLogWritten();
                });
                filled = pending;
                parts(bench, delayq, 1, variant);
            }
        } finally {
            delayq.close();
        }
    }

    private void parts(Bench bench, Delayq delayq, int topics, String variant) {
        Scale scale = bench.scale();
        Results results = bench.results();
        Rates.take(bench, name(), delayq, topics, variant);
        int jobs = DueLateness.PER_SECOND * scale.fillPace();
        // a single stall of the machine decides over the p99 of such a short time, so the median of some counts
        for (int round = 0; round < scale.fillPaces(); round++) {
            bench.measure(
                    name(),
                    variant,
                    delayq,
                    jobs,
                    bar -> DueLateness.add(
                            results,
                            name(),
                            variant,
                            "delayq",
                            delayq.lateness(
                                    new PaceWork(
                                            DueLateness.PER_SECOND, scale.fillPace(), DueLateness.delays(true), 16),
                                    topics,
                                    bar)));
        }
    }
}
