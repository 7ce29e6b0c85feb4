package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Response;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** The scripts of a rebucket: some under way at a time, the others in line. Owned by one event loop. */
final class RebucketCalls {
    private static final int MOST_UNDER_WAY = 200;
    private static final long DEADLINE_MILLIS = 30_000;

    private final Deque<Runnable> line = new ArrayDeque<>();
    /** For tests: asked before each call, which is not made if it fails. */
    private final Supplier<Future<Void>> before;

    private int underWay;

    RebucketCalls(Supplier<Future<Void>> before) {
        this.before = before;
    }

    Future<Response> call(Caller caller, Script script, int bucket, List<byte[]> args) {
        Promise<Response> answer = Promise.promise();
        line.add(() -> before.get()
                .compose(go -> caller.call(script, bucket, args, jobs -> 0, DEADLINE_MILLIS))
                .onComplete(done -> {
                    underWay--;
                    answer.handle(done);
                    next();
                }));
        next();
        return answer.future();
    }

    private void next() {
        while (underWay < MOST_UNDER_WAY && !line.isEmpty()) {
            underWay++;
            line.poll().run();
        }
    }

    /** Does something for each number below count, so many at a time. */
    static Future<Void> each(int count, int atOnce, IntFunction<Future<Void>> work) {
        int[] next = {0};
        return TopicStore.again(() -> {
            List<Future<Void>> some = new ArrayList<>();
            for (int end = Math.min(count, next[0] + atOnce); next[0] < end; next[0]++) {
                some.add(work.apply(next[0]));
            }
            // join, not all: nothing is under way any more when this has failed
            return Future.join(some).map(done -> next[0] < count);
        });
    }
}
