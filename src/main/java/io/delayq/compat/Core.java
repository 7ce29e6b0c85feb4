package io.delayq.compat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.delayq.bus.Polls;
import io.delayq.http.Access;
import io.delayq.http.Answers;
import io.delayq.http.Call;
import io.delayq.http.JobRequest;
import io.delayq.http.Json;
import io.delayq.http.Right;
import io.delayq.http.Targets;
import io.delayq.job.Delivery;
import io.delayq.job.IdSource;
import io.delayq.job.Names;
import io.delayq.job.NewJob;
import io.delayq.job.TopicAlias;
import io.delayq.ops.Meters;
import io.delayq.redis.IdStore;
import io.delayq.redis.IdStore.Found;
import io.delayq.redis.IdStore.Owned;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What the front ends do with jobs, in the name of a caller whose rights are asked. Failures are told in words by {@link
 * #reason}. Owned by one event loop.
 */
final class Core {
    /** Most topics that one request waits for. */
    private static final int MOST_TOPICS = 100;

    private static final long LONGEST_SECONDS = 1L << 31;
    private static final String DELAY = "d";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Store store;
    private final Polls polls;
    private final Meters meters;
    private final IdSource ids;
    private final Access.Caller caller;
    private final Targets targets;

    /**
     * @param polls null: this server hands out no jobs
     * @param targets where callbacks may go
     */
    Core(Store store, Polls polls, Meters meters, IdSource ids, Access.Caller caller, Targets targets) {
        this.store = store;
        this.polls = polls;
        this.meters = meters;
        this.ids = ids;
        this.caller = caller;
        this.targets = targets;
    }

    Access.Caller caller() {
        return caller;
    }

    Store store() {
        return store;
    }

    IdSource ids() {
        return ids;
    }

    Targets targets() {
        return targets;
    }

    /** What kept a request from being served, in the words of the wire contract. */
    static String reason(Throwable cause) {
        return cause instanceof IllegalArgumentException told
                ? told.getMessage()
                : Answers.problem(cause).oneLine();
    }

    /** @throws IllegalArgumentException if it cannot be kept */
    static String topic(String foreign) {
        String topic = TopicAlias.of(foreign);
        if (topic.length() > Names.MAX_TOPIC) {
            throw new IllegalArgumentException(
                    "topic: expected at most 128 of A-Z a-z 0-9 . _ : - or 63 bytes with other characters");
        }
        return topic;
    }

    /** @throws IllegalArgumentException if it cannot be kept */
    static String id(String id) {
        String fault = Names.textFault(id, Names.MAX_ID_BYTES);
        if (fault != null) {
            throw new IllegalArgumentException("id: " + fault);
        }
        return id;
    }

    /**
     * Text as a job has it: a JSON string.
     *
     * @throws IllegalArgumentException if it is too long
     */
    static Buffer body(String text) {
        Buffer body = Buffer.buffer(text.length() + 2);
        Json.string(body, text);
        if (body.length() > JobRequest.MAX_BODY_BYTES) {
            throw new IllegalArgumentException(
                    "body: expected at most 256 KiB of JSON text, found " + body.length() + " bytes");
        }
        return body;
    }

    /** The text of a body; one that came in another way and is no string is given as it is. */
    static String text(Buffer body) {
        if (body.length() == 0 || body.getByte(0) != '"') {
            return body.toString();
        }
        try {
            return GoText.wellFormed(JSON.readValue(body.getBytes(), String.class));
        } catch (JsonProcessingException e) {
            return body.toString();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** What is noted with a job that came with a delay. */
    static String delayNote(long seconds) {
        return DELAY + seconds;
    }

    /** The delay in seconds as it was given, or null. */
    static Long givenDelay(Found found) {
        String note = found.note();
        return note != null && note.startsWith(DELAY) ? Long.valueOf(note.substring(DELAY.length())) : null;
    }

    /** Whether a wait of so many seconds can be kept. */
    static boolean isBearable(long seconds) {
        return seconds <= LONGEST_SECONDS;
    }

    Future<Owned> own(NewJob job, String note, boolean replace) {
        caller.check(Right.PUSH, job.topic());
        return targets.check(job.options().callback())
                .compose(fine -> store.byId().own(job, note, replace))
                .onSuccess(owned -> {
                    if (owned.stored()) {
                        meters.pushed(job.topic(), 1);
                    }
                });
    }

    Future<Store.Pushed> push(NewJob job) {
        caller.check(Right.PUSH, job.topic());
        return targets.check(job.options().callback())
                .compose(fine -> store.push(job))
                .onSuccess(pushed -> meters.pushed(job.topic(), 1));
    }

    /** Null if there is none; one that the caller may not see fails. */
    Future<Found> find(String id) {
        return found(id, Right.PUSH_OR_CONSUME);
    }

    private Future<Found> found(String id, Right right) {
        IdStore byId = store.byId();
        return byId.find(id).map(found -> {
            if (found != null) {
                caller.check(right, found.job().topic());
            }
            return found;
        });
    }

    Future<Void> finish(String id, String by) {
        return found(id, Right.CONSUME)
                .compose(found -> found == null
                        ? Future.succeededFuture()
                        : store.byId().finish(found.job().topic(), id, by).map(reserved -> {
                            if (reserved) {
                                meters.acked(found.job().topic(), 1);
                            }
                            return null;
                        }));
    }

    Future<Void> remove(String id) {
        return found(id, Right.PUSH)
                .compose(found -> found == null
                        ? Future.succeededFuture()
                        : store.cancel(found.job().topic(), id).mapEmpty());
    }

    /**
     * One job of the topics, of the first that has one; waits for the first that comes if none has. Null: none came.
     *
     * @param topics as their clients call them
     */
    Future<Delivery> pop(List<String> topics, long waitMillis, Call call) {
        if (polls == null) {
            throw new IllegalArgumentException(
                    "this server does not have the role dispatcher; ask one that has, see /v1/servers");
        }
        if (topics.size() > MOST_TOPICS) {
            throw new IllegalArgumentException("topic: expected at most " + MOST_TOPICS);
        }
        List<String> ours = new ArrayList<>();
        for (String foreign : topics) {
            ours.add(topic(foreign));
        }
        ours.forEach(topic -> caller.check(Right.CONSUME, topic));
        if (ours.size() == 1 || waitMillis == 0) {
            return first(ours, 0, waitMillis, call);
        }
        return first(ours, 0, 0, call)
                .compose(job ->
                        job != null || call.isGone() ? Future.succeededFuture(job) : any(ours, waitMillis, call));
    }

    /** One topic after the other. */
    private Future<Delivery> first(List<String> topics, int i, long waitMillis, Call call) {
        if (i == topics.size() || call.isGone()) {
            return Future.succeededFuture();
        }
        Future<List<Delivery>> poll = polls.open(topics.get(i), 1, waitMillis, call::isGone);
        call.request().response().closeHandler(gone -> polls.leave(poll));
        return poll.compose(
                jobs -> jobs.isEmpty() ? first(topics, i + 1, waitMillis, call) : Future.succeededFuture(jobs.get(0)));
    }

    /** All topics at once; with the first job the others are left, so that what comes for them goes back. */
    private Future<Delivery> any(List<String> topics, long waitMillis, Call call) {
        Promise<Delivery> job = Promise.promise();
        List<Future<List<Delivery>>> open = new ArrayList<>();
        Runnable leave = () -> List.copyOf(open).forEach(polls::leave);
        call.request().response().closeHandler(gone -> leave.run());
        for (String topic : topics) {
            Future<List<Delivery>> poll = polls.open(topic, 1, waitMillis, call::isGone);
            open.add(poll);
            poll.onComplete(ended -> {
                open.remove(poll);
                if (ended.succeeded() && !ended.result().isEmpty()) {
                    job.tryComplete(ended.result().get(0));
                    leave.run();
                } else if (open.isEmpty() && ended.succeeded()) {
                    job.tryComplete();
                } else if (open.isEmpty()) {
                    job.tryFail(ended.cause());
                }
            });
        }
        return job.future();
    }
}
