package io.delayq.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A bar on the last line of a terminal, drawn by a thread of its own; without a terminal nothing. */
final class Progress implements AutoCloseable {
    private static final long DRAW_MILLIS = 200;
    private static final int BAR = 24;
    private static final String CLEAR = "\r\033[K";

    private final PrintWriter err;
    private final Context context;
    private final long total;
    private final boolean ofJobs;
    private final long began = System.nanoTime();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong jobs = new AtomicLong();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread drawer;

    /** @param total bytes to come, -1: not known */
    Progress(PrintWriter err, Context context, long total) {
        this(err, context, total, false);
    }

    /** One that knows how many jobs there are to come, and nothing of bytes. */
    static Progress ofJobs(PrintWriter err, Context context, long total) {
        return new Progress(err, context, total, true);
    }

    private Progress(PrintWriter err, Context context, long total, boolean ofJobs) {
        this.err = err;
        this.context = context;
        this.total = total;
        this.ofJobs = ofJobs;
        this.drawer = context.terminal() ? new Thread(this::draw, "progress") : null;
        if (drawer != null) {
            drawer.setDaemon(true);
            drawer.start();
        }
    }

    void bytes(long more) {
        bytes.addAndGet(more);
    }

    void jobs(long more) {
        jobs.addAndGet(more);
    }

    long jobs() {
        return jobs.get();
    }

    long millis() {
        return (System.nanoTime() - began) / 1_000_000;
    }

    /** A line above the bar. */
    synchronized void say(String line) {
        err.println((drawer == null ? "" : CLEAR) + line);
        err.flush();
    }

    @Override
    public void close() {
        closed.countDown();
        if (drawer != null) {
            synchronized (this) {
                err.print(CLEAR);
                err.flush();
            }
        }
    }

    private void draw() {
        int width = Terminal.width(context);
        try {
            while (!closed.await(DRAW_MILLIS, TimeUnit.MILLISECONDS)) {
                String line =
                        ofJobs ? line(jobs.get(), total, millis()) : line(bytes.get(), total, jobs.get(), millis());
                synchronized (this) {
                    if (closed.getCount() > 0) {
                        err.print(CLEAR + line.substring(0, Math.min(line.length(), width - 1)));
                        err.flush();
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** {@code [######------] 50%  12.0 MB of 24.0 MB  3.0 MB/s  1200 jobs, 300/s  4s left}. */
    static String line(long bytes, long total, long jobs, long millis) {
        double seconds = Math.max(millis, 1) / 1e3;
        StringBuilder line = new StringBuilder();
        if (total > 0) {
            line.append(bar(bytes, total));
        }
        line.append(size(bytes)).append(total > 0 ? " of " + size(total) : "");
        line.append("  ").append(size((long) (bytes / seconds))).append("/s");
        line.append(String.format(Locale.ROOT, "  %d jobs, %.0f/s", jobs, jobs / seconds));
        if (total > bytes && bytes > 0) {
            line.append("  ").append(Texts.about(left(bytes, total, millis))).append(" left");
        }
        return line.toString();
    }

    /** {@code [######------] 50%  600 of 1200 jobs, 300/s  2s left}. */
    static String line(long jobs, long total, long millis) {
        StringBuilder line = bar(jobs, total);
        line.append(
                String.format(Locale.ROOT, "%d of %d jobs, %.0f/s", jobs, total, jobs / (Math.max(millis, 1) / 1e3)));
        if (total > jobs && jobs > 0) {
            line.append("  ").append(Texts.about(left(jobs, total, millis))).append(" left");
        }
        return line.toString();
    }

    private static StringBuilder bar(long done, long total) {
        double part = total > 0 ? Math.min(1, (double) done / total) : 1;
        int full = (int) (part * BAR);
        return new StringBuilder("[")
                .append("#".repeat(full))
                .append("-".repeat(BAR - full))
                .append(String.format(Locale.ROOT, "] %d%%  ", (int) (100 * part)));
    }

    private static long left(long bytes, long total, long millis) {
        // whole seconds: it is a guess
        return Math.max(1, Math.round((double) (total - bytes) / bytes * millis / 1e3)) * 1000;
    }

    static String size(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 999.95 && unit < 4) {
            value /= 1000;
            unit++;
        }
        return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %sB", value, "kMGT".charAt(unit - 1));
    }
}
