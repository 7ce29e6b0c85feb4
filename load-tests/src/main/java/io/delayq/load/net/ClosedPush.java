package io.delayq.load.net;

import io.delayq.load.Stopwatch;
import java.io.IOException;
import java.util.List;
import java.util.function.IntConsumer;

/** Pushes a number of jobs as fast as the answers come: each connection sends its next request when one is answered. */
public final class ClosedPush implements PushConn.Done {
    private final int first;
    private final int jobs;
    private final long delayMillis;
    private int ready;
    private int next;
    private int stored;
    private boolean begun;

    private ClosedPush(int first, int jobs, long delayMillis) {
        this.first = first;
        this.jobs = jobs;
        this.delayMillis = delayMillis;
    }

    /** Jobs {@code first} to {@code first + jobs - 1}; the time from the first request to the last answer, in seconds. */
    public static double run(
            int port, List<? extends PushConn> conns, int first, int jobs, long delayMillis, IntConsumer progress)
            throws IOException {
        if (jobs % conns.get(0).batch() != 0) {
            throw new IllegalArgumentException(jobs + " jobs are no whole number of batches");
        }
        ClosedPush push = new ClosedPush(first, jobs, delayMillis);
        try (Loop loop = new Loop()) {
            for (PushConn conn : conns) {
                conn.done = push;
                conn.open(loop, port);
            }
            loop.run(() -> push.ready == conns.size());
            push.begun = true;
            Stopwatch watch = Stopwatch.start();
            for (PushConn conn : conns) {
                push.send(conn);
            }
            loop.run(() -> push.stored == jobs, Loops.SILENCE, () -> progress.accept(push.stored));
            return watch.seconds();
        }
    }

    @Override
    public void pushed(PushConn conn) throws IOException {
        if (!begun) {
            ready++;
            return;
        }
        stored += conn.batch();
        send(conn);
    }

    private void send(PushConn conn) throws IOException {
        if (next < jobs) {
            int from = next;
            next += conn.batch();
            conn.push(first + from, delayMillis);
        }
    }
}
