package io.delayq.load;

import io.delayq.load.peer.Peer;
import io.delayq.load.peer.Peer.DrainWork;
import io.delayq.load.peer.Peer.PushWork;
import java.util.Locale;
import java.util.function.IntConsumer;

/**
 * The short form: delayq against one yardstick in the same run, so that a slow machine is slow for both. The limits
 * are well below what was seen; only a gross regression is meant to fail.
 */
final class Guard {
    private static final int ROUNDS = 3;
    /** On a slow machine there are fewer rounds, so that the whole stays short. */
    private static final long ENOUGH_NANOS = 30_000_000_000L;

    private static final IntConsumer QUIET = count -> {};

    private enum Check {
        SINGLES("A single pushes, 64 connections", 0.12, 0.05) {
            @Override
            double measure(Peer peer) throws Exception {
                return peer.push(new PushWork(10_000, 64, 1), QUIET);
            }
        },
        BATCHES("B batches of 100, 16 connections", 0.80, 0.08) {
            @Override
            double measure(Peer peer) throws Exception {
                return peer.push(new PushWork(30_000, 16, 100), QUIET);
            }
        },
        DRAIN("C drain with acks, 16 connections", 0.40, 0.10) {
            @Override
            double measure(Peer peer) throws Exception {
                return peer.drain(new DrainWork(20_000, 16), QUIET);
            }
        };

        private final String title;
        private final double leastOfBeanstalkd;
        private final double leastOfRedis;

        Check(String title, double leastOfBeanstalkd, double leastOfRedis) {
            this.title = title;
            this.leastOfBeanstalkd = leastOfBeanstalkd;
            this.leastOfRedis = leastOfRedis;
        }

        abstract double measure(Peer peer) throws Exception;
    }

    private Guard() {}

    /**
     * The best of some rounds of each, since what disturbs a run only ever makes it slower.
     *
     * @param began when the two were started, in nanoseconds
     */
    static int run(Peer delayq, Peer yardstick, long began) throws Exception {
        int failed = 0;
        for (Check check : Check.values()) {
            double ours = 0;
            double theirs = 0;
            for (int round = 0; round == 0 || round < ROUNDS && System.nanoTime() - began < ENOUGH_NANOS; round++) {
                ours = Math.max(ours, measured(check, delayq));
                theirs = Math.max(theirs, measured(check, yardstick));
            }
            double least = yardstick.name().equals("beanstalkd") ? check.leastOfBeanstalkd : check.leastOfRedis;
            boolean good = ours / theirs >= least;
            failed += good ? 0 : 1;
            System.out.printf(
                    Locale.ROOT,
                    "%-6s %-34s delayq %,9.0f  %s %,9.0f jobs/s  ratio %.2f, at least %.2f%n",
                    good ? "ok" : "FAILED",
                    check.title,
                    ours,
                    yardstick.name(),
                    theirs,
                    ours / theirs,
                    least);
        }
        return failed == 0 ? 0 : 1;
    }

    private static double measured(Check check, Peer peer) throws Exception {
        double rate = check.measure(peer);
        peer.clear();
        return rate;
    }
}
