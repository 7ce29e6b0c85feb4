package io.delayq.ingress;

import io.delayq.http.Answer;
import io.delayq.http.Bulk;
import io.delayq.http.BulkPush;
import io.delayq.http.Call;
import io.delayq.http.ConsumerRequest;
import io.delayq.http.JobJson;
import io.delayq.http.JobRequest;
import io.delayq.http.Outflow;
import io.delayq.http.Problem;
import io.delayq.http.Targets;
import io.delayq.job.Callback;
import io.delayq.job.IdSource;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.When;
import io.delayq.ops.Meters;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Putting jobs in, looking at them, moving and cancelling them. */
final class JobRoutes {
    private static final int TRIES = 3;
    private static final int JOBS_A_SLICE = 500;
    /** A request that has taken longer calls the store no further: each call may take the store's whole deadline. */
    private static final long SOON_NANOS = 200_000_000;

    private final Vertx vertx;
    private final Store store;
    private final Targets targets;
    private final Meters meters;
    private final IdSource ids;
    private final long stallMillis;

    /** @param stallMillis how long a body may stall */
    JobRoutes(Vertx vertx, Store store, Targets targets, Meters meters, IdSource ids, long stallMillis) {
        this.vertx = vertx;
        this.store = store;
        this.targets = targets;
        this.meters = meters;
        this.ids = ids;
        this.stallMillis = stallMillis;
    }

    Future<Answer> push(Call call) {
        long began = System.nanoTime();
        NewJob job = JobRequest.one(call.uncheckedTopic(), null, call.body(), trace(call), ids, now(), targets);
        Callback callback = job.options().callback();
        return callback == null
                ? push(job, TRIES, began)
                : targets.check(callback).compose(fine -> push(job, TRIES, began));
    }

    private Future<Answer> push(NewJob job, int tries, long began) {
        return store.push(job).compose(pushed -> {
            if (pushed.created()) {
                meters.pushed(job.topic(), 1);
                return Future.succeededFuture(stored(201, job, pushed));
            }
            if (isLate(began)) {
                return Future.failedFuture(Problem.jobExists(job.topic(), job.id(), null));
            }
            return store.get(job.topic(), job.id()).compose(existing -> {
                if (existing == null && tries > 1 && !isLate(began)) {
                    // it went away between the two calls
                    return push(job, tries - 1, began);
                }
                Buffer shown = existing == null ? null : JobJson.job(existing, false);
                return Future.failedFuture(Problem.jobExists(job.topic(), job.id(), shown));
            });
        });
    }

    Future<Answer> put(Call call) {
        NewJob job = JobRequest.one(
                call.uncheckedTopic(), call.uncheckedId(), call.body(), trace(call), ids, now(), targets);
        return targets.check(job.options().callback())
                .compose(fine -> store.put(job))
                .map(put -> {
                    meters.pushed(job.topic(), 1);
                    return stored(put.created() ? 201 : 200, job, put);
                });
    }

    Future<Answer> get(Call call) {
        return store.get(call.topic(), call.id()).map(job -> {
            if (job == null) {
                throw Problem.jobNotFound(call.topic(), call.id());
            }
            return Answer.json(200, JobJson.job(job, true));
        });
    }

    Future<Answer> cancel(Call call) {
        return store.cancel(call.topic(), call.id()).map(there -> {
            if (!there) {
                throw Problem.jobNotFound(call.topic(), call.id());
            }
            return Answer.empty();
        });
    }

    Future<Answer> reschedule(Call call) {
        When when = ConsumerRequest.reschedule(call.body(), now());
        long began = System.nanoTime();
        return store.reschedule(call.topic(), call.id(), when).compose(moved -> {
            if (moved.before() == null) {
                throw Problem.jobNotFound(call.topic(), call.id());
            }
            if (moved.before() == JobState.RESERVED || moved.before() == JobState.DONE) {
                throw Problem.wrongState("a " + moved.before().word() + " job cannot be rescheduled; "
                        + "only a delayed, ready or dead one can");
            }
            Future<JobView> found = isLate(began) ? Future.succeededFuture() : store.get(call.topic(), call.id());
            // it was done, even if it cannot be shown
            return found.otherwise((JobView) null)
                    .map(job -> Answer.json(
                            200,
                            job == null
                                    ? JobJson.pushed(call.topic(), call.id(), moved.state(), moved.due())
                                    : JobJson.job(job, true)));
        });
    }

    /** Reads the whole list before it stores anything, giving the event loop back between slices. */
    Future<Answer> pushMany(Call call) {
        Bulk bulk = new Bulk(call.body(), trace(call), ids, now(), targets);
        Promise<Void> read = Promise.promise();
        readOn(bulk, read);
        return read.future()
                .compose(done -> BulkPush.all(store, targets, meters, bulk.rows(), call.caller()))
                .map(outcome -> Answer.json(
                        200,
                        JobJson.object()
                                .number("accepted", outcome.accepted())
                                .number("rejected", outcome.results().size() - outcome.accepted())
                                .list("results", outcome.results(), Buffer::appendBytes)
                                .end()));
    }

    Future<Void> pushLines(Call call, Outflow out) {
        return new LinePush(vertx, store, targets, meters, ids, stallMillis, call, out).run();
    }

    private void readOn(Bulk bulk, Promise<Void> read) {
        try {
            if (bulk.next(JOBS_A_SLICE)) {
                vertx.runOnContext(v -> readOn(bulk, read));
            } else {
                read.complete();
            }
        } catch (RuntimeException e) {
            bulk.close();
            read.fail(e);
        }
    }

    private static Answer stored(int status, NewJob job, Store.Pushed pushed) {
        return Answer.json(status, JobJson.pushed(job.topic(), job.id(), pushed.state(), pushed.due()))
                .with("Location", "/v1/topics/" + job.topic() + "/jobs/" + inPath(job.id()));
    }

    /** Most ids are fit for a path as they are. */
    private static String inPath(String id) {
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            if (!(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')) {
                return URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
            }
        }
        return id;
    }

    private static String trace(Call call) {
        return call.request().getHeader("traceparent");
    }

    private static boolean isLate(long began) {
        return System.nanoTime() - began > SOON_NANOS;
    }

    /** Only for the bounds of {@code at}; due times are by Redis' clock. */
    private static long now() {
        return System.currentTimeMillis();
    }
}
