package io.delayq.load.peer;

import io.delayq.load.net.Lateness;
import java.util.Map;
import java.util.function.IntConsumer;

/** A system under load. One that is started is empty; each call leaves it running, {@link #clear} empties it again. */
public interface Peer extends AutoCloseable {
    String name();

    /** Why it cannot take part, or null. Asked before it is started. */
    String missing();

    void start() throws Exception;

    /** What was chosen for it, for the reader of the results. Known once started. */
    Map<String, String> settings() throws Exception;

    /** Pushes and sees that all are stored. Returns jobs a second. */
    double push(PushWork work, IntConsumer progress) throws Exception;

    /** Stores that many jobs that are due at once, then takes and acknowledges all. Returns jobs a second of the latter. */
    double drain(DrainWork work, IntConsumer progress) throws Exception;

    /** Pushes at a fixed rate and takes what comes due. */
    Lateness lateness(PaceWork work, IntConsumer progress) throws Exception;

    /** Whether it takes delays between whole seconds. */
    default boolean takesMillis() {
        return true;
    }

    /** Bytes that its jobs and whatever else take now. */
    long memoryBytes() throws Exception;

    /** The processes whose CPU time counts, by role. */
    Map<String, Long> processes();

    /** No jobs are left; settings and warm code are. */
    void clear() throws Exception;

    @Override
    void close();

    /**
     * @param batch jobs in one request, or sent before the first answer where a peer has no such request
     * @param delayMillis a whole number of seconds
     * @param idLength of the ids that delayq is given; 0: it draws them itself, as the others do
     */
    record PushWork(int jobs, int connections, int batch, long delayMillis, int idLength) {
        public PushWork(int jobs, int connections, int batch) {
            this(jobs, connections, batch, 3_600_000, 0);
        }

        public PushWork withIds() {
            return new PushWork(jobs, connections, batch, delayMillis, 8);
        }
    }

    record DrainWork(int jobs, int connections) {}

    record PaceWork(int perSecond, int seconds, long[] delaysMillis, int connections) {}
}
