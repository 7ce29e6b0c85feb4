package io.delayq.load.peer;

import io.delayq.load.Stopwatch;
import io.delayq.load.net.Lateness;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** For clients that block: a thread for each connection. */
final class Threads {
    private static final long MOST_MINUTES = 15;

    private Threads() {}

    interface Work {
        void run(int thread) throws Exception;
    }

    /** Runs it on that many threads and waits for all; seconds. */
    static double run(int threads, Work work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads, runnable -> {
            Thread thread = new Thread(runnable, "load");
            thread.setDaemon(true);
            return thread;
        });
        Stopwatch watch = Stopwatch.start();
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                all.add(pool.submit(() -> {
                    work.run(thread);
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get(MOST_MINUTES, TimeUnit.MINUTES);
            }
            return watch.seconds();
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(
                    e.getCause() == null ? "took too long" : e.getCause().toString(), e);
        } finally {
            pool.shutdownNow();
        }
    }

    /** The times of an open-loop run, as {@link io.delayq.load.net.OpenLoop} counts them. */
    static final class Pace {
        private final int perSecond;
        private final long[] delaysMillis;
        private final long began = System.nanoTime() + 200_000_000;
        private final AtomicLongArray sent;
        private final AtomicLongArray arrived;

        Pace(int perSecond, int jobs, long[] delaysMillis) {
            this.perSecond = perSecond;
            this.delaysMillis = delaysMillis;
            sent = new AtomicLongArray(jobs);
            arrived = new AtomicLongArray(jobs);
        }

        long delay(int job) {
            return delaysMillis[job % delaysMillis.length];
        }

        private long meant(int job) {
            return began + job * 1_000_000_000L / perSecond;
        }

        void awaitTurn(int job) {
            for (long wait = meant(job) - System.nanoTime(); wait > 0; wait = meant(job) - System.nanoTime()) {
                LockSupport.parkNanos(wait);
            }
            sent.set(job, System.nanoTime());
        }

        void arrived(int job) throws IOException {
            if (!arrived.compareAndSet(job, 0, System.nanoTime())) {
                throw new IOException("job " + job + " came twice");
            }
        }

        Lateness lateness() throws IOException {
            Histogram histogram = new Histogram(3);
            for (int job = 0; job < arrived.length(); job++) {
                long delay = delay(job) * 1_000_000;
                if (arrived.get(job) - sent.get(job) - delay < -1_000_000) {
                    throw new IOException("job " + job + " came early");
                }
                histogram.recordValue(Math.max(0, arrived.get(job) - meant(job) - delay) / 1_000);
            }
            return Lateness.of(histogram);
        }
    }
}
