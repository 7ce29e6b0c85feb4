package io.delayq.http;

import io.delayq.job.Callback;
import io.delayq.ops.Meters;
import io.delayq.redis.Store;
import io.delayq.redis.StoreException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Pushes many jobs, each for itself: one that is refused does not sink the others. */
public final class BulkPush {
    /** So that the answer to many bad jobs does not outgrow a message. */
    private static final int LONGEST_DETAIL = 300;

    private static final int WINDOW = 2_000;
    /** A store that has answered nothing for so long is away: rows behind the window would wait as long again. */
    private static final long SILENT_NANOS = 500_000_000;

    private static final StoreException AWAY =
            new StoreException(StoreException.Kind.UNAVAILABLE, "Redis is out of reach");

    private final Store store;
    private final Targets targets;
    private final Meters meters;
    private final List<Row> rows;
    private final Access.Caller caller;
    private final byte[][] results;
    private final Promise<Outcome> over = Promise.promise();
    private int begun;
    private int ended;
    private int accepted;
    private boolean pushing;
    private long heardNanos = System.nanoTime();
    private boolean away;

    private BulkPush(Store store, Targets targets, Meters meters, List<Row> rows, Access.Caller caller) {
        this.store = store;
        this.targets = targets;
        this.meters = meters;
        this.rows = rows;
        this.caller = caller;
        this.results = new byte[rows.size()][];
    }

    /** @param results for each row what became of it, as JSON text, in input order */
    public record Outcome(int accepted, List<byte[]> results) {}

    /**
     * @param unanswered whether the store did not say
     * @param row what became of a job, as JSON text
     */
    public record Result(boolean accepted, boolean unanswered, byte[] row) {}

    /** Never fails: what went wrong stands in the results. */
    public static Future<Outcome> all(
            Store store, Targets targets, Meters meters, List<Row> rows, Access.Caller caller) {
        BulkPush bulk = new BulkPush(store, targets, meters, rows, caller);
        bulk.pushOn();
        return bulk.over.future();
    }

    /** Keeps a window of jobs under way: those behind it do not spend their deadline on waiting. */
    private void pushOn() {
        if (pushing) {
            // one that ended at once: the loop below goes on by itself
            return;
        }
        pushing = true;
        while (begun < rows.size() && begun - ended < WINDOW) {
            int at = begun++;
            Row row = rows.get(at);
            if (away && row.problem() == null) {
                end(at, failed(row, AWAY));
            } else {
                one(store, targets, meters, row, caller, result -> end(at, result));
            }
        }
        pushing = false;
        if (ended == rows.size()) {
            over.tryComplete(new Outcome(accepted, Arrays.asList(results)));
        }
    }

    private void end(int at, Result result) {
        accepted += result.accepted ? 1 : 0;
        results[at] = result.row;
        ended++;
        listen(result.unanswered);
        pushOn();
    }

    private void listen(boolean unanswered) {
        long now = System.nanoTime();
        away |= unanswered && now - heardNanos > SILENT_NANOS;
        heardNanos = unanswered ? heardNanos : now;
    }

    /** @param sink always gets a result */
    public static void one(
            Store store, Targets targets, Meters meters, Row row, Access.Caller caller, Consumer<Result> sink) {
        if (row.problem() != null) {
            sink.accept(failed(row, row.problem()));
            return;
        }
        if (!caller.mayTouch(row.topic())) {
            sink.accept(failed(row, Access.Caller.notForTopic(row.topic())));
            return;
        }
        Callback callback = row.job().options().callback();
        if (callback == null) {
            push(store, meters, row, sink);
        } else {
            targets.check(callback)
                    .onFailure(error -> sink.accept(failed(row, error)))
                    .onSuccess(fine -> push(store, meters, row, sink));
        }
    }

    private static void push(Store store, Meters meters, Row row, Consumer<Result> sink) {
        store.push(
                row.job(),
                (pushed, error) -> sink.accept(error == null ? stored(meters, row, pushed) : failed(row, error)));
    }

    private static Result stored(Meters meters, Row row, Store.Pushed pushed) {
        if (!pushed.created()) {
            return failed(row, Problem.jobExists(row.topic(), row.id(), null));
        }
        meters.pushed(row.topic(), 1);
        return new Result(true, false, accepted(row, pushed));
    }

    private static Result failed(Row row, Throwable error) {
        boolean silence = error instanceof StoreException store && store.kind() != StoreException.Kind.FULL;
        return new Result(false, silence, rejected(row, Answers.problem(error)));
    }

    private static byte[] accepted(Row row, Store.Pushed pushed) {
        return new JobJson.Writer()
                .number("index", row.index())
                .number("status", 201)
                .text("topic", row.topic())
                .text("id", row.id())
                .text("state", pushed.state().word())
                .number("due", pushed.due())
                .bytes();
    }

    private static byte[] rejected(Row row, Problem problem) {
        return new JobJson.Writer()
                .number("index", row.index())
                .number("status", problem.status())
                .text("topic", row.topic())
                .text("id", row.id())
                .text("type", problem.type().uri())
                .text("detail", Faults.cut(problem.oneLine(), LONGEST_DETAIL))
                .bytes();
    }
}
