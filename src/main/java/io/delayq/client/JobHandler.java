package io.delayq.client;

import io.vertx.core.Future;

/**
 * Does a job's work. The job is acked when the future succeeds, and nacked with the reason when it fails or the handler
 * throws. Called on the client's context, which it must not block.
 */
@FunctionalInterface
public interface JobHandler {
    Future<?> handle(Job job) throws Exception;

    /** Work that is over when it returns. */
    @FunctionalInterface
    interface Work {
        void run(Job job) throws Exception;
    }

    /**
     * A handler for work that is over when it returns: the job is then acked, and nacked if it throws. It must not block
     * either; what does belongs on a worker, as in {@code job -> vertx.executeBlocking(() -> work(job))}.
     */
    static JobHandler of(Work work) {
        return job -> {
            work.run(job);
            return Future.succeededFuture();
        };
    }
}
