package io.delayq.load;

import io.delayq.load.peer.Peer;
import io.delayq.load.peer.Peer.DrainWork;
import io.delayq.load.peer.Peer.PushWork;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;

/**
 * Works a system with each kind of work until its rate over a step is within a tenth of the step before: what is compiled
 * while it runs must have been before the first figure is taken. The same rule for all.
 *
 * @param mostSeconds how long each kind of work may take if the rate does not settle
 * @param stepSeconds about how long a step is
 */
record WarmUp(double mostSeconds, double stepSeconds) {
    private static final int PROBE = 1_000;
    private static final double SETTLED = 0.1;

    private enum Kind {
        SINGLES("single pushes") {
            @Override
            double rate(Peer peer, int jobs, IntConsumer progress) throws Exception {
                return peer.push(new PushWork(jobs, 64, 1), progress);
            }
        },
        BATCHES("batches") {
            @Override
            double rate(Peer peer, int jobs, IntConsumer progress) throws Exception {
                return peer.push(new PushWork(jobs, 16, 100), progress);
            }
        },
        DRAIN("drain") {
            @Override
            double rate(Peer peer, int jobs, IntConsumer progress) throws Exception {
                return peer.drain(new DrainWork(jobs, 16), progress);
            }
        };

        private final String title;

        Kind(String title) {
            this.title = title;
        }

        abstract double rate(Peer peer, int jobs, IntConsumer progress) throws Exception;
    }

    /** Leaves it empty. Says how long each kind took, for the reader. */
    String run(Peer peer, Progress progress) throws Exception {
        progress.expect(Kind.values().length);
        List<String> said = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            IntConsumer bar =
                    progress.step("warming up: " + peer.name() + ", " + kind.title, (int) (1_000 * mostSeconds));
            said.add(kind.title + " " + settled(kind, peer, bar));
            progress.stepDone();
        }
        return String.join(", ", said);
    }

    private String settled(Kind kind, Peer peer, IntConsumer bar) throws Exception {
        long began = System.nanoTime();
        IntConsumer elapsed = count -> bar.accept((int) (1_000 * secondsSince(began)));
        // how many a step needs; too few to compare with
        double rate = step(kind, peer, PROBE, elapsed);
        double before = 0;
        double took = 0;
        while (Math.abs(rate - before) > SETTLED * before) {
            if (secondsSince(began) + took > mostSeconds) {
                return String.format(Locale.ROOT, "%.0f s, not settled", secondsSince(began));
            }
            long stepBegan = System.nanoTime();
            before = took == 0 ? 0 : rate;
            rate = step(kind, peer, Math.max(PROBE, (int) (rate * stepSeconds) / 100 * 100), elapsed);
            took = secondsSince(stepBegan);
        }
        return String.format(Locale.ROOT, "%.0f s", secondsSince(began));
    }

    private static double step(Kind kind, Peer peer, int jobs, IntConsumer progress) throws Exception {
        double rate = kind.rate(peer, jobs, progress);
        peer.clear();
        return rate;
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }
}
