package io.delayq.redis;

import io.delayq.redis.StoreException.Kind;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Response;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns single requests into calls for many jobs. While calls are under way, what arrives gathers by bucket and goes as
 * the next calls, bucket by bucket: no timer, nothing added when idle, large batches under load. A bucket has one call
 * under way at a time; all buckets of one Redis have as many as keep it busy, for further ones would only make each
 * smaller. One that does not come back soon does not count, for then it is not Redis that is busy. A request is
 * answered by its own deadline, wherever it is then. Owned by one event loop.
 *
 * @param <R> what one request comes to
 */
final class Gather<R> {
    private static final Logger log = LoggerFactory.getLogger(Gather.class);
    private static final int MOST_JOBS = 250;
    /** Each has keys of its own to be looked at, which takes longer than a job of it. */
    private static final int MOST_TOPICS = 50;
    /** Of jobs that could go to any bucket: few, so that a list of them is spread evenly, priorities and all. */
    private static final int TOGETHER = 20;

    private static final int MOST_BYTES = 1 << 20;
    /** A call under way for longer is stuck: its bucket's Redis is away, or its slot moves. */
    private static final long STUCK_NANOS = 100_000_000L;
    /** How often that is looked for, and what is past its deadline, while anything waits. */
    private static final long SWEEP_MILLIS = 50;
    /** So many may wait in any case. */
    private static final int FEW = 1_000;
    /** For how long a bucket whose call failed is not favoured. */
    private static final long SHUNNED_NANOS = 2_000_000_000L;

    /** Reads the outcome of the i-th job from a call's answer. */
    interface Reader<R> {
        R read(Response answer, int i);
    }

    private record Item<R>(
            String topic,
            List<byte[]> args,
            int bytes,
            Reader<R> reader,
            long deadlineNanos,
            Node<R> node,
            BiConsumer<R, Throwable> sink) {}

    /** What goes to one Redis. */
    private static final class Node<R> {
        final ArrayDeque<Lane<R>> line = new ArrayDeque<>();
        final ArrayDeque<Lane<R>> called = new ArrayDeque<>();
        /** How many requests it answered. */
        final Lately answered;

        int waiting;

        Node(Lately answered) {
            this.answered = answered;
        }

        /** How many calls keep it busy. */
        int calls() {
            long now = System.nanoTime();
            int count = 0;
            for (Lane<R> lane : called) {
                count += lane.isStuck(now) ? 0 : 1;
            }
            return count;
        }
    }

    private static final class Lane<R> {
        final int bucket;
        final ArrayDeque<Item<R>> items = new ArrayDeque<>();
        /** In line for its next call, or with one under way. */
        boolean busy;
        /** 0: none is under way. */
        long calledNanos;
        /** 0: the last one did not fail. */
        long failedNanos;

        boolean isStuck(long now) {
            return calledNanos != 0 && now - calledNanos > STUCK_NANOS;
        }

        boolean isShunned(long now) {
            return isStuck(now) || failedNanos != 0 && now - failedNanos < SHUNNED_NANOS;
        }

        Lane(int bucket) {
            this.bucket = bucket;
        }
    }

    private final Vertx vertx;
    private final Link link;
    private final Caller caller;
    private final Script script;
    private final Reader<R> reader;
    private final int limit;
    private final long deadlineMillis;
    private final int mostCalls;
    private final List<Lane<R>> lanes = new ArrayList<>();
    private final Map<String, Node<R>> nodes = new HashMap<>();
    private int waiting;
    private int favoured;
    private int favours;
    private boolean sweeping;
    private Promise<Void> idle;

    /**
     * @param mostCalls how many may be under way over all buckets of one Redis
     * @param limit most requests waiting for one Redis
     */
    Gather(
            Vertx vertx,
            Link link,
            Caller caller,
            Script script,
            int buckets,
            int mostCalls,
            int limit,
            long deadlineMillis,
            Reader<R> reader) {
        this.vertx = vertx;
        this.link = link;
        this.caller = caller;
        this.script = script;
        this.reader = reader;
        this.limit = limit;
        this.deadlineMillis = deadlineMillis;
        this.mostCalls = mostCalls;
        for (int i = 0; i < buckets; i++) {
            lanes.add(new Lane<>(i));
        }
    }

    /**
     * The bucket for a job that could go to any: the one of some before it, so that they share a call, if it can be reached.
     */
    int favour() {
        if (favours == TOGETHER) {
            favourNext();
        }
        long now = System.nanoTime();
        int bucket = favoured;
        for (int i = 1; i < lanes.size() && isShunned(bucket, now); i++) {
            bucket = (favoured + i) % lanes.size();
        }
        if (bucket != favoured && !isShunned(bucket, now)) {
            favoured = bucket;
            favours = 0;
        }
        favours++;
        return favoured;
    }

    private boolean isShunned(int bucket, long now) {
        return !link.isUp(bucket) || lanes.get(bucket).isShunned(now);
    }

    private void favourNext() {
        favoured = (favoured + 1) % lanes.size();
        favours = 0;
    }

    /**
     * Whether more waits than a Redis, which does answer, gets done well within the deadline: who can hold requests back
     * does so. How many that are depends on how many topics and buckets they are for, so it goes by what was done last;
     * when the oldest has waited for long it is too late for the others.
     */
    boolean isBehind() {
        if (waiting <= FEW) {
            return false;
        }
        for (Node<R> node : nodes.values()) {
            int answered = node.answered.count();
            if (answered > 0 && node.waiting > FEW + answered) {
                return true;
            }
        }
        return false;
    }

    /** How many requests are not answered yet. */
    int waiting() {
        return waiting;
    }

    /** Completes when the last request is answered. */
    Future<Void> idle() {
        if (idle == null) {
            idle = Promise.promise();
        }
        return idle.future();
    }

    private void answered(Item<R> item) {
        item.node.waiting--;
        waiting--;
        if (waiting == 0 && idle != null) {
            Promise<Void> over = idle;
            idle = null;
            over.complete();
        }
    }

    Future<R> add(int bucket, String topic, List<byte[]> args) {
        Promise<R> promise = Promise.promise();
        add(bucket, topic, args, reader, into(promise));
        return promise.future();
    }

    static <R> BiConsumer<R, Throwable> into(Promise<R> promise) {
        return (result, error) -> {
            if (error == null) {
                promise.complete(result);
            } else {
                promise.fail(error);
            }
        };
    }

    /**
     * Without a future, for those who ask for thousands.
     *
     * @param own for an outcome that does not stand in the answer alone
     * @param sink gets the outcome, or why there is none
     */
    void add(int bucket, String topic, List<byte[]> args, Reader<R> own, BiConsumer<R, Throwable> sink) {
        Node<R> node = node(bucket);
        if (node.waiting >= limit) {
            sink.accept(null, new StoreException(Kind.BUSY, "too many jobs are waiting for Redis"));
            return;
        }
        node.waiting++;
        waiting++;
        int bytes = 0;
        for (byte[] arg : args) {
            bytes += arg.length;
        }
        Lane<R> lane = lanes.get(bucket);
        long deadline = System.nanoTime() + deadlineMillis * 1_000_000;
        lane.items.add(new Item<>(topic, args, bytes, own, deadline, node, sink));
        if (!lane.busy) {
            lane.busy = true;
            node.line.add(lane);
            // at the end of this turn of the event loop, so that all that this turn brings goes together
            vertx.runOnContext(v -> callOn(node));
        }
        if (!sweeping) {
            nodes.values().forEach(one -> one.answered.resume(System.nanoTime()));
            sweepSoon();
        }
    }

    private void sweepSoon() {
        sweeping = true;
        vertx.setTimer(SWEEP_MILLIS, timer -> sweep());
    }

    private void sweep() {
        sweeping = false;
        if (waiting > 0) {
            sweepSoon();
        }
        lanes.forEach(this::failLate);
        nodes.values().forEach(node -> node.answered.step(System.nanoTime()));
        // a copy: who is answered may ask for more, of a node that is new
        List.copyOf(nodes.values()).forEach(this::callOn);
    }

    /** What has waited past its deadline fails without having been sent. */
    private void failLate(Lane<R> lane) {
        long now = System.nanoTime();
        while (!lane.items.isEmpty() && lane.items.peek().deadlineNanos - now <= 0) {
            Item<R> late = lane.items.poll();
            answered(late);
            tell(late, Future.failedFuture(new StoreException(Kind.UNAVAILABLE, "Redis is out of reach")), 0);
        }
    }

    private Node<R> node(int bucket) {
        return nodes.computeIfAbsent(
                link.node(bucket), address -> new Node<>(new Lately(deadlineMillis / 4, SWEEP_MILLIS)));
    }

    private void callOn(Node<R> node) {
        while (!node.line.isEmpty() && node.calls() < mostCalls) {
            call(node, node.line.poll());
        }
    }

    private void call(Node<R> node, Lane<R> lane) {
        List<Item<R>> batch = take(lane);
        if (lane.bucket == favoured) {
            favourNext();
        }
        if (batch.isEmpty()) {
            lane.busy = false;
            return;
        }
        Map<String, List<Item<R>>> byTopic = new LinkedHashMap<>();
        for (Item<R> item : batch) {
            byTopic.computeIfAbsent(item.topic, topic -> new ArrayList<>()).add(item);
        }
        List<byte[]> args = new ArrayList<>();
        List<Item<R>> ordered = new ArrayList<>(batch.size());
        byTopic.forEach((topic, items) -> {
            args.add(Bytes.of(topic));
            args.add(Bytes.of(items.size()));
            items.forEach(item -> args.addAll(item.args));
            ordered.addAll(items);
        });
        long left = Math.max(1, (batch.get(0).deadlineNanos - System.nanoTime()) / 1_000_000);
        lane.calledNanos = System.nanoTime();
        node.called.add(lane);
        caller.call(script, lane.bucket, args, answer -> batch.size(), left).onComplete(result -> {
            node.called.remove(lane);
            lane.calledNanos = 0;
            lane.failedNanos = result.succeeded() ? 0 : System.nanoTime();
            node.answered.done(result.succeeded() ? batch.size() : 0);
            lane.busy = !lane.items.isEmpty();
            if (lane.busy) {
                // another one, if the bucket has moved
                Node<R> next = node(lane.bucket);
                next.line.add(lane);
                callOn(next);
            }
            // first the next call, so that Redis works while these are answered
            callOn(node);
            for (int i = 0; i < ordered.size(); i++) {
                tell(ordered.get(i), result, i);
            }
            ordered.forEach(this::answered);
        });
    }

    /** Whoever cannot take an answer must not keep the others of the call from theirs. */
    private void tell(Item<R> item, AsyncResult<Response> result, int i) {
        R outcome = null;
        Throwable error = result.cause();
        try {
            outcome = result.succeeded() ? item.reader.read(result.result(), i) : null;
        } catch (RuntimeException e) {
            error = e;
        }
        try {
            item.sink.accept(outcome, error);
        } catch (RuntimeException e) {
            log.error("an answer was not taken script={} topic={}", script, item.topic, e);
        }
    }

    /** The next batch, oldest first. */
    private List<Item<R>> take(Lane<R> lane) {
        failLate(lane);
        List<Item<R>> batch = new ArrayList<>();
        Set<String> topics = new HashSet<>();
        String topic = null;
        int bytes = 0;
        while (!lane.items.isEmpty() && batch.size() < MOST_JOBS && (bytes < MOST_BYTES || batch.isEmpty())) {
            Item<R> item = lane.items.peek();
            // most are of the topic of the one before
            if (!item.topic.equals(topic) && topics.add(item.topic) && topics.size() > MOST_TOPICS) {
                break;
            }
            topic = item.topic;
            batch.add(lane.items.poll());
            bytes += item.bytes;
        }
        return batch;
    }
}
