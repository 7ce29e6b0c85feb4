package io.delayq.redis;

import io.delayq.job.Delivery;
import io.delayq.job.TopicSettings.RedisList;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Moves ready jobs to the Redis lists of their topics. On one Redis that is one script. On several the list, which is in
 * its slot of a cluster or on the first shard, may lie elsewhere than the job, which is then reserved, put on the list and
 * acked; whatever fails in between, the job comes back, so that an entry may come twice. One for each verticle
 * instance, on its event loop.
 */
public final class ListStore {
    private static final int MOST_BYTES = 256 * 1024;
    /** Who it was, for the attempt log; enlist.lua says the same. */
    private static final String BY = "redisList";

    private final Store store;
    private final Link lists;
    private final long deadlineMillis;
    /** By bucket: the last call, since a caller has one of a kind under way. */
    private final Future<?>[] last;

    /** What is left of a topic's ready jobs in a bucket. */
    public enum Left {
        NOTHING,
        MORE,
        /** The topic has a rate, see {@link Store#beginTurn}. */
        TURN_NEEDED,
        /** The key holds something else than a list. */
        NO_LIST
    }

    /** @param dues when each job that was moved was due; {@code now} is by the same clock */
    public record Moved(long now, Left left, List<Long> dues) {}

    /** @param lists the way to any key by its slot; null if all is on one Redis */
    ListStore(Store store, Link lists, long deadlineMillis) {
        this.store = store;
        this.lists = lists;
        this.deadlineMillis = deadlineMillis;
        this.last = new Future<?>[store.buckets()];
        Arrays.fill(last, Future.succeededFuture());
    }

    public Store store() {
        return store;
    }

    public Future<Void> ready() {
        return store.ready();
    }

    public Future<Void> close() {
        return lists == null
                ? store.close()
                : Future.join(store.close(), lists.close()).mapEmpty();
    }

    /** @param inTurn whether the caller has its turn at a topic with a rate */
    public Future<Moved> move(int bucket, String topic, int most, boolean inTurn) {
        return oneAtATime(
                bucket,
                () -> lists == null
                        ? enlist(bucket, topic, inTurn ? -most : most)
                        : reserveAndAppend(bucket, new Store.Want(topic, most, inTurn)));
    }

    private <T> Future<T> oneAtATime(int bucket, Supplier<Future<T>> call) {
        Future<T> next = last[bucket].transform(before -> call.get());
        last[bucket] = next;
        return next;
    }

    private Future<Moved> enlist(int bucket, String topic, int most) {
        List<byte[]> args = List.of(Bytes.of(MOST_BYTES), Bytes.of(topic), Bytes.of(most));
        return store.caller()
                .call(Script.ENLIST, bucket, args, answer -> answer.size() - 4, deadlineMillis)
                .map(answer -> {
                    List<Long> dues = new ArrayList<>();
                    for (int i = 4; i < answer.size(); i++) {
                        dues.add(answer.get(i).toLong());
                    }
                    store.count(topic, 0, answer.get(2).toLong(), answer.get(3).toLong());
                    Left left = Left.values()[answer.get(1).toInteger()];
                    return new Moved(answer.get(0).toLong(), left, dues);
                });
    }

    private Future<Moved> reserveAndAppend(int bucket, Store.Want want) {
        return store.reserveForList(bucket, List.of(want)).compose(reserved -> {
            Store.Leased leased = reserved.leased().get(0);
            List<Delivery> jobs = leased.jobs();
            Left left = leased.limited() ? Left.TURN_NEEDED : leased.more() ? Left.MORE : Left.NOTHING;
            if (jobs.isEmpty()) {
                return Future.succeededFuture(new Moved(reserved.now(), left, List.of()));
            }
            return append(bucket, want.topic(), jobs)
                    .recover(error -> release(jobs).transform(back -> Future.failedFuture(error)))
                    .compose(done -> done
                            ? ack(jobs)
                                    .map(new Moved(
                                            reserved.now(),
                                            left,
                                            jobs.stream().map(Delivery::due).toList()))
                            : release(jobs).map(new Moved(reserved.now(), Left.NO_LIST, List.of())));
        });
    }

    /** @return false if there is no list to append to */
    private Future<Boolean> append(int bucket, String topic, List<Delivery> jobs) {
        // asked for after the jobs were reserved, so that settings answered before that are obeyed
        return store.topics()
                .call(Script.COUNTS, bucket, List.of(Bytes.of(topic)))
                .compose(counts -> {
                    Response stored = counts.get(0);
                    RedisList list = stored == null
                            ? null
                            : SettingsRecord.decode(stored.toString())
                                    .settings()
                                    .redisList();
                    if (list == null) {
                        return Future.succeededFuture(false);
                    }
                    List<byte[]> args = new ArrayList<>(List.of(Bytes.of(1), Bytes.of(list.key())));
                    jobs.forEach(job -> args.add(ListEntry.of(list.payload(), job)));
                    return lists.call(Keys.slotOf(list.key()), Script.APPEND, args, deadlineMillis)
                            .map(answer -> answer.get(0).toInteger() == 1);
                });
    }

    private Future<?> ack(List<Delivery> jobs) {
        return each(jobs, job -> store.ack(job.topic(), job.id(), job.lease(), BY));
    }

    private Future<?> release(List<Delivery> jobs) {
        return each(jobs, job -> store.release(job.topic(), job.id(), job.lease()));
    }

    /** What cannot be settled comes back when its lease ends. */
    private Future<?> each(List<Delivery> jobs, Function<Delivery, Future<?>> settle) {
        List<Future<?>> all = new ArrayList<>();
        for (Delivery job : jobs) {
            all.add(store.untilAnswered(() -> settle.apply(job).mapEmpty()));
        }
        return Future.join(all).otherwiseEmpty();
    }
}
