package io.delayq.redis;

import io.delayq.job.Callback;
import io.delayq.job.Delivery;
import io.delayq.job.IdSource;
import io.delayq.job.Ids;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.TopicCounts;
import io.delayq.job.TopicSettings;
import io.delayq.job.When;
import io.delayq.ops.Meters;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Everything that can be done to jobs, each by one script. One for each verticle instance, on its event loop and its
 * connection; single requests are gathered into calls for many jobs.
 */
public final class Store {
    /** Records longer than this in all end a reserve call's batch. */
    private static final int RESERVE_BYTES = 512 * 1024;

    private static final int LOOK_TOPICS = 1_000;
    private static final int MORE = 1;
    private static final int LIMITED = 2;
    private static final long TURN_MILLIS = 2_000;
    private static final int TAKES = -1;
    private static final long BY_BACKOFF = -1;
    private static final long CONNECTION_LOST = -2;
    private static final long DEAD = -3;
    private static final int REPETITIONS = 300;
    private static final long PAUSE_MILLIS = 200;
    /** One that Redis works at, one that lies ready for it. */
    private static final int MOST_CALLS = 2;

    private final Vertx vertx;
    private final Keys keys;
    private final Link link;
    private final Caller caller;
    private final Meters meters;
    private final long deadlineMillis;
    private final List<Gather<?>> gathers = new ArrayList<>();
    private final Gather<Pushed> pushes;
    private final Gather<Pushed> puts;
    private final Gather<Boolean> acks;
    private final Gather<Nacked> nacks;
    private final Gather<Long> extensions;
    private final Gather<Boolean> releases;
    private final Gather<Boolean> cancels;
    private final Gather<Rescheduled> reschedules;
    private final Gather<Response> gets;
    private final Gather<Boolean> checks;
    private final TopicStore topics;
    private final IdStore byId;
    private final ServerList servers;

    /**
     * @param created false: push found the id in use, and {@code due} says nothing; put replaced a job in use
     */
    public record Pushed(boolean created, long due, JobState state) {}

    /** @param state null: gone, for its ttl was over; {@code stale}: the lease does not hold, nothing was changed */
    public record Nacked(boolean stale, JobState state, long due) {}

    /** @param before the state it was in, null if there is no such job; reserved and done ones were not changed */
    public record Rescheduled(JobState before, JobState state, long due) {}

    /**
     * Up to {@code max} jobs of a topic; or, under the name that {@link Callback#jobsOf} makes of it, of its jobs that go
     * by callback.
     *
     * @param inTurn whether the caller has its turn at a topic with a limit, see {@link #beginTurn}
     */
    public record Want(String topic, int max, boolean inTurn) {
        public Want(String topic, int max) {
            this(topic, max, false);
        }

        boolean isByCallback() {
            return Callback.isJobsOf(topic);
        }

        String topicOfJobs() {
            return isByCallback() ? Callback.topicOf(topic) : topic;
        }
    }

    /**
     * What was reserved for one {@link Want}, and whether its bucket has more.
     *
     * @param limited nothing was reserved, because the topic has a limit and it was not the caller's turn
     */
    public record Leased(String topic, List<Delivery> jobs, boolean more, boolean limited) {}

    /**
     * An answer to who wants to reserve from a topic with a limit.
     *
     * @param granted whether it is the caller's turn
     * @param waitMillis how long until it may be the caller's turn, or until the rate allows another job
     * @param allowed how many jobs the rate allows now, null: any
     * @param maxInFlight how many may be reserved at a time, null: any
     */
    public record Turn(boolean granted, long waitMillis, Integer allowed, Integer maxInFlight) {
        public boolean isLimited() {
            return allowed != null || maxInFlight != null;
        }
    }

    /** @param now Redis' clock; {@code leased} is in the order of the wants */
    public record Reserved(long now, List<Leased> leased) {}

    /** @param alarm when anything is due next by Redis' clock, -1 if nothing is waiting */
    public record Alarm(long nowMicros, long alarm) {}

    /**
     * The alarm, and topics with ready jobs.
     *
     * @param version of the last change of settings that the bucket has seen
     */
    public record Look(long now, long alarm, long version, List<String> awake) {}

    Store(Vertx vertx, Link link, RedisEndpoint endpoint, Keys keys, Meters meters) {
        this.vertx = vertx;
        this.keys = keys;
        this.link = link;
        this.caller = new Caller(link, keys, meters);
        this.meters = meters;
        this.deadlineMillis = endpoint.deadlineMillis();
        // each push reads its own outcome, see there
        this.pushes = gather(vertx, endpoint, Script.PUSH, null);
        this.puts = gather(vertx, endpoint, Script.PUT, (answer, i) -> {
            long due = answer.get(2 * i + 1).toLong();
            return new Pushed(answer.get(2 * i + 2).toInteger() == 0, due, stateAt(due, answer));
        });
        this.acks = gather(vertx, endpoint, Script.ACK, (answer, i) -> !isNamed(answer, 0, i));
        this.releases = gather(vertx, endpoint, Script.RELEASE, Store::flag);
        this.cancels = gather(vertx, endpoint, Script.CANCEL, Store::flag);
        this.extensions = gather(
                vertx, endpoint, Script.EXTEND, (answer, i) -> answer.get(i).toLong());
        this.nacks = gather(vertx, endpoint, Script.NACK, (answer, i) -> {
            String state = answer.get(2 * i).toString();
            boolean stale = state.equals("stale");
            return new Nacked(
                    stale,
                    stale || state.equals("gone") ? null : JobViews.state(state),
                    answer.get(2 * i + 1).toLong());
        });
        this.reschedules = gather(vertx, endpoint, Script.RESCHEDULE, (answer, i) -> {
            String before = answer.get(2 * i + 1).toString();
            long due = answer.get(2 * i + 2).toLong();
            return new Rescheduled(before.equals("none") ? null : JobViews.state(before), stateAt(due, answer), due);
        });
        this.checks = gather(vertx, endpoint, Script.HELD, Store::flag);
        this.gets = gather(vertx, endpoint, Script.GET, (answer, i) -> answer.get(i));
        this.byId = new IdStore(
                keys,
                gather(vertx, endpoint, Script.OWN, IdStore::owned),
                gather(vertx, endpoint, Script.FIND, (answer, i) -> answer.get(i)),
                gather(vertx, endpoint, Script.FINISH, Store::flag));
        this.topics = new TopicStore(this, caller, keys, deadlineMillis);
        this.servers = new ServerList(caller, deadlineMillis);
    }

    private <R> Gather<R> gather(Vertx vertx, RedisEndpoint endpoint, Script script, Gather.Reader<R> reader) {
        Gather<R> gather = new Gather<>(
                vertx, link, caller, script, keys.buckets(), MOST_CALLS, endpoint.queue(), deadlineMillis, reader);
        gathers.add(gather);
        return gather;
    }

    /** Completes with the first connection. */
    public Future<Void> ready() {
        return link.ready();
    }

    public Future<Void> close() {
        return link.close();
    }

    public boolean isUp() {
        return link.isUp();
    }

    /** Whether the bucket's Redis can be reached, as far as is known. */
    public boolean isUp(int bucket) {
        return link.isUp(bucket);
    }

    /** Requests not answered yet. */
    public int waiting() {
        return gathers.stream().mapToInt(Gather::waiting).sum();
    }

    /** Whether more waits than will be done in time. */
    public boolean isBehind() {
        return gathers.stream().anyMatch(Gather::isBehind);
    }

    /** Completes when nothing is waiting. */
    public Future<Void> settled() {
        List<Future<?>> open = gathers.stream()
                .filter(gather -> gather.waiting() > 0)
                .<Future<?>>map(Gather::idle)
                .toList();
        return open.isEmpty() ? Future.succeededFuture() : Future.join(open).transform(done -> settled());
    }

    public int buckets() {
        return keys.buckets();
    }

    /** Whether a key is one that jobs are kept in. */
    public boolean isOwnKey(String key) {
        return keys.isOwn(key);
    }

    /** What can be done to topics as a whole. */
    public TopicStore topics() {
        return topics;
    }

    /** What can be done to jobs whose ids are the same in all topics. */
    public IdStore byId() {
        return byId;
    }

    /** Who calls the scripts for this store. */
    Caller caller() {
        return caller;
    }

    /** The servers on this namespace. */
    public ServerList servers() {
        return servers;
    }

    /** An id for a job that has none, in the bucket whose call is next. */
    public IdSource ids(Ids ids) {
        return () -> ids.nextIn(pushes.favour(), keys::bucketOf);
    }

    public Future<Pushed> push(NewJob job) {
        Promise<Pushed> promise = Promise.promise();
        push(job, Gather.into(promise));
        return promise.future();
    }

    /** @param sink gets the outcome, or why there is none */
    public void push(NewJob job, BiConsumer<Pushed, Throwable> sink) {
        byte[] id = Bytes.of(job.id());
        List<byte[]> args = List.of(id, when(job.when()), JobRecord.brief(job.options(), job.body()));
        pushes.add(keys.bucketOf(id), job.topic(), args, (answer, i) -> pushed(job.when(), answer, i), sink);
    }

    /** See push.lua: of most jobs nothing is said. */
    private static Pushed pushed(When when, Response answer, int i) {
        if (isNamed(answer, 1, i)) {
            return new Pushed(false, -1, JobState.READY);
        }
        long now = answer.get(0).toLong();
        long due = when.absolute() ? Math.max(when.millis(), now) : now + when.millis();
        return new Pushed(true, due, due > now ? JobState.DELAYED : JobState.READY);
    }

    /** Whether the i-th job is among those that an answer names. Most answers name none. */
    private static boolean isNamed(Response answer, int from, int i) {
        for (int at = from; at < answer.size(); at++) {
            if (answer.get(at).toInteger() == i) {
                return true;
            }
        }
        return false;
    }

    public Future<Pushed> put(NewJob job) {
        return puts.add(keys.bucketOf(job.id()), job.topic(), stored(job));
    }

    /**
     * @param by whom, for the attempt log; empty if that is not known
     * @return whether the lease held
     */
    public Future<Boolean> ack(String topic, String id, String lease, String by) {
        return ack(topic, id, lease, by, "");
    }

    /** @param more further members of the attempt log's entry as JSON text, each with a comma before it; or empty */
    public Future<Boolean> ack(String topic, String id, String lease, String by, String more) {
        byte[] note = Bytes.of(more.isEmpty() ? by : by + '\n' + more);
        byte[] key = Bytes.of(id);
        return acks.add(keys.bucketOf(key), topic, List.of(key, Bytes.of(lease), note));
    }

    /**
     * @param waitMillis null: the backoff decides
     * @param error null if none was given
     */
    public Future<Nacked> nack(String topic, String id, String lease, Long waitMillis, String error, String by) {
        return nack(topic, id, lease, waitMillis, error, by, "");
    }

    /** @param more as in {@link #ack} */
    public Future<Nacked> nack(
            String topic, String id, String lease, Long waitMillis, String error, String by, String more) {
        long wait = waitMillis == null ? BY_BACKOFF : waitMillis;
        return nacked(topic, id, lease, wait, error == null ? "" : error, by, more);
    }

    /** The job is dead, however many attempts are left. */
    public Future<Nacked> kill(String topic, String id, String lease, String error, String by, String more) {
        return nacked(topic, id, lease, DEAD, error, by, more);
    }

    /** The consumer's connection ended: the job is ready again at once, from the second such loss on by backoff. */
    public Future<Nacked> lost(String topic, String id, String lease, String by) {
        return nacked(topic, id, lease, CONNECTION_LOST, "the connection ended before the job was settled", by, "");
    }

    private Future<Nacked> nacked(
            String topic, String id, String lease, long wait, String error, String by, String more) {
        return nacks.add(
                        keys.bucketOf(id),
                        topic,
                        List.of(
                                Bytes.of(id),
                                Bytes.of(lease),
                                Bytes.of(wait),
                                Bytes.of(error),
                                Bytes.of(by),
                                Bytes.of(more)))
                .onSuccess(nacked -> count(topic, nacked));
    }

    private void count(String topic, Nacked nacked) {
        if (!nacked.stale) {
            boolean gone = nacked.state == null;
            boolean dead = nacked.state == JobState.DEAD;
            count(topic, gone || dead ? 0 : 1, dead ? 1 : 0, gone ? 1 : 0);
        }
    }

    /** What became of jobs inside a script. If its answer is lost they are not counted. */
    void count(String topic, long again, long dead, long gone) {
        if (again + dead + gone > 0) {
            meters.ended(topic, again, dead, gone);
        }
    }

    /**
     * @param ttrMillis null: the job's own
     * @return the new deadline, -1 if the lease does not hold
     */
    public Future<Long> extend(String topic, String id, String lease, Long ttrMillis) {
        long ttr = ttrMillis == null ? -1 : ttrMillis;
        return extensions.add(keys.bucketOf(id), topic, List.of(Bytes.of(id), Bytes.of(lease), Bytes.of(ttr)));
    }

    /** Gives a job back that never reached a consumer; the attempt does not count. */
    public Future<Boolean> release(String topic, String id, String lease) {
        return defer(topic, id, lease, 0);
    }

    /** The same, to come again after a while. */
    public Future<Boolean> defer(String topic, String id, String lease, long waitMillis) {
        return releases.add(keys.bucketOf(id), topic, List.of(Bytes.of(id), Bytes.of(lease), Bytes.of(waitMillis)));
    }

    /** Whether a lease still holds; it may have been settled by someone else, or have ended. */
    public Future<Boolean> isHeld(String topic, String id, String lease) {
        return checks.add(keys.bucketOf(id), topic, List.of(Bytes.of(id), Bytes.of(lease)));
    }

    /** Repeats what may be repeated while Redis is away or overrun, for a while. */
    public <T> Future<T> untilAnswered(Supplier<Future<T>> action) {
        return untilAnswered(action, REPETITIONS);
    }

    private <T> Future<T> untilAnswered(Supplier<Future<T>> action, int left) {
        return action.get().recover(error -> {
            boolean again = error instanceof StoreException store && store.kind() != StoreException.Kind.DEFECT;
            if (!again || left == 0 || link.isClosed()) {
                return Future.failedFuture(error);
            }
            Promise<Void> pause = Promise.promise();
            vertx.setTimer(PAUSE_MILLIS, timer -> pause.complete());
            return pause.future().compose(over -> untilAnswered(action, left - 1));
        });
    }

    /** @return whether there was such a job */
    public Future<Boolean> cancel(String topic, String id) {
        return cancels.add(keys.bucketOf(id), topic, List.of(Bytes.of(id)));
    }

    public Future<Rescheduled> reschedule(String topic, String id, When when) {
        return reschedules.add(keys.bucketOf(id), topic, List.of(Bytes.of(id), when(when)));
    }

    /** @return null if there is no such job */
    public Future<JobView> get(String topic, String id) {
        return gets.add(keys.bucketOf(id), topic, List.of(Bytes.of(id)))
                .map(found -> found == null ? null : JobViews.one(topic, id, found));
    }

    /**
     * Leases ready jobs of one bucket. At most one such call may be under way for a bucket; it is repeated until Redis
     * answers, so that no job is leased to nobody.
     */
    public Future<Reserved> reserve(int bucket, List<Want> wants) {
        return reserve(bucket, wants, RESERVE_BYTES);
    }

    /** The same of topics whose jobs go to a Redis list, and of no others. */
    Future<Reserved> reserveForList(int bucket, List<Want> wants) {
        return reserve(bucket, wants, -RESERVE_BYTES);
    }

    private Future<Reserved> reserve(int bucket, List<Want> wants, int bytes) {
        List<byte[]> args = new ArrayList<>(2 + 2 * wants.size());
        String token = Caller.randomText(12);
        args.add(Bytes.of(token));
        args.add(Bytes.of(bytes));
        for (Want want : wants) {
            args.add(Bytes.of(want.topic));
            args.add(Bytes.of(want.inTurn ? -want.max : want.max));
        }
        return caller.call(Script.RESERVE, bucket, args, answer -> jobsIn(wants, answer), 0)
                .map(answer -> reserved(token, wants, answer));
    }

    /**
     * Asks for a turn at a topic with a limit. Turns are taken over all processes, so that nobody reserves what another
     * one is about to; one that is not ended is over after two seconds.
     */
    public Future<Turn> beginTurn(String topic) {
        return turn(topic, TAKES);
    }

    /** @param used how many jobs were reserved in it */
    public Future<Turn> endTurn(String topic, int used) {
        return turn(topic, used);
    }

    private Future<Turn> turn(String topic, int used) {
        return topics.inTurn(
                        Script.TURN,
                        keys.bucketOf(topic),
                        List.of(Bytes.of(topic), Bytes.of(caller.name()), Bytes.of(used), Bytes.of(TURN_MILLIS)))
                .map(answer -> {
                    int allowed = answer.get(2).toInteger();
                    int most = answer.get(3).toInteger();
                    return new Turn(
                            answer.get(0).toInteger() == 1,
                            answer.get(1).toLong(),
                            allowed < 0 ? null : allowed,
                            most < 0 ? null : most);
                });
    }

    /** Does what is due in a bucket, at most so many jobs. */
    public Future<Alarm> due(int bucket, int limit) {
        return caller.call(
                        Script.DUE,
                        bucket,
                        List.of(Bytes.of(limit)),
                        answer -> answer.get(2).toInteger(),
                        deadlineMillis)
                .map(answer -> {
                    for (int i = 3; i < answer.size(); i += 4) {
                        count(
                                answer.get(i).toString(),
                                answer.get(i + 1).toLong(),
                                answer.get(i + 2).toLong(),
                                answer.get(i + 3).toLong());
                    }
                    return new Alarm(answer.get(0).toLong(), answer.get(1).toLong());
                });
    }

    public Future<Look> look(int bucket) {
        return caller.call(Script.LOOK, bucket, List.of(Bytes.of(LOOK_TOPICS)), answer -> 0, deadlineMillis)
                .map(answer -> {
                    List<String> awake = new ArrayList<>();
                    for (int i = 3; i < answer.size(); i++) {
                        awake.add(answer.get(i).toString());
                    }
                    return new Look(
                            answer.get(0).toLong(),
                            answer.get(1).toLong(),
                            answer.get(2).toLong(),
                            awake);
                });
    }

    /** Topics in the order of their names, after one and with a prefix. */
    public Future<List<String>> topics(String prefix, String after, int limit) {
        String from = after != null && after.compareTo(prefix) >= 0 ? "(" + after : "[" + prefix;
        // behind every topic with the prefix: a topic has no character above z
        String to = prefix.isEmpty() ? "+" : "[" + prefix + "~";
        List<byte[]> args = List.of(Bytes.of(from), Bytes.of(to), Bytes.of(limit));
        return everywhere(Script.NAMES, args).map(answers -> answers.stream()
                .flatMap(answer -> IntStream.range(0, answer.size() / 2)
                        .mapToObj(i -> answer.get(2 * i + 1).toString()))
                .distinct()
                .sorted()
                .limit(limit)
                .toList());
    }

    /** The counts of those of the topics that exist, in the order given. */
    public Future<List<TopicCounts>> counts(List<String> topics) {
        if (topics.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return everywhere(Script.COUNTS, topics.stream().map(Bytes::of).toList())
                .map(answers -> {
                    Map<String, TopicCounts> found = new HashMap<>();
                    for (Response answer : answers) {
                        for (int i = 0; i < topics.size(); i++) {
                            TopicCounts counts = counts(topics.get(i), answer, 6 * i);
                            if (counts != null) {
                                found.merge(topics.get(i), counts, TopicCounts::plus);
                            }
                        }
                    }
                    return topics.stream()
                            .filter(found::containsKey)
                            .map(found::get)
                            .toList();
                });
    }

    Future<List<Response>> everywhere(Script script, List<byte[]> args) {
        List<Future<Response>> calls = new ArrayList<>();
        for (int bucket = 0; bucket < keys.buckets(); bucket++) {
            calls.add(caller.call(script, bucket, args, answer -> 0, deadlineMillis));
        }
        return Future.all(calls).map(all -> all.list());
    }

    private static TopicCounts counts(String topic, Response answer, int at) {
        if (answer.get(at) == null) {
            return null;
        }
        return new TopicCounts(
                topic,
                answer.get(at + 1).toLong(),
                answer.get(at + 2).toLong(),
                answer.get(at + 3).toLong(),
                answer.get(at + 4).toLong(),
                answer.get(at + 5).toLong(),
                SettingsRecord.decode(answer.get(at).toString()).paused());
    }

    /** What push, put and admit are told of a job. */
    static List<byte[]> stored(NewJob job) {
        return List.of(Bytes.of(job.id()), when(job.when()), JobRecord.encode(job.options(), job.body()));
    }

    /** As the scripts take it: a wait, or the negative of a time since 1970. */
    static byte[] when(When when) {
        return Bytes.of(when.absolute() ? -when.millis() : when.millis());
    }

    private static Boolean flag(Response answer, int i) {
        return answer.get(i).toInteger() == 1;
    }

    private static JobState stateAt(long due, Response answer) {
        return due > answer.get(0).toLong() ? JobState.DELAYED : JobState.READY;
    }

    private static int jobsIn(List<Want> wants, Response answer) {
        int jobs = 0;
        int at = 1;
        for (Want want : wants) {
            int count = answer.get(at + 1).toInteger();
            jobs += count;
            at += 4 + (want.isByCallback() ? 1 : 0) + 3 * count;
        }
        return jobs;
    }

    /** See reserve.lua for what stands where. */
    private Reserved reserved(String token, List<Want> wants, Response answer) {
        List<Leased> leased = new ArrayList<>(wants.size());
        int at = 1;
        int place = 0;
        for (Want want : wants) {
            int more = answer.get(at).toInteger();
            int count = answer.get(at + 1).toInteger();
            int maxAttempts = answer.get(at + 2).toInteger();
            long deadline = answer.get(at + 3).toLong();
            at += 4;
            TopicSettings settings = null;
            if (want.isByCallback()) {
                settings = SettingsRecord.decode(answer.get(at++).toString()).settings();
            }
            List<Delivery> jobs = new ArrayList<>(count);
            for (int i = 0; i < count; i++, at += 3, place++) {
                LeaseTerms terms = LeaseTerms.of(answer, at + 1, place, maxAttempts, deadline);
                jobs.add(delivery(token, want.topic, settings, answer, at, terms));
            }
            leased.add(new Leased(want.topic, jobs, more == MORE, more == LIMITED));
        }
        for (; at < answer.size(); at += 3) {
            String topic = wants.get(answer.get(at).toInteger()).topicOfJobs();
            count(topic, 0, answer.get(at + 1).toLong(), answer.get(at + 2).toLong());
        }
        return new Reserved(answer.get(0).toLong(), leased);
    }

    /** @param settings null: the job goes to a consumer */
    private static Delivery delivery(
            String token, String topic, TopicSettings settings, Response answer, int at, LeaseTerms terms) {
        JobRecord.Decoded record = JobRecord.decode(answer.get(at + 2).toBuffer());
        return new Delivery(
                settings == null ? topic : Callback.topicOf(topic),
                answer.get(at).toString(),
                terms.lease(token),
                terms.attempt(),
                terms.maxAttempts(),
                terms.due() == LeaseTerms.AT_PUSH ? record.created() : terms.due(),
                terms.deadline(),
                record.options().traceparent(),
                record.body(),
                settings == null ? null : hook(record, settings, answer.get(0).toLong()));
    }

    private static Delivery.Hook hook(JobRecord.Decoded record, TopicSettings settings, long now) {
        Callback own = record.options().callback();
        return new Delivery.Hook(
                own == null ? settings.callback() : own,
                settings.webhook(),
                record.created(),
                now,
                settings.keepDone() != null && settings.keepDone() > 0);
    }
}
