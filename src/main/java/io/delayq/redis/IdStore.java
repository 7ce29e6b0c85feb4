package io.delayq.redis;

import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.List;

/**
 * Jobs whose ids are the same in all topics, as clients of older delay queues have them. An index in the id's bucket tells
 * the topic of those, and only of those, that were stored here.
 */
public final class IdStore {
    /** An id is looked up in no topic. */
    private static final String ANY_TOPIC = "";

    private final Keys keys;
    private final Gather<Owned> owns;
    private final Gather<Response> finds;
    private final Gather<Boolean> finishes;

    /**
     * @param stored false: the id is in use, and nothing was changed
     * @param now the time of the push by Redis' clock
     */
    public record Owned(boolean stored, long due, long now) {}

    /**
     * @param note as it was stored with the job, null if none was
     * @param started when its last attempt began, 0 if there was none
     */
    public record Found(JobView job, String note, long started) {}

    IdStore(Keys keys, Gather<Owned> owns, Gather<Response> finds, Gather<Boolean> finishes) {
        this.keys = keys;
        this.owns = owns;
        this.finds = finds;
        this.finishes = finishes;
    }

    /**
     * Stores a job in place of the one with its id, in whatever topic that is.
     *
     * @param note given back by {@link #find}; null: none
     * @param replace whether also one that is in use is replaced
     */
    public Future<Owned> own(NewJob job, String note, boolean replace) {
        return owns.add(
                keys.bucketOf(job.id()),
                job.topic(),
                List.of(
                        Bytes.of(job.id()),
                        Store.when(job.when()),
                        JobRecord.owned(job.options(), note, job.body()),
                        Bytes.of(replace ? 1 : 0)));
    }

    /** @return null if there is no such job */
    public Future<Found> find(String id) {
        return finds.add(keys.bucketOf(id), ANY_TOPIC, List.of(Bytes.of(id)))
                .map(found -> found == null ? null : JobViews.found(found.get(0).toString(), id, found.get(1)));
    }

    /**
     * Ends a job without a lease: done if it is reserved, else cancelled.
     *
     * @param by whom, for the attempt log
     * @return whether it was reserved
     */
    public Future<Boolean> finish(String topic, String id, String by) {
        return finishes.add(keys.bucketOf(id), topic, List.of(Bytes.of(id), Bytes.of(by)));
    }

    static Owned owned(Response answer, int i) {
        long due = answer.get(i + 1).toLong();
        return new Owned(due >= 0, due, answer.get(0).toLong());
    }
}
