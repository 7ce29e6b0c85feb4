package io.delayq.ready;

import io.delayq.bus.Addresses;
import io.delayq.bus.Batch;
import io.delayq.bus.Courier;
import io.delayq.bus.Demand;
import io.delayq.bus.Post;
import io.delayq.bus.ReadyHint;
import io.delayq.bus.Withdrawal;
import io.delayq.job.Delivery;
import io.delayq.ops.Meters;
import io.delayq.redis.Store;
import io.delayq.redis.Stores;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room 3 of push -> bucket -> <b>ready</b> -> consumer -> ack: reserves jobs for consumers that have room, and only for
 * these, and hands them over. One call for each bucket is under way at a time; demand that arises meanwhile goes into
 * the next.
 */
public final class DispatchVerticle extends VerticleBase {
    private static final Logger log = LoggerFactory.getLogger(DispatchVerticle.class);
    private static final int JOBS_A_TOPIC = 250;
    /** Of topics that are known to have more: few with many jobs each cost less than many with few. */
    private static final int JOBS_A_CALL = 250;
    /** Most of them have nothing; how many jobs come of one call is the script's to say. */
    private static final int TOPICS_A_CALL = 40;

    private static final long HAND_OVER_MILLIS = 100;
    private static final long PAUSE_AFTER_FAILURE_MILLIS = 100;
    private static final long SWEEP_MILLIS = 2_000;
    private static final long SILENT_NANOS = 5_000_000_000L;
    private static final long OVERDUE_NANOS = 1_000_000_000L;

    /** What a bucket is being asked. */
    private static final class Question {
        final List<Store.Want> wants;
        final long askedNanos = System.nanoTime();
        boolean overdue;

        Question(List<Store.Want> wants) {
            this.wants = wants;
        }

        /** What it still takes of the demand. In a turn nobody else may be asked meanwhile. */
        int holds(Store.Want want) {
            return overdue && !want.inTurn() ? 0 : want.max();
        }
    }

    private final Stores stores;
    private final Addresses addresses;
    private final Meters meters;
    private final int instance;
    private final Map<String, Topic> topics = new LinkedHashMap<>();
    private final Set<Topic> hungry = new LinkedHashSet<>();
    private final Set<Future<?>> underWay = new HashSet<>();
    private Store store;
    private Turns turns;
    private long redisNow;
    private long redisNowNanos;
    private boolean[] busy;
    private Question[] questions;
    /** Buckets that could not be asked the last time, or owe an answer for long. */
    private final BitSet troubled = new BitSet();

    private boolean askingSoon;
    private int firstBucket;
    private long batches;
    private long sweepTimer;
    private boolean stopped;

    public DispatchVerticle(Stores stores, Addresses addresses, int instance) {
        this.stores = stores;
        this.addresses = addresses;
        this.meters = stores.meters();
        this.instance = instance;
    }

    @Override
    public Future<?> start() {
        store = stores.open(vertx, "dispatcher-" + instance);
        busy = new boolean[stores.buckets()];
        questions = new Question[stores.buckets()];
        turns = new Turns(vertx, store, JOBS_A_TOPIC, this::track, this::turned);
        sweepTimer = vertx.setTimer(SWEEP_MILLIS, timer -> sweep());
        meters.queue("handover", "dispatcher-" + instance, underWay::size);
        return vertx.eventBus()
                .consumer(addresses.dispatcher(instance), this::posted)
                .completion()
                .compose(ready -> store.ready());
    }

    /** Takes no more demand, waits for what is under way, and gives back what is reserved but not handed over. */
    @Override
    public Future<?> stop() {
        stopped = true;
        vertx.cancelTimer(sweepTimer);
        topics.values().forEach(topic -> {
            topic.consumers().forEach(consumer -> {
                release(List.copyOf(consumer.gathered));
                consumer.gathered.clear();
            });
            if (topic.inTurn()) {
                turns.end(topic);
            }
        });
        return settled().eventually(store::close);
    }

    private Future<?> settled() {
        return underWay.isEmpty()
                ? Future.succeededFuture()
                : Future.join(List.copyOf(underWay)).transform(result -> settled());
    }

    private void posted(Message<Post> message) {
        Courier.receive(message, this::received);
        askSoon();
    }

    private void received(Object body) {
        if (stopped) {
            return;
        }
        if (body instanceof Demand demand) {
            Topic topic =
                    topics.computeIfAbsent(demand.topic(), name -> new Topic(name, stores.buckets(), this::isAway));
            topic.demanded(demand, System.nanoTime());
            changed(topic);
        } else if (body instanceof ReadyHint hint && topics.containsKey(hint.topic())) {
            Topic topic = topics.get(hint.topic());
            topic.mayHave(hint.bucket());
            changed(topic);
        } else if (body instanceof Withdrawal gone && topics.containsKey(gone.topic())) {
            Topic topic = topics.get(gone.topic());
            release(topic.withdrawn(gone.room(), gone.consumer()));
            changed(topic);
        }
    }

    private void sweep() {
        for (Topic topic : List.copyOf(topics.values())) {
            release(topic.forgetSilent(System.nanoTime(), SILENT_NANOS));
            changed(topic);
        }
        for (int bucket = 0; bucket < questions.length; bucket++) {
            Question question = questions[bucket];
            boolean isLate = question != null && System.nanoTime() - question.askedNanos > OVERDUE_NANOS;
            if (isLate && !question.overdue) {
                overdue(bucket, question);
            }
        }
        ask();
        sweepTimer = vertx.setTimer(SWEEP_MILLIS, timer -> sweep());
    }

    private boolean isAway(int bucket) {
        return troubled.get(bucket) || !store.isUp(bucket);
    }

    private void overdue(int bucket, Question question) {
        question.overdue = true;
        troubled.set(bucket);
        for (Store.Want want : question.wants) {
            if (!want.inTurn()) {
                Topic topic = topics.get(want.topic());
                topic.overdue(want.max());
                handOver(topic);
                changed(topic);
            }
        }
    }

    private void changed(Topic topic) {
        // taken out first, so that a topic that was just served goes behind the others
        hungry.remove(topic);
        if (topic.hungry()) {
            hungry.add(topic);
        }
        if (topic.isTurnOver()) {
            turns.end(topic);
        }
        if (topic.unused()) {
            topics.remove(topic.name, topic);
            turns.forget(topic);
        }
    }

    /** A turn at a topic with a limit has begun, or could not be had. */
    private void turned(Topic topic) {
        if (stopped) {
            if (topic.inTurn()) {
                turns.end(topic);
            }
            return;
        }
        handOver(topic);
        changed(topic);
        ask();
    }

    /** Once for all messages that are there: with thousands of topics a look at each for each is too much. */
    private void askSoon() {
        if (!askingSoon) {
            askingSoon = true;
            context.runOnContext(v -> ask());
        }
    }

    /** Asks every bucket that is free for what may be there, beginning one further each time. */
    private void ask() {
        askingSoon = false;
        if (stopped) {
            return;
        }
        turns.ask();
        firstBucket = (firstBucket + 1) % busy.length;
        for (int i = 0; i < busy.length; i++) {
            int bucket = (firstBucket + i) % busy.length;
            if (!busy[bucket]) {
                ask(bucket);
            }
        }
    }

    private void ask(int bucket) {
        List<Store.Want> wants = new ArrayList<>();
        int left = JOBS_A_CALL;
        for (Topic topic : hungry) {
            int count = topic.want(bucket, JOBS_A_TOPIC);
            if (count > 0) {
                left -= topic.hasMore(bucket) ? count : 0;
                topic.asking(bucket, count);
                wants.add(new Store.Want(topic.name, count, topic.inTurn()));
            }
            if (wants.size() == TOPICS_A_CALL || left <= 0) {
                break;
            }
        }
        if (wants.isEmpty()) {
            return;
        }
        busy[bucket] = true;
        Question question = new Question(wants);
        questions[bucket] = question;
        track(store.reserve(bucket, wants)
                .onSuccess(reserved -> reserved(bucket, question, reserved))
                .onFailure(error -> failed(bucket, question, error)));
    }

    private void reserved(int bucket, Question question, Store.Reserved reserved) {
        busy[bucket] = false;
        questions[bucket] = null;
        troubled.clear(bucket);
        redisNow = reserved.now();
        redisNowNanos = System.nanoTime();
        for (int i = 0; i < question.wants.size(); i++) {
            Store.Leased leased = reserved.leased().get(i);
            Topic topic = topics.get(leased.topic());
            int held = question.holds(question.wants.get(i));
            topic.answered(bucket, held, leased.jobs().size(), leased.more() || leased.limited());
            if (leased.limited()) {
                turns.learn(topic);
            }
            if (stopped) {
                release(leased.jobs());
            } else {
                release(topic.give(leased.jobs(), leased.more()));
                handOver(topic);
                changed(topic);
            }
        }
        ask();
    }

    /** Nothing was reserved; a defect is in the log already. */
    private void failed(int bucket, Question question, Throwable error) {
        log.debug("reserve failed bucket={}", bucket, error);
        questions[bucket] = null;
        troubled.set(bucket);
        for (Store.Want want : question.wants) {
            Topic topic = topics.get(want.topic());
            topic.answered(bucket, question.holds(want), 0, true);
            if (want.inTurn()) {
                turns.end(topic);
            }
            if (!stopped) {
                handOver(topic);
            }
            changed(topic);
        }
        if (!stopped) {
            vertx.setTimer(PAUSE_AFTER_FAILURE_MILLIS, timer -> {
                busy[bucket] = false;
                ask();
            });
        }
    }

    private void handOver(Topic topic) {
        topic.full().forEach(consumer -> handOver(topic, consumer));
    }

    private void handOver(Topic topic, Topic.Consumer consumer) {
        List<Delivery> jobs = List.copyOf(consumer.gathered);
        consumer.gathered.clear();
        Batch batch = new Batch(instance + "-" + ++batches, consumer.id, topic.name, jobs);
        track(send(consumer.room, batch).onComplete(taken -> {
            if (taken.succeeded() && taken.result()) {
                long now = redisNow + (System.nanoTime() - redisNowNanos) / 1_000_000;
                jobs.forEach(job -> meters.delivered(job.topic(), now - job.due()));
            } else {
                topic.refused(consumer, jobs.size());
                release(jobs);
            }
        }));
    }

    /** Sends a batch until it is answered; a room that is gone has refused. */
    private Future<Boolean> send(String room, Batch batch) {
        return vertx.eventBus()
                .<Boolean>request(
                        addresses.room(room), batch, Addresses.options().setSendTimeout(HAND_OVER_MILLIS))
                .map(Message::body)
                .recover(error -> error instanceof ReplyException reply && reply.failureType() == ReplyFailure.TIMEOUT
                        ? send(room, batch)
                        : Future.succeededFuture(false));
    }

    /** If it cannot be done, the lease will end and bring the job back. */
    private void release(List<Delivery> jobs) {
        for (Delivery job : jobs) {
            track(store.untilAnswered(() -> store.release(job.topic(), job.id(), job.lease())));
        }
    }

    private void track(Future<?> work) {
        Promise<Void> over = Promise.promise();
        underWay.add(over.future());
        work.onComplete(result -> {
            underWay.remove(over.future());
            over.complete();
        });
    }
}
