package io.delayq.list;

import io.delayq.http.Answers;
import io.delayq.http.JobJson;
import io.delayq.http.JobRequest;
import io.delayq.http.JobText;
import io.delayq.http.Problem;
import io.delayq.http.Row;
import io.delayq.http.Targets;
import io.delayq.job.Ids;
import io.delayq.redis.IntakeStore;
import io.delayq.redis.IntakeStore.Bad;
import io.delayq.redis.IntakeStore.Entry;
import io.delayq.redis.IntakeStore.Outcome;
import io.delayq.redis.Stores;
import io.delayq.redis.TopicStore;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another way to the beginning of <b>push</b> -> bucket -> ready -> consumer: takes jobs off a Redis list that other
 * programs put them on. Looks, stores, and only then is the entry gone; what is no job goes to the list of bad ones.
 * While entries come it looks again at once, then less and less often.
 */
public final class IntakeVerticle extends VerticleBase {
    private static final Logger log = LoggerFactory.getLogger(IntakeVerticle.class);
    private static final int ENTRIES_A_LOOK = 200;
    private static final long SHORTEST_PAUSE_MILLIS = 20;
    private static final long LONGEST_PAUSE_MILLIS = 500;
    private static final long REST_MILLIS = 1_000;
    private static final long SAY_AGAIN_NANOS = 60_000_000_000L;

    private final Stores stores;
    private final Ids ids;
    private final String list;
    private final JobText reader;
    private final Targets targets;
    private final Function<TopicStore, Future<Void>> before;
    private IntakeStore store;
    private long looks;
    private long pause = SHORTEST_PAUSE_MILLIS;
    private long timer;
    private Promise<Void> underWay;
    private long saidNanos = System.nanoTime() - SAY_AGAIN_NANOS;
    private boolean stopped;

    /** What a look came to. */
    private enum Seen {
        NOTHING,
        SOME,
        /** The key holds something else than a list. */
        NO_LIST
    }

    /**
     * @param list its key
     * @param reader makes a job of an entry
     * @param targets where callbacks may go
     */
    public IntakeVerticle(Stores stores, Ids ids, String list, JobText reader, Targets targets) {
        this(stores, ids, list, reader, targets, topics -> Future.succeededFuture());
    }

    /** @param before done each time before jobs are stored */
    public IntakeVerticle(
            Stores stores,
            Ids ids,
            String list,
            JobText reader,
            Targets targets,
            Function<TopicStore, Future<Void>> before) {
        this.stores = stores;
        this.ids = ids;
        this.list = list;
        this.reader = reader;
        this.targets = targets;
        this.before = before;
    }

    @Override
    public Future<?> start() {
        store = stores.openIntake(vertx, "intake-" + list, list, ENTRIES_A_LOOK, JobRequest.MAX_REQUEST_BYTES);
        return store.store().ready().onSuccess(ready -> run());
    }

    @Override
    public Future<?> stop() {
        stopped = true;
        vertx.cancelTimer(timer);
        Future<?> last = underWay == null ? Future.succeededFuture() : underWay.future();
        return last.eventually(store.store()::close);
    }

    private void run() {
        underWay = Promise.promise();
        runOnce().onComplete(seen -> {
            Promise<Void> over = underWay;
            underWay = null;
            over.complete();
            if (!stopped) {
                timer = vertx.setTimer(pauseAfter(seen.failed() ? null : seen.result()), fired -> run());
            }
        });
    }

    /** @param seen null: Redis did not do it; why is in the log already */
    private long pauseAfter(Seen seen) {
        if (seen == Seen.SOME) {
            pause = SHORTEST_PAUSE_MILLIS;
            return 1;
        }
        if (seen == Seen.NOTHING) {
            pause = Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
            return pause;
        }
        if (seen == Seen.NO_LIST && System.nanoTime() - saidNanos >= SAY_AGAIN_NANOS) {
            saidNanos = System.nanoTime();
            log.error("no jobs are taken in, for the key, or that of the bad ones, holds something else list={}", list);
        }
        return REST_MILLIS;
    }

    private Future<Seen> runOnce() {
        return store.peek().compose(peeked -> {
            if (!peeked.isList()) {
                return Future.succeededFuture(Seen.NO_LIST);
            }
            return peeked.entries().isEmpty()
                    ? Future.succeededFuture(Seen.NOTHING)
                    : before.apply(store.store().topics())
                            .compose(ready -> take(peeked.entries()))
                            .map(Seen.SOME);
        });
    }

    private Future<Void> take(List<byte[]> entries) {
        int bucket = (int) (looks++ % stores.buckets());
        List<Bad> bad = new ArrayList<>();
        List<Entry> jobs = new ArrayList<>();
        for (byte[] entry : entries) {
            Row row = read(entry, bucket);
            if (row.problem() != null) {
                bad.add(bad(entry, row.problem()));
            } else {
                jobs.add(new Entry(entry, row.job()));
            }
        }
        List<Future<Void>> checks = jobs.stream()
                .map(entry -> targets.check(entry.job().options().callback()))
                .toList();
        return Future.join(checks).transform(checked -> {
            List<Entry> fine = new ArrayList<>();
            for (int i = 0; i < jobs.size(); i++) {
                if (checks.get(i).failed()) {
                    bad.add(bad(
                            jobs.get(i).entry(), Answers.problem(checks.get(i).cause())));
                } else {
                    fine.add(jobs.get(i));
                }
            }
            return admit(fine, bad);
        });
    }

    private Future<Void> admit(List<Entry> entries, List<Bad> bad) {
        Map<Integer, List<Entry>> byBucket = new HashMap<>();
        for (Entry entry : entries) {
            byBucket.computeIfAbsent(store.bucketOf(entry.job()), number -> new ArrayList<>())
                    .add(entry);
        }
        List<Future<?>> all = new ArrayList<>();
        byBucket.forEach((number, jobs) ->
                all.add(store.admit(number, jobs).onSuccess(outcomes -> bad.addAll(settled(jobs, outcomes)))));
        return Future.join(all).compose(done -> bad.isEmpty() ? Future.succeededFuture() : store.reject(bad));
    }

    /** A defect in reading one must not stop all that come behind it. */
    private Row read(byte[] entry, int bucket) {
        try {
            return reader.read(entry, store.ids(ids, bucket), System.currentTimeMillis());
        } catch (RuntimeException e) {
            String errorId = UUID.randomUUID().toString();
            log.error("entry not read list={} error={}", list, errorId, e);
            return new Row(0, null, null, null, Problem.internal(errorId));
        }
    }

    /** @return those that were refused */
    private List<Bad> settled(List<Entry> entries, List<Outcome> outcomes) {
        List<Bad> refused = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            String topic = entry.job().topic();
            if (outcomes.get(i) == Outcome.STORED) {
                stores.meters().pushed(topic, 1);
            } else if (outcomes.get(i) == Outcome.ID_IN_USE) {
                refused.add(
                        bad(entry.entry(), Problem.jobExists(topic, entry.job().id(), null)));
            }
        }
        return refused;
    }

    private static Bad bad(byte[] entry, Problem problem) {
        return new Bad(
                entry,
                JobJson.object()
                        .text("job", new String(entry, StandardCharsets.UTF_8))
                        .text("reason", problem.oneLine())
                        .end());
    }
}
