package io.delayq.redis;

import io.delayq.job.IdSource;
import io.delayq.job.Ids;
import io.delayq.job.NewJob;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A Redis list that other programs put jobs on. An entry stays there until a script has stored its job, and goes in that
 * script: whatever ends in between, no job is lost or comes twice, and several servers may read the same list. Entries
 * that are equal stand for each other. Not on a cluster. Owned by one event loop.
 */
public final class IntakeStore {
    /** Entries of the list of bad ones; the oldest go. */
    public static final int MOST_BAD = 1_000;

    private static final int MOST_BYTES = 1 << 20;
    private static final long IN_USE = -1;
    private static final long NOT_THERE = -2;

    private final Store store;
    private final Keys keys;
    private final byte[] list;
    private final byte[] bad;
    private final int most;
    private final int longest;

    /** @param isList false: the key, or that of the bad ones, holds something else, and was left alone */
    public record Peeked(boolean isList, List<byte[]> entries) {}

    /** @param entry as it stands on the list */
    public record Entry(byte[] entry, NewJob job) {}

    /** What became of an entry. */
    public enum Outcome {
        STORED,
        ID_IN_USE,
        /** Somebody else took it. */
        NOT_THERE
    }

    /** @param said what is kept of it */
    public record Bad(byte[] entry, Buffer said) {}

    /**
     * @param most entries to look at in one call
     * @param longest bytes of a job
     */
    IntakeStore(Store store, Keys keys, String list, int most, int longest) {
        this.store = store;
        this.keys = keys;
        this.list = Bytes.of(list);
        this.bad = Bytes.of(Keys.bad(list));
        this.most = most;
        this.longest = longest;
    }

    public Store store() {
        return store;
    }

    public int bucketOf(NewJob job) {
        return keys.bucketOf(job.id());
    }

    /** Ids of one bucket, so that jobs without one of their own share a call. */
    public IdSource ids(Ids ids, int bucket) {
        return () -> ids.nextIn(bucket, keys::bucketOf);
    }

    public Future<Peeked> peek() {
        List<byte[]> args =
                List.of(list, bad, Bytes.of(MOST_BAD), Bytes.of(most), Bytes.of(MOST_BYTES), Bytes.of(longest));
        return store.topics().call(Script.PEEK, 0, args).map(answer -> {
            List<byte[]> entries = new ArrayList<>();
            for (int i = 1; i < answer.size(); i++) {
                entries.add(answer.get(i).toBytes());
            }
            return new Peeked(answer.get(0).toInteger() == 1, entries);
        });
    }

    /** Stores the jobs of one bucket. The outcomes are in the order given. */
    public Future<List<Outcome>> admit(int bucket, List<Entry> entries) {
        Map<String, List<Integer>> byTopic = new LinkedHashMap<>();
        for (int i = 0; i < entries.size(); i++) {
            byTopic.computeIfAbsent(entries.get(i).job.topic(), topic -> new ArrayList<>())
                    .add(i);
        }
        List<byte[]> args = new ArrayList<>(List.of(list, Bytes.of(most)));
        List<Integer> order = new ArrayList<>();
        byTopic.forEach((topic, places) -> {
            args.add(Bytes.of(topic));
            args.add(Bytes.of(places.size()));
            for (int place : places) {
                args.addAll(Store.stored(entries.get(place).job));
                args.add(entries.get(place).entry);
            }
            order.addAll(places);
        });
        return store.topics().inTurn(Script.ADMIT, bucket, args).map(answer -> outcomes(answer, order));
    }

    private static List<Outcome> outcomes(Response answer, List<Integer> order) {
        Outcome[] outcomes = new Outcome[order.size()];
        for (int i = 0; i < outcomes.length; i++) {
            long due = answer.get(i + 1).toLong();
            outcomes[order.get(i)] =
                    due == IN_USE ? Outcome.ID_IN_USE : due == NOT_THERE ? Outcome.NOT_THERE : Outcome.STORED;
        }
        return List.of(outcomes);
    }

    /** Moves entries to the list of bad ones, unless somebody else did. */
    public Future<Void> reject(List<Bad> entries) {
        List<byte[]> args = new ArrayList<>(List.of(list, bad, Bytes.of(MOST_BAD), Bytes.of(most)));
        for (Bad entry : entries) {
            args.add(entry.entry);
            args.add(entry.said.getBytes());
        }
        return store.topics().call(Script.REJECT, 0, args).mapEmpty();
    }
}
