package io.delayq.load.net;

import io.delayq.load.Witness;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.HdrHistogram.Histogram;

/**
 * Pushes at fixed times whatever the server does, and takes what comes due. A job's lateness counts from the time it
 * was meant to be pushed plus its delay, so a push that had to wait for a connection or an answer is late by that too:
 * nothing is left out because the server was slow (no coordinated omission).
 */
public final class OpenLoop implements PushConn.Done, DrainConn.Taken {
    /** Servers count in whole milliseconds: what they cut off may show as that much too early. */
    private static final long EARLY_NANOS = 1_000_000;

    private final int perSecond;
    private final long[] delaysMillis;
    private final long[] sent;
    private final long[] taken;
    private final long[] arrived;
    private final ArrayDeque<PushConn> idle = new ArrayDeque<>();
    private final Map<PushConn, Integer> pushing = new IdentityHashMap<>();
    private long began;
    private int ready;
    private int subscribed;
    private int next;
    private int acked;

    private OpenLoop(int perSecond, int jobs, long[] delaysMillis) {
        this.perSecond = perSecond;
        this.delaysMillis = delaysMillis;
        sent = new long[jobs];
        taken = new long[jobs];
        arrived = new long[jobs];
    }

    /** @param delaysMillis taken in turn */
    public static Lateness run(
            int port,
            List<? extends PushConn> pushers,
            List<? extends DrainConn> takers,
            int perSecond,
            int seconds,
            long[] delaysMillis,
            IntConsumer progress)
            throws IOException {
        int jobs = perSecond * seconds;
        OpenLoop run = new OpenLoop(perSecond, jobs, delaysMillis);
        try (Loop loop = new Loop()) {
            for (DrainConn conn : takers) {
                conn.taken = run;
                conn.open(loop, port);
            }
            loop.run(() -> run.subscribed == takers.size());
            for (DrainConn conn : takers) {
                conn.begin();
            }
            for (PushConn conn : pushers) {
                conn.done = run;
                conn.open(loop, port);
            }
            loop.run(() -> run.ready == pushers.size());
            run.paced(loop, jobs, progress);
        } catch (IOException e) {
            throw new IOException(e.getMessage() + " (" + run.acked + " acked of " + jobs + ")", e);
        }
        return run.lateness();
    }

    private void paced(Loop loop, int jobs, IntConsumer progress) throws IOException {
        // a select waits whole milliseconds; this thread ends it at the very time
        Thread pace = new Thread(
                () -> {
                    for (int job = 0; job < jobs && !Thread.currentThread().isInterrupted(); job++) {
                        for (long wait = meant(job) - System.nanoTime();
                                wait > 0 && !Thread.currentThread().isInterrupted();
                                wait = meant(job) - System.nanoTime()) {
                            LockSupport.parkNanos(wait);
                        }
                        loop.wakeup();
                    }
                },
                "pace");
        pace.setDaemon(true);
        began = System.nanoTime() + 100_000_000;
        pace.start();
        try {
            loop.run(() -> acked == jobs, Loops.SILENCE, () -> {
                sendDue();
                progress.accept(acked);
            });
        } finally {
            pace.interrupt();
        }
    }

    private long meant(int job) {
        return began + job * 1_000_000_000L / perSecond;
    }

    private long delay(int job) {
        return delaysMillis[job % delaysMillis.length];
    }

    private void sendDue() {
        try {
            long now = System.nanoTime();
            while (next < sent.length && !idle.isEmpty() && meant(next) <= now) {
                sent[next] = now;
                PushConn conn = idle.pop();
                pushing.put(conn, next);
                conn.push(next, delay(next));
                next++;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Lateness lateness() throws IOException {
        Histogram all = new Histogram(3);
        Histogram calm = new Histogram(3);
        long earliest = Long.MAX_VALUE;
        for (int job = 0; job < arrived.length; job++) {
            long delayNanos = delay(job) * 1_000_000;
            earliest = Math.min(earliest, arrived[job] - sent[job] - delayNanos);
            long micros = Math.max(0, arrived[job] - meant(job) - delayNanos) / 1_000;
            all.recordValue(micros);
            if (!Witness.stoodStill(meant(job), taken[job])
                    && !Witness.stoodStill(meant(job) + delayNanos, arrived[job])) {
                calm.recordValue(micros);
            }
        }
        if (earliest < -EARLY_NANOS) {
            throw new IOException("a job came " + -earliest / 1e6 + " ms early");
        }
        return Witness.isThere() ? Lateness.of(all, calm) : Lateness.of(all);
    }

    @Override
    public void pushed(PushConn conn) {
        Integer job = pushing.remove(conn);
        if (job == null) {
            ready++;
        } else {
            taken[job] = System.nanoTime();
        }
        idle.add(conn);
    }

    @Override
    public void ready(DrainConn conn) {
        subscribed++;
    }

    @Override
    public void delivered(int job) throws IOException {
        if (job >= next) {
            throw new IOException("job " + job + " was never pushed");
        }
        if (arrived[job] != 0) {
            throw new IOException("job " + job + " came twice");
        }
        arrived[job] = System.nanoTime();
    }

    @Override
    public void acked(int jobs) {
        acked += jobs;
    }

    @Override
    public boolean mayAsk() {
        return true;
    }
}
