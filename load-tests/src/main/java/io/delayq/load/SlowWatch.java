package io.delayq.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks at a Redis' slow log all the time, for the log itself says of a command only in which second it ended; and how long
 * Redis waited for a core meanwhile.
 */
public final class SlowWatch implements AutoCloseable {
    private static final long REST_MILLIS = 10;
    private static final int MOST = 10_000;

    /**
     * A command that took longer than the slow log's limit, by the wall clock.
     *
     * @param stalledMicros for which a core stood still meanwhile
     * @param waitedMicros for which Redis waited for a core, at most: it is looked at every 10 ms
     */
    public record Slow(String what, long micros, long stalledMicros, long waitedMicros) {
        /** Which may be none of its own. */
        public long ownMicros() {
            return Math.max(0, micros - stalledMicros - waitedMicros);
        }
    }

    private record Found(RedisTalk.Entry entry, long from, long to, long waitedMicros) {
        Slow slow() {
            long stalled = Math.min(entry.micros(), Witness.stalledNanos(from, to) / 1_000);
            return new Slow(entry.what(), entry.micros(), stalled, waitedMicros);
        }
    }

    private final RedisTalk talk;
    private final Path schedule;
    private final Thread watcher = new Thread(this::watch, "slow log");
    private List<Found> found = new ArrayList<>();
    private int seen;
    private long askedAt;
    private long waitedNanos;
    private volatile boolean over;

    public SlowWatch(RedisTalk talk, long pid) throws IOException {
        this.talk = talk;
        schedule = Path.of("/proc", Long.toString(pid), "schedstat");
        talk.ask("CONFIG", "SET", "slowlog-max-len", Integer.toString(MOST));
        reset();
        watcher.setDaemon(true);
        watcher.start();
    }

    private void reset() throws IOException {
        talk.ask("SLOWLOG", "RESET");
        seen = 0;
        askedAt = System.nanoTime();
        waitedNanos = waitedNanos();
    }

    private void watch() {
        try {
            while (!over) {
                look();
                Thread.sleep(REST_MILLIS);
            }
        } catch (IOException | InterruptedException e) {
            // Redis has ended
            over = true;
        }
    }

    /** A command lies between two looks, for Redis does one thing at a time. */
    private synchronized void look() throws IOException {
        long asked = System.nanoTime();
        int length = ((Long) talk.ask("SLOWLOG", "LEN")).intValue();
        long waited = waitedNanos();
        if (length > seen) {
            long answered = System.nanoTime();
            long waitedMicros = (waited - waitedNanos) / 1_000;
            for (RedisTalk.Entry entry : talk.slow(length - seen)) {
                found.add(new Found(entry, askedAt, answered, waitedMicros));
            }
            seen = length;
        }
        askedAt = asked;
        waitedNanos = waited;
        if (seen > MOST / 2) {
            reset();
        }
    }

    /** Of the process' first thread, which does all the work; 0 where nobody counts it. */
    private long waitedNanos() {
        try {
            return Long.parseLong(Files.readString(schedule).split(" ")[1]);
        } catch (IOException e) {
            return 0;
        }
    }

    /** Since the last time this was asked. */
    public synchronized List<Slow> slow() throws IOException {
        look();
        List<Found> since = found;
        found = new ArrayList<>();
        return since.stream().map(Found::slow).toList();
    }

    @Override
    public void close() throws IOException {
        over = true;
        talk.close();
    }
}
