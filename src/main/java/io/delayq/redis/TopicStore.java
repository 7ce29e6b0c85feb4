package io.delayq.redis;

import io.delayq.job.Forecast;
import io.delayq.job.JobPage;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.job.TopicSettings;
import io.delayq.redis.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * What can be done to a topic as a whole, in steps each of which is one script of about half a millisecond, one after
 * the other and with rests, so that the jobs of other topics find Redis free in between.
 */
public final class TopicStore {
    /** Most jobs in one script; fewer if their records are long. */
    private static final int STEP = 25;

    private static final int FIRST_STEP = 5;
    private static final long STEP_BYTES = 128 * 1024;
    /** Of a forecast in one script. */
    private static final int STEPS = 200;

    private static final int MOST_WAITING = 1_000;
    private static final int NAMES_A_PAGE = 500;
    private static final String NO_MORE = "0";

    private final Store store;
    private final Caller caller;
    private final Keys keys;
    private final long deadlineMillis;
    private final JobLister lister;
    private final Map<String, Future<?>> last = new HashMap<>();
    private int waiting;

    TopicStore(Store store, Caller caller, Keys keys, long deadlineMillis) {
        this.store = store;
        this.caller = caller;
        this.keys = keys;
        this.deadlineMillis = deadlineMillis;
        this.lister = new JobLister(this, keys.buckets());
    }

    /** Whether any bucket knows the topic. */
    public Future<Boolean> exists(String topic) {
        return store.counts(List.of(topic)).map(counts -> !counts.isEmpty());
    }

    /** The settings of a topic that exists; null if there is no such topic. */
    public Future<TopicSettings> settings(String topic) {
        return store.everywhere(Script.COUNTS, List.of(Bytes.of(topic))).map(answers -> {
            TopicSettings found = null;
            // bucket 0 is the truth
            for (int bucket = answers.size() - 1; bucket >= 0; bucket--) {
                Response stored = answers.get(bucket).get(0);
                if (stored != null && (found == null || bucket == 0)) {
                    found = SettingsRecord.decode(stored.toString()).settings();
                }
            }
            return found;
        });
    }

    /** Replaces all settings; completes when every bucket, and so every process, obeys them. Makes the topic. */
    public Future<Void> configure(String topic, TopicSettings settings) {
        return change(topic, "set", SettingsRecord.encode(settings));
    }

    /** After this has completed nothing of a paused topic is reserved. */
    public Future<Void> pause(String topic, boolean paused) {
        return change(topic, paused ? "pause" : "resume", Bytes.of(""));
    }

    private Future<Void> change(String topic, String what, byte[] value) {
        return inTurn(Script.CONFIGURE, 0, List.of(Bytes.of(topic), Bytes.of(what), value))
                .compose(answer -> {
                    byte[] stored = answer.get(0).toBytes();
                    List<Future<Response>> others = new ArrayList<>();
                    for (int bucket = 1; bucket < keys.buckets(); bucket++) {
                        others.add(
                                inTurn(Script.CONFIGURE, bucket, List.of(Bytes.of(topic), Bytes.of("apply"), stored)));
                    }
                    return Future.all(others).mapEmpty();
                });
    }

    /** Brings the settings of a bucket that missed a change to what they are in bucket 0. Returns how many were wrong. */
    public Future<Integer> mend(int bucket) {
        return mend(bucket, "-", -1, 0);
    }

    private Future<Integer> mend(int bucket, String from, long version, int mended) {
        List<byte[]> range = List.of(Bytes.of(from), Bytes.of("+"), Bytes.of(NAMES_A_PAGE));
        return call(Script.NAMES, 0, range).compose(answer -> {
            int count = (answer.size() - 1) / 2;
            boolean isLast = count < NAMES_A_PAGE;
            long known = version < 0 ? answer.get(0).toLong() : version;
            String end = isLast ? "+" : "[" + answer.get(2 * count - 1);
            List<byte[]> args = new ArrayList<>();
            args.addAll(List.of(Bytes.of(from), Bytes.of(end), Bytes.of(known), Bytes.of(isLast ? 1 : 0)));
            for (int i = 1; i < answer.size(); i += 2) {
                if (answer.get(i + 1).toBytes().length > 0) {
                    args.add(answer.get(i).toBytes());
                    args.add(answer.get(i + 1).toBytes());
                }
            }
            return call(Script.MEND, bucket, args).compose(done -> {
                int so = mended + done.get(0).toInteger();
                return isLast ? Future.succeededFuture(so) : mend(bucket, "(" + end.substring(1), known, so);
            });
        });
    }

    /**
     * Topics whose jobs go to a Redis list.
     *
     * @param version of the last change of settings before they were looked for
     */
    public record Listed(long version, Set<String> topics) {
        public Listed {
            topics = Set.copyOf(topics);
        }
    }

    public Future<Listed> listed() {
        return listed("-", -1, new HashSet<>());
    }

    private Future<Listed> listed(String from, long version, Set<String> found) {
        List<byte[]> range = List.of(Bytes.of(from), Bytes.of("+"), Bytes.of(NAMES_A_PAGE));
        return call(Script.NAMES, 0, range).compose(answer -> {
            for (int i = 1; i < answer.size(); i += 2) {
                String stored = answer.get(i + 1).toString();
                // most have none, and need not be parsed for that
                if (stored.contains("redisList")
                        && SettingsRecord.decode(stored).settings().redisList() != null) {
                    found.add(answer.get(i).toString());
                }
            }
            long known = version < 0 ? answer.get(0).toLong() : version;
            return answer.size() < 1 + 2 * NAMES_A_PAGE
                    ? Future.succeededFuture(new Listed(known, found))
                    : listed("(" + answer.get(answer.size() - 2), known, found);
        });
    }

    /** A page of jobs. An unknown cursor fails with {@link IllegalArgumentException}. */
    public Future<JobPage> list(JobQuery query) {
        return lister.list(query);
    }

    /**
     * Deletes the jobs that were there when it began.
     *
     * @param state null: every state
     * @param stop asked between steps: whether to leave it at what was done
     * @return how many
     */
    public Future<Long> purge(String topic, JobState state, BooleanSupplier stop) {
        if (state != null) {
            return eachBucket(stop, bucket -> purge(bucket, topic, state, stop));
        }
        // first those that wait, in their order: going through all jobs crosses the gaps that a purge before this left
        return eachBucket(stop, bucket -> purge(bucket, topic, JobState.DELAYED, stop)
                .compose(delayed -> stop.getAsBoolean()
                        ? Future.succeededFuture(delayed)
                        : steps(bucket, Script.PURGE, topic, "all", Long.MAX_VALUE, stop)
                                .map(others -> delayed + others)));
    }

    /** As many as there are now. */
    private Future<Long> purge(int bucket, String topic, JobState state, BooleanSupplier stop) {
        return call(Script.COUNTS, bucket, List.of(Bytes.of(topic)))
                .compose(counts -> steps(
                        bucket,
                        Script.PURGE,
                        topic,
                        state.word(),
                        // behind the settings, in the order of the states
                        counts.get(1 + state.ordinal()).toLong(),
                        stop));
    }

    /** Deletes jobs, settings, everything. Returns how many jobs. */
    public Future<Long> delete(String topic, BooleanSupplier stop) {
        // settings last: a paused topic stays so, a callback's jobs go to nobody else, until they are gone
        return purge(topic, null, stop)
                .compose(deleted -> stop.getAsBoolean()
                        ? Future.succeededFuture(deleted)
                        : drop(topic).map(deleted));
    }

    /** A change like that of settings: bucket 0 numbers it. */
    private Future<Void> drop(String topic) {
        return inTurn(Script.DROP, 0, List.of(Bytes.of(topic), Bytes.of(0))).compose(answer -> {
            byte[] number = Bytes.of(answer.get(0).toLong());
            List<Future<Response>> others = new ArrayList<>();
            for (int bucket = 1; bucket < keys.buckets(); bucket++) {
                others.add(inTurn(Script.DROP, bucket, List.of(Bytes.of(topic), number)));
            }
            return Future.all(others).mapEmpty();
        });
    }

    /**
     * Makes dead jobs ready, their attempts anew.
     *
     * @param ids null: all that are dead now
     * @return how many
     */
    public Future<Long> requeue(String topic, List<String> ids, BooleanSupplier stop) {
        if (ids == null) {
            return eachBucket(stop, bucket -> requeueAll(bucket, topic, stop));
        }
        Map<Integer, List<byte[]>> byBucket = new HashMap<>();
        for (String id : ids) {
            byBucket.computeIfAbsent(keys.bucketOf(id), bucket -> requeueArgs(topic, 0))
                    .add(Bytes.of(id));
        }
        return eachBucket(
                stop,
                bucket -> byBucket.containsKey(bucket)
                        ? inTurn(Script.REQUEUE, bucket, byBucket.get(bucket))
                                .map(answer -> answer.get(1).toLong())
                        : Future.succeededFuture(0L));
    }

    private Future<Long> requeueAll(int bucket, String topic, BooleanSupplier stop) {
        long[] before = {0};
        long[] count = {0};
        Pace pace = new Pace(1);
        return again(() -> pace.next(() -> inTurn(Script.REQUEUE, bucket, requeueArgs(topic, before[0])))
                        .map(answer -> {
                            before[0] = before[0] == 0 ? answer.get(0).toLong() : before[0];
                            count[0] += answer.get(1).toLong();
                            return answer.get(2).toInteger() == 1 && !stop.getAsBoolean();
                        }))
                .map(done -> count[0]);
    }

    private static List<byte[]> requeueArgs(String topic, long before) {
        return new ArrayList<>(List.of(Bytes.of(topic), Bytes.of(before), Bytes.of(STEP)));
    }

    /** Cancels the group's delayed, ready and reserved jobs. Returns how many. */
    public Future<Long> cancelGroup(String topic, String group, BooleanSupplier stop) {
        return eachBucket(stop, bucket -> steps(bucket, Script.GROUP, topic, group, Long.MAX_VALUE, stop));
    }

    /** @param windowMillis from now, {@code stepMillis} a step, the last one perhaps cut short */
    public Future<Forecast> forecast(String topic, long windowMillis, long stepMillis) {
        long[] from = {0};
        long[] due = new long[Math.toIntExact((windowMillis + stepMillis - 1) / stepMillis)];
        Pace pace = new Pace(1);
        return eachBucket(() -> false, bucket -> {
                    int[] at = {0};
                    return again(() -> pace.next(() -> call(
                                            Script.FORECAST,
                                            bucket,
                                            List.of(
                                                    Bytes.of(topic),
                                                    Bytes.of(from[0]),
                                                    Bytes.of(stepMillis),
                                                    Bytes.of(windowMillis),
                                                    Bytes.of(at[0]),
                                                    Bytes.of(STEPS))))
                                    .map(answer -> {
                                        from[0] = answer.get(0).toLong();
                                        for (int i = 1; i < answer.size(); i++) {
                                            due[at[0]++] += answer.get(i).toLong();
                                        }
                                        return at[0] < due.length;
                                    }))
                            .map(done -> 0L);
                })
                .map(done -> new Forecast(
                        from[0], stepMillis, LongStream.of(due).boxed().toList()));
    }

    /** One bucket after the other; the sum. */
    private Future<Long> eachBucket(BooleanSupplier stop, Function<Integer, Future<Long>> work) {
        Future<Long> sum = Future.succeededFuture(0L);
        for (int i = 0; i < keys.buckets(); i++) {
            int bucket = i;
            sum = sum.compose(before -> stop.getAsBoolean()
                    ? Future.succeededFuture(before)
                    : work.apply(bucket).map(count -> before + count));
        }
        return sum;
    }

    /** Repeats a script that works in steps until it has gone through, or has done as many as there were. */
    private Future<Long> steps(int bucket, Script script, String topic, String what, long most, BooleanSupplier stop) {
        long[] count = {0};
        int[] step = {FIRST_STEP};
        Pace pace = new Pace(1);
        String[] cursor = {NO_MORE};
        if (most == 0) {
            return Future.succeededFuture(0L);
        }
        return again(() -> pace.next(() -> inTurn(
                                script,
                                bucket,
                                List.of(
                                        Bytes.of(topic),
                                        Bytes.of(what),
                                        Bytes.of(Math.min(step[0], most - count[0])),
                                        Bytes.of(cursor[0]))))
                        .map(answer -> {
                            count[0] += answer.get(0).toLong();
                            cursor[0] = answer.get(1).toString();
                            boolean isLong = answer.get(2).toLong() > STEP_BYTES;
                            step[0] = Math.max(1, Math.min(STEP, isLong ? step[0] / 2 : step[0] * 2));
                            return !cursor[0].equals(NO_MORE) && count[0] < most && !stop.getAsBoolean();
                        }))
                .map(done -> count[0]);
    }

    /** Does a step until it says that there is no other. A loop, since a chain of as many futures would not unwind. */
    static Future<Void> again(Supplier<Future<Boolean>> step) {
        Promise<Void> over = Promise.promise();
        again(step, over);
        return over.future();
    }

    private static void again(Supplier<Future<Boolean>> step, Promise<Void> over) {
        step.get().onComplete(more -> {
            if (more.failed()) {
                over.fail(more.cause());
            } else if (more.result()) {
                again(step, over);
            } else {
                over.complete();
            }
        });
    }

    /** A script that may be sent again at will. */
    Future<Response> call(Script script, int bucket, List<byte[]> args) {
        return caller.call(script, bucket, args, answer -> 0, deadlineMillis);
    }

    /**
     * A numbered script: after the caller's last one of that kind in that bucket has been answered. The time spent on
     * waiting for that counts.
     */
    Future<Response> inTurn(Script script, int bucket, List<byte[]> args) {
        if (waiting >= MOST_WAITING && script != Script.TURN) {
            return Future.failedFuture(new StoreException(Kind.BUSY, "too many calls are waiting for Redis"));
        }
        waiting++;
        long began = System.nanoTime();
        String key = script.word() + bucket;
        Promise<Response> answer = Promise.promise();
        Future<?> before = last.getOrDefault(key, Future.succeededFuture());
        last.put(key, answer.future());
        before.onComplete(done -> {
            long left = deadlineMillis - (System.nanoTime() - began) / 1_000_000;
            Future<Response> call = left > 0
                    ? caller.call(script, bucket, args, jobs -> 0, left)
                    : Future.failedFuture(new StoreException(Kind.UNAVAILABLE, "Redis is out of reach"));
            call.onComplete(result -> {
                waiting--;
                last.remove(key, answer.future());
                answer.handle(result);
            });
        });
        return answer.future();
    }
}
