package io.delayq.ingress;

import io.delayq.http.BulkPush;
import io.delayq.http.Call;
import io.delayq.http.JobJson;
import io.delayq.http.JobRequest;
import io.delayq.http.Lines;
import io.delayq.http.Outflow;
import io.delayq.http.Pace;
import io.delayq.http.Problem;
import io.delayq.http.Row;
import io.delayq.http.Targets;
import io.delayq.job.IdSource;
import io.delayq.ops.Meters;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayDeque;

/**
 * Pushes the lines of one request as they come and answers each in their order. No more lines are read than fit a window of
 * those that have no row written yet, so neither a fast sender nor a slow reader fills memory. A line without a row in a
 * stream that was cut off by a stopping server was not stored.
 */
final class LinePush {
    private static final int MOST_LINES = 2_000;
    private static final int MOST_BYTES = 2 << 20;
    private static final int ROWS_BYTES = 64 << 10;
    private static final int RETRY_AFTER_SECONDS = 1;
    private static final int LOOKS = 20;

    private final Vertx vertx;
    private final Store store;
    private final Targets targets;
    private final Meters meters;
    private final IdSource ids;
    private final Call call;
    private final Outflow out;
    private final long lookMillis;
    private final Pace pace;
    private final HttpServerRequest request;
    private final String traceparent;
    private final Lines lines = new Lines(JobRequest.MAX_REQUEST_BYTES);
    private final ArrayDeque<Slot> window = new ArrayDeque<>();
    private final Promise<Void> done = Promise.promise();
    private int bytes;
    private int count;
    private int accepted;
    private boolean asked;
    private boolean ended;
    /** Why no more is read before the end. */
    private Problem broken;

    private boolean flushing;
    private boolean waiting;
    private long look = -1;

    /** A line on its way; its row is null until it is known. */
    private static final class Slot {
        BulkPush.Result result;
    }

    LinePush(
            Vertx vertx,
            Store store,
            Targets targets,
            Meters meters,
            IdSource ids,
            long stallMillis,
            Call call,
            Outflow out) {
        this.vertx = vertx;
        this.store = store;
        this.targets = targets;
        this.meters = meters;
        this.ids = ids;
        this.call = call;
        this.out = out;
        this.lookMillis = Math.max(1, stallMillis / LOOKS);
        this.pace = new Pace(stallMillis);
        this.request = call.request();
        this.traceparent = request.getHeader("traceparent");
    }

    /** Completes when the answer has ended, one way or the other. */
    Future<Void> run() {
        out.whenCut(() -> finish(null));
        request.handler(chunk -> {
            if (!isOver()) {
                asked = false;
                pace.heard(chunk.length());
                lines.add(chunk.getBytes());
                pump();
            }
        });
        request.endHandler(end -> {
            ended = true;
            vertx.cancelTimer(look);
            lines.end();
            pump();
        });
        request.exceptionHandler(error -> stopReading(
                Problem.invalid("", "expected the whole body; it was cut off, or its chunks are not well formed")));
        lookLater();
        pump();
        return done.future();
    }

    private void lookLater() {
        look = vertx.setTimer(Math.max(lookMillis, pace.leftMillis()), fired -> {
            if (pace.isTooSlow()) {
                stopReading(pace.problem());
            } else {
                lookLater();
            }
        });
    }

    private void pump() {
        if (isOver()) {
            return;
        }
        try {
            while (broken == null && hasRoom()) {
                Lines.Line line = lines.next();
                if (line == null) {
                    break;
                }
                take(line);
            }
            if (broken != null || ended && hasRoom()) {
                endIfDone();
            } else if (hasRoom()) {
                ask();
            }
            // one that waits for its rows before it goes on is not slow
            pace.listen(asked && window.isEmpty());
        } catch (RuntimeException e) {
            finish(e);
        }
    }

    private boolean hasRoom() {
        return window.size() < MOST_LINES && bytes < MOST_BYTES && !out.isFull();
    }

    private void ask() {
        if (!asked) {
            asked = true;
            request.fetch(1);
        }
    }

    /** What was read is still answered. */
    private void stopReading(Problem why) {
        vertx.cancelTimer(look);
        broken = broken == null ? why : broken;
        pump();
    }

    private void take(Lines.Line line) {
        Slot slot = new Slot();
        int size = line.text() == null ? 0 : line.text().length;
        window.add(slot);
        bytes += size;
        BulkPush.one(store, targets, meters, row(line, count++), call.caller(), result -> {
            slot.result = result;
            bytes -= size;
            flushSoon();
        });
    }

    private Row row(Lines.Line line, int index) {
        if (out.isDraining()) {
            return new Row(index, null, null, null, Problem.shuttingDown(RETRY_AFTER_SECONDS));
        }
        return line.text() == null
                ? JobRequest.tooLong(index, line.length())
                : JobRequest.line(index, line.text(), traceparent, ids, System.currentTimeMillis(), targets);
    }

    /** Once for all that one turn of the event loop brings. */
    private void flushSoon() {
        if (!flushing) {
            flushing = true;
            vertx.runOnContext(turn -> flush());
        }
    }

    private void flush() {
        flushing = false;
        if (isOver()) {
            return;
        }
        Buffer rows = Buffer.buffer();
        while (!out.isFull() && rows.length() < ROWS_BYTES && isKnown(window.peek())) {
            BulkPush.Result result = window.poll().result;
            accepted += result.accepted() ? 1 : 0;
            rows.appendBytes(result.row()).appendByte((byte) '\n');
        }
        if (rows.length() > 0) {
            out.write(rows);
        }
        if (out.isFull()) {
            awaitRoom();
            return;
        }
        if (isKnown(window.peek())) {
            flushSoon();
        }
        pump();
    }

    private static boolean isKnown(Slot slot) {
        return slot != null && slot.result != null;
    }

    private void awaitRoom() {
        if (!waiting) {
            waiting = true;
            out.whenRoom(() -> {
                waiting = false;
                flush();
            });
        }
    }

    private void endIfDone() {
        if (!window.isEmpty()) {
            return;
        }
        if (broken == null) {
            out.end(JobJson.object()
                    .number("accepted", accepted)
                    .number("rejected", count - accepted)
                    .end()
                    .appendByte((byte) '\n'));
            finish(null);
        } else if (out.isBegun()) {
            out.cut();
        } else {
            finish(broken);
        }
    }

    private boolean isOver() {
        return done.future().isComplete();
    }

    private void finish(Throwable error) {
        vertx.cancelTimer(look);
        if (error == null) {
            done.tryComplete();
        } else {
            done.tryFail(error);
        }
    }
}
