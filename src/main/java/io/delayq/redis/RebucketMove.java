package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Response;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Carries one topic's jobs from what was set aside to the new buckets, in rounds: some of each old bucket are read,
 * stored where they belong, and only then removed. Whatever of this is done twice changes nothing.
 */
final class RebucketMove {
    private static final int MOST_BUCKETS = 64;
    private static final int JOBS_A_ROUND = 1_600;
    private static final int MOST_JOBS = 200;
    private static final int LEAST_JOBS = 25;
    private static final int JOBS_A_CALL = 100;
    private static final int BYTES_A_CALL = 256 << 10;
    private static final int WIDTH = 7;
    private static final int GROUP_OR_OWNED = 32 | 128;
    private static final int HEADER = 8;

    private final RebucketCalls calls;
    private final Caller aside;
    private final Caller fresh;
    private final Keys old;
    private final Keys target;
    private final LongConsumer moved;
    private final Supplier<Future<Void>> between;

    /**
     * @param between asked after each round, which was the last if it fails
     * @param moved told how many jobs more have left the old buckets
     */
    RebucketMove(
            RebucketCalls calls,
            Caller aside,
            Caller fresh,
            Keys old,
            Keys target,
            Supplier<Future<Void>> between,
            LongConsumer moved) {
        this.calls = calls;
        this.aside = aside;
        this.fresh = fresh;
        this.old = old;
        this.target = target;
        this.between = between;
        this.moved = moved;
    }

    /** One entry of a place, as pick.lua has it. */
    private record Entry(
            byte[] place,
            byte[] member,
            byte[] score,
            byte[] id,
            byte[] record,
            byte[] run,
            byte[] log,
            byte[] expires) {
        boolean isGhost() {
            return record.length == 0;
        }

        int length() {
            return record.length + run.length + log.length;
        }

        /** About the order in which ready jobs stand. */
        long due() {
            return run.length > 0
                    ? RunRecord.decode(Buffer.buffer(run)).due()
                    : Buffer.buffer(record).getLong(HEADER - Long.BYTES) & 0xffff_ffff_ffffL;
        }

        List<byte[]> args() {
            return List.of(place, member, score, id, record, run, log, expires);
        }
    }

    Future<Void> topic(String topic) {
        Future<Void> all = Future.succeededFuture();
        for (int from = 0; from < old.buckets(); from += MOST_BUCKETS) {
            List<Integer> buckets = new ArrayList<>(IntStream.range(from, Math.min(from + MOST_BUCKETS, old.buckets()))
                    .boxed()
                    .toList());
            all = all.compose(done -> TopicStore.again(
                    () -> round(topic, buckets).compose(more -> between.get().map(more))));
        }
        return all;
    }

    /** Takes those out of the buckets that have nothing left; says whether any is left. */
    private Future<Boolean> round(String topic, List<Integer> buckets) {
        int limit = Math.max(LEAST_JOBS, Math.min(MOST_JOBS, JOBS_A_ROUND / buckets.size()));
        List<byte[]> args = List.of(Bytes.of(topic), Bytes.of(limit), Bytes.of(BYTES_A_CALL));
        List<Future<List<Entry>>> picks = buckets.stream()
                .map(bucket -> calls.call(aside, Script.PICK, bucket, args).map(RebucketMove::entries))
                .toList();
        return Future.join(picks).compose(all -> {
            List<List<Entry>> picked = all.list();
            return arrive(topic, picked)
                    .compose(stored -> leave(topic, buckets, picked))
                    .map(left -> {
                        moved.accept(picked.stream()
                                .flatMap(List::stream)
                                .filter(entry -> !entry.isGhost())
                                .count());
                        for (int i = left.size() - 1; i >= 0; i--) {
                            if (left.get(i).get(0).toLong() == 0) {
                                buckets.remove(i);
                            }
                        }
                        return !buckets.isEmpty();
                    });
        });
    }

    private static List<Entry> entries(Response answer) {
        byte[] place = answer.get(0).toBytes();
        List<Entry> entries = new ArrayList<>();
        for (int i = 1; i < answer.size(); i += WIDTH) {
            byte[][] v = new byte[WIDTH][];
            for (int j = 0; j < WIDTH; j++) {
                v[j] = answer.get(i + j).toBytes();
            }
            entries.add(new Entry(place, v[0], v[1], v[2], v[3], v[4], v[5], v[6]));
        }
        return entries;
    }

    private Future<Void> arrive(String topic, List<List<Entry>> picked) {
        Map<Integer, List<Entry>> byBucket = new HashMap<>();
        picked.stream()
                .flatMap(List::stream)
                .filter(entry -> !entry.isGhost())
                .sorted(Comparator.comparingLong(Entry::due))
                .forEach(entry -> byBucket.computeIfAbsent(bucketOf(entry), b -> new ArrayList<>())
                        .add(entry));
        List<Future<Response>> stored = new ArrayList<>();
        byBucket.forEach((bucket, entries) ->
                parts(topic, entries).forEach(args -> stored.add(calls.call(fresh, Script.ARRIVE, bucket, args))));
        return Future.join(stored).mapEmpty();
    }

    private int bucketOf(Entry entry) {
        return target.bucketOf(new String(entry.id, StandardCharsets.UTF_8));
    }

    private static List<List<byte[]>> parts(String topic, List<Entry> entries) {
        List<List<byte[]>> parts = new ArrayList<>();
        List<byte[]> args = null;
        int bytes = 0;
        int jobs = 0;
        for (Entry entry : entries) {
            if (args == null || jobs == JOBS_A_CALL || bytes + entry.length() > BYTES_A_CALL) {
                args = new ArrayList<>(List.of(Bytes.of(topic)));
                parts.add(args);
                bytes = 0;
                jobs = 0;
            }
            args.addAll(entry.args());
            bytes += entry.length();
            jobs++;
        }
        return parts;
    }

    private Future<List<Response>> leave(String topic, List<Integer> buckets, List<List<Entry>> picked) {
        List<Future<Response>> left = new ArrayList<>();
        for (int i = 0; i < buckets.size(); i++) {
            int bucket = buckets.get(i);
            List<Entry> entries = picked.get(i);
            List<byte[]> args = new ArrayList<>();
            args.add(Bytes.of(topic));
            args.add(entries.isEmpty() ? Bytes.of("jobs") : entries.get(0).place);
            for (Entry entry : entries) {
                args.add(entry.member);
                args.add(Bytes.of(how(bucket, entry)));
            }
            left.add(calls.call(aside, Script.LEAVE, bucket, args));
        }
        return Future.join(left).map(all -> all.list());
    }

    /** See leave.lua. Old and new bucket may have the same tag, and so the same key for a group and for ids. */
    private int how(int bucket, Entry entry) {
        if (entry.isGhost()) {
            return 0;
        }
        boolean listed = (entry.record[1] & GROUP_OR_OWNED) != 0;
        return listed && old.key(bucket, "").equals(target.key(bucketOf(entry), "")) ? 2 : 1;
    }
}
