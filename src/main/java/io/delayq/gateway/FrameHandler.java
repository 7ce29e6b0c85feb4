package io.delayq.gateway;

import io.delayq.gateway.ClientFrame.Settled;
import io.delayq.http.Access;
import io.delayq.http.BulkPush;
import io.delayq.http.JobJson;
import io.delayq.http.Json;
import io.delayq.http.Problem;
import io.delayq.http.Right;
import io.delayq.http.Targets;
import io.delayq.http.Visitor;
import io.delayq.ops.Meters;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Does what clients' messages ask for, and answers. */
final class FrameHandler {
    /** Leaves room for the rest of the message. */
    private static final int LONGEST_RESULTS = Visitor.MAX_MESSAGE - 8 * 1024;

    private final Store store;
    private final Targets targets;
    private final Meters meters;

    FrameHandler(Store store, Targets targets, Meters meters) {
        this.store = store;
        this.targets = targets;
        this.meters = meters;
    }

    /** @throws Problem if the client may not do this, or there is no room for it */
    void handle(ClientSession session, Access.Caller caller, ClientFrame frame) {
        if (frame instanceof ClientFrame.Subscribe subscribe) {
            caller.check(Right.CONSUME, subscribe.topic());
            subscribe(session, subscribe);
        } else if (frame instanceof ClientFrame.Unsubscribe unsubscribe) {
            caller.check(Right.CONSUME, unsubscribe.topic());
            session.unsubscribe(unsubscribe.topic());
            session.send(answer("unsubscribed", unsubscribe.ref(), unsubscribe.topic())
                    .end());
        } else if (frame instanceof ClientFrame.Ack ack) {
            caller.check(Right.CONSUME, ack.topic());
            ack(session, ack);
        } else if (frame instanceof ClientFrame.Nack nack) {
            caller.check(Right.CONSUME, nack.topic());
            nack(session, nack);
        } else if (frame instanceof ClientFrame.Extend extend) {
            caller.check(Right.CONSUME, extend.topic());
            extend(session, extend);
        } else if (frame instanceof ClientFrame.Push push) {
            checkPush(caller);
            push(session, caller, push);
        } else if (frame instanceof ClientFrame.Cancel cancel) {
            caller.check(Right.PUSH, cancel.topic());
            cancel(session, cancel);
        } else if (frame instanceof ClientFrame.Ping ping) {
            session.send(answer("pong", ping.ref(), null).end());
        }
    }

    private static void checkPush(Access.Caller caller) {
        if (!caller.mayDo(Right.PUSH)) {
            throw Access.Caller.lacks(Right.PUSH);
        }
    }

    private static void subscribe(ClientSession session, ClientFrame.Subscribe subscribe) {
        if (session.isDraining()) {
            throw Problem.shuttingDown(1);
        }
        Subscription known = session.subscription(subscribe.topic());
        boolean isNew = known == null || !known.isActive();
        if (isNew && session.activeSubscriptions() >= ClientSession.MAX_SUBSCRIPTIONS) {
            throw Problem.invalid("/topic", "expected at most 1000 subscriptions on one connection; open another one");
        }
        session.subscribe(subscribe.topic(), subscribe.prefetch());
        session.send(answer("subscribed", subscribe.ref(), subscribe.topic())
                .number("prefetch", subscribe.prefetch())
                .end());
    }

    private void ack(ClientSession session, ClientFrame.Ack ack) {
        each(session, ack, ack.topic(), ack.jobs(), job -> store.ack(ack.topic(), job.id(), job.lease(), session.by()))
                .onSuccess(held -> {
                    List<String> stale = stale(ack.jobs(), held);
                    meters.acked(ack.topic(), held.size() - stale.size());
                    answerSettled(session, "acked", ack, ack.topic(), held.size() - stale.size(), stale);
                });
    }

    private void nack(ClientSession session, ClientFrame.Nack nack) {
        each(session, nack, nack.topic(), nack.jobs(), job -> store.nack(
                                nack.topic(), job.id(), job.lease(), job.millis(), job.error(), session.by())
                        .map(nacked -> !nacked.stale()))
                .onSuccess(held -> {
                    List<String> stale = stale(nack.jobs(), held);
                    answerSettled(session, "nacked", nack, nack.topic(), held.size() - stale.size(), stale);
                });
    }

    /** Says nothing unless the client wants to know, or something did not hold. */
    private static void answerSettled(
            ClientSession session, String op, ClientFrame frame, String topic, int count, List<String> stale) {
        if (frame.ref() != null || !stale.isEmpty()) {
            session.send(answer(op, frame.ref(), topic)
                    .number(op, count)
                    .list("stale", stale, Json::string)
                    .end());
        }
    }

    private void extend(ClientSession session, ClientFrame.Extend extend) {
        List<Future<Long>> calls = new ArrayList<>();
        for (Settled job : extend.jobs()) {
            calls.add(store.extend(extend.topic(), job.id(), job.lease(), job.millis()));
        }
        Future.join(calls)
                .onFailure(error -> session.error(extend.ref(), error))
                .onSuccess(all -> {
                    List<Buffer> extended = new ArrayList<>();
                    List<String> stale = new ArrayList<>();
                    for (int i = 0; i < calls.size(); i++) {
                        Settled job = extend.jobs().get(i);
                        long deadline = calls.get(i).result();
                        if (deadline < 0) {
                            stale.add(job.id());
                            session.settled(extend.topic(), job.id(), job.lease());
                        } else {
                            extended.add(JobJson.object()
                                    .text("id", job.id())
                                    .number("deadline", deadline)
                                    .end());
                        }
                    }
                    session.send(answer("extended", extend.ref(), extend.topic())
                            .list("jobs", extended, Buffer::appendBuffer)
                            .list("stale", stale, Json::string)
                            .end());
                });
    }

    private void push(ClientSession session, Access.Caller caller, ClientFrame.Push push) {
        BulkPush.all(store, targets, meters, push.rows(), caller)
                .onSuccess(outcome -> answerPushed(session, push.ref(), outcome.results()))
                .onFailure(error -> session.error(push.ref(), error));
    }

    /** In more than one message if one would be too long. */
    private static void answerPushed(ClientSession session, Buffer ref, List<byte[]> results) {
        int from = 0;
        while (from < results.size()) {
            int to = from;
            int bytes = 0;
            while (to < results.size() && (to == from || bytes + results.get(to).length < LONGEST_RESULTS)) {
                bytes += results.get(to++).length + 1;
            }
            session.send(answer("pushed", ref, null)
                    .list("results", results.subList(from, to), Buffer::appendBytes)
                    .end());
            from = to;
        }
    }

    private void cancel(ClientSession session, ClientFrame.Cancel cancel) {
        List<Future<Boolean>> calls = new ArrayList<>();
        cancel.ids().forEach(id -> calls.add(store.cancel(cancel.topic(), id)));
        Future.join(calls)
                .onFailure(error -> session.error(cancel.ref(), error))
                .onSuccess(all -> session.send(answer("cancelled", cancel.ref(), cancel.topic())
                        .number(
                                "cancelled",
                                calls.stream().filter(Future::result).count())
                        .end()));
    }

    /** Settles each job and frees its place; a failure is answered here. */
    private static Future<List<Boolean>> each(
            ClientSession session,
            ClientFrame frame,
            String topic,
            List<Settled> jobs,
            Function<Settled, Future<Boolean>> settle) {
        List<Future<Boolean>> calls = new ArrayList<>(jobs.size());
        for (Settled job : jobs) {
            session.settling(topic, job.id(), job.lease());
            calls.add(settle.apply(job)
                    .onSuccess(held -> session.settled(topic, job.id(), job.lease()))
                    .onFailure(error -> session.settlingFailed(topic, job.id(), job.lease())));
        }
        return Future.join(calls)
                .onFailure(error -> session.error(frame.ref(), error))
                .map(all -> all.<Boolean>list());
    }

    private static List<String> stale(List<Settled> jobs, List<Boolean> held) {
        List<String> stale = new ArrayList<>();
        for (int i = 0; i < jobs.size(); i++) {
            if (!held.get(i)) {
                stale.add(jobs.get(i).id());
            }
        }
        return stale;
    }

    private static JobJson.Writer answer(String op, Buffer ref, String topic) {
        return JobJson.object().text("op", op).text("topic", topic).raw("ref", ref);
    }
}
