package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.ops.Meters;
import io.delayq.redis.StoreException.Kind;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Response;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What waits for a Redis that takes every call and answers none. */
class GatherTest {
    private static final int BUCKETS = 64;
    private static final long DEADLINE_MILLIS = 500;
    /** Far more than it takes, and far less than one more deadline. */
    private static final long GRACE_MILLIS = 400;

    /** Between rounds: so that a call for the oldest of a bucket takes its time too. */
    private static final long PAUSE_MILLIS = 150;

    private final Vertx vertx = Vertx.vertx();
    private final Context context = vertx.getOrCreateContext();
    private final Silent link = new Silent();
    private final Map<String, Kind> outcomes = new ConcurrentHashMap<>();
    private final AtomicLong slowest = new AtomicLong();
    private final Gather<Response> gather = new Gather<>(
            vertx,
            link,
            new Caller(link, new Keys("ns", BUCKETS), new Meters(new SimpleMeterRegistry())),
            Script.PUSH,
            BUCKETS,
            2,
            20_000,
            DEADLINE_MILLIS,
            Response::get);

    @AfterEach
    void close() throws Exception {
        get(vertx.close().toCompletionStage().toCompletableFuture());
    }

    @Test
    void each_fails_at_its_own_deadline_however_many_buckets_are_in_line_before_its_own() throws Exception {
        int rounds = 10;
        CompletableFuture<Void> idle = new CompletableFuture<>();
        context.runOnContext(v -> addRound(rounds, idle));
        get(idle);
        assertEquals(BUCKETS * rounds, outcomes.size());
        assertTrue(slowest.get() <= DEADLINE_MILLIS + GRACE_MILLIS, slowest + " ms");
        outcomes.forEach((id, kind) -> assertEquals(
                link.sent.contains(id) ? Kind.UNKNOWN : Kind.UNAVAILABLE, kind, id + " is told what is not so"));
        assertEquals(Set.of(Kind.UNKNOWN, Kind.UNAVAILABLE), new HashSet<>(outcomes.values()));
        assertEquals(0, gather.waiting());
    }

    @Test
    void who_cannot_take_an_answer_keeps_no_other_of_the_call_from_theirs() throws Exception {
        CompletableFuture<Throwable> second = new CompletableFuture<>();
        context.runOnContext(v -> {
            gather.add(0, "t", List.of(Bytes.of("a")), Response::get, (result, error) -> {
                throw new IllegalStateException("planted");
            });
            gather.add(0, "t", List.of(Bytes.of("b")), Response::get, (result, error) -> second.complete(error));
        });
        assertEquals(Kind.UNKNOWN, ((StoreException) get(second)).kind());
        assertTrue(link.sent.containsAll(Set.of("a", "b")), "they were not in one call: " + link.sent);
    }

    @Test
    void a_call_has_fifty_topics_at_most() throws Exception {
        CompletableFuture<Void> idle = new CompletableFuture<>();
        context.runOnContext(v -> {
            for (int i = 0; i < 120; i++) {
                gather.add(0, "topic-" + i % 60, List.of(Bytes.of("j" + i)));
            }
            gather.idle().onComplete(done -> idle.complete(null));
        });
        get(idle);
        List<String> first = link.calls.get(0).stream()
                .filter(arg -> arg.startsWith("topic-"))
                .toList();
        assertEquals(IntStream.range(0, 50).mapToObj(i -> "topic-" + i).toList(), first);
    }

    @Test
    void is_behind_when_more_waits_than_was_answered_lately_and_not_when_nothing_is_answered() throws Exception {
        assertEquals(false, get(behindAt(2_000)), "for want of answers");
        link.answerMillis = 5;
        assertEquals(false, get(behindAt(900)), "a few may wait in any case");
        assertEquals(true, get(behindAt(8_000)), "a call of 250 takes 5 ms, two are under way: 8,000 take 80 ms");
        assertEquals(false, gather.isBehind(), "nothing waits");
        // what was answered just now would be answered again in a quarter of the deadline
        assertEquals(false, get(behindAt(2_000)), "at the pace that it has shown");
        link.answerMillis = 60;
        get(behindAt(4_000));
        assertEquals(true, get(behindAt(4_000)), "a call takes 60 ms now");
    }

    /** So many over two buckets, and whether it was behind once the first was answered. */
    private CompletableFuture<Boolean> behindAt(int count) {
        CompletableFuture<Boolean> first = new CompletableFuture<>();
        CompletableFuture<Boolean> all = new CompletableFuture<>();
        context.runOnContext(v -> {
            for (int i = 0; i < count; i++) {
                gather.add(
                        i % 2,
                        "t",
                        List.of(Bytes.of("j")),
                        (answer, at) -> null,
                        (result, error) -> first.complete(gather.isBehind()));
            }
            gather.idle().onComplete(done -> all.complete(true));
        });
        return all.thenCombine(first, (done, was) -> was);
    }

    /** One for each bucket. */
    private void addRound(int left, CompletableFuture<Void> idle) {
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            String id = bucket + ":" + left;
            long began = System.nanoTime();
            gather.add(bucket, "t", List.of(Bytes.of(id))).onFailure(error -> {
                slowest.accumulateAndGet((System.nanoTime() - began) / 1_000_000, Math::max);
                outcomes.put(id, ((StoreException) error).kind());
            });
        }
        if (left > 1) {
            vertx.setTimer(PAUSE_MILLIS, timer -> addRound(left - 1, idle));
        } else {
            gather.idle().onComplete(done -> idle.complete(null));
        }
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    private final class Silent implements Link {
        final Set<String> sent = ConcurrentHashMap.newKeySet();
        final List<List<String>> calls = new CopyOnWriteArrayList<>();
        /** 0: never. */
        volatile long answerMillis;

        @Override
        public Future<Response> call(int bucket, Script script, List<byte[]> args, long deadlineMillis) {
            List<String> words = args.stream()
                    .map(arg -> new String(arg, StandardCharsets.UTF_8))
                    .toList();
            sent.addAll(words);
            calls.add(words);
            if (answerMillis > 0) {
                return vertx.timer(answerMillis, TimeUnit.MILLISECONDS).map(late -> (Response) null);
            }
            return vertx.timer(deadlineMillis, TimeUnit.MILLISECONDS)
                    .compose(late -> Future.failedFuture(new StoreException(Kind.UNKNOWN, "no answer")));
        }

        @Override
        public boolean slotsMove() {
            return false;
        }

        @Override
        public String node(int bucket) {
            return "";
        }

        @Override
        public boolean isUp(int bucket) {
            return true;
        }

        @Override
        public boolean isUp() {
            return true;
        }

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public Future<Void> ready() {
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> close() {
            return Future.succeededFuture();
        }
    }
}
