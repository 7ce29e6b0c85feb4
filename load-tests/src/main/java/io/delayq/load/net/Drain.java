package io.delayq.load.net;

import io.delayq.load.Stopwatch;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntConsumer;

/** Takes and acknowledges a known number of jobs, and sees that each comes once. */
public final class Drain implements DrainConn.Taken {
    private final int jobs;
    private final BitSet seen;
    private int ready;
    private int asked;
    private int delivered;
    private int acked;

    private Drain(int jobs) {
        this.jobs = jobs;
        seen = new BitSet(jobs);
    }

    /** Jobs 0 to {@code jobs - 1}; the time from the first subscription to the last ack taken, in seconds. */
    public static double run(int port, List<? extends DrainConn> conns, int jobs, IntConsumer progress)
            throws IOException {
        Drain drain = new Drain(jobs);
        try (Loop loop = new Loop()) {
            for (DrainConn conn : conns) {
                conn.taken = drain;
                conn.open(loop, port);
            }
            loop.run(() -> drain.ready == conns.size());
            Stopwatch watch = Stopwatch.start();
            for (DrainConn conn : conns) {
                conn.begin();
            }
            loop.run(() -> drain.acked == jobs, Loops.SILENCE, () -> progress.accept(drain.acked));
            double seconds = watch.seconds();
            if (drain.seen.cardinality() != jobs || drain.delivered != jobs) {
                throw new IOException(drain.delivered + " deliveries of " + jobs + " jobs");
            }
            return seconds;
        } catch (IOException e) {
            throw new IOException(
                    e.getMessage() + " (" + drain.delivered + " delivered and " + drain.acked + " acked of " + jobs
                            + ")",
                    e);
        }
    }

    @Override
    public void ready(DrainConn conn) {
        ready++;
    }

    @Override
    public void delivered(int job) throws IOException {
        if (job >= jobs) {
            throw new IOException("job " + job + " was never pushed");
        }
        if (seen.get(job)) {
            throw new IOException("job " + job + " came twice");
        }
        seen.set(job);
        delivered++;
    }

    @Override
    public void acked(int count) {
        acked += count;
    }

    @Override
    public boolean mayAsk() {
        return asked++ < jobs;
    }
}
