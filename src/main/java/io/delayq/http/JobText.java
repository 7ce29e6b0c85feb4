package io.delayq.http;

import io.delayq.job.IdSource;

/** Makes a job of text that came in otherwise than by a request. */
@FunctionalInterface
public interface JobText {
    /** One job as {@code POST /v1/jobs} takes it, with its topic. */
    static JobText json(Targets targets) {
        return (text, ids, now) -> JobRequest.line(0, text, null, ids, now, targets);
    }

    /**
     * Never throws: what is wrong stands in the row.
     *
     * @param ids for a job that has none
     * @param now ms since 1970
     */
    Row read(byte[] text, IdSource ids, long now);
}
