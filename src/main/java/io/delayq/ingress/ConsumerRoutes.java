package io.delayq.ingress;

import io.delayq.bus.Polls;
import io.delayq.http.Answer;
import io.delayq.http.Call;
import io.delayq.http.ConsumerRequest;
import io.delayq.http.JobJson;
import io.delayq.http.Json;
import io.delayq.http.Problem;
import io.delayq.job.Delivery;
import io.delayq.job.JobState;
import io.delayq.ops.Meters;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/** Taking jobs out and settling them. */
final class ConsumerRoutes {
    private final Store store;
    private final Polls polls;
    private final Meters meters;

    ConsumerRoutes(Store store, Polls polls, Meters meters) {
        this.store = store;
        this.polls = polls;
        this.meters = meters;
    }

    Future<Answer> reserve(Call call) {
        ConsumerRequest.Reserve wish = ConsumerRequest.reserve(call.body());
        Future<List<Delivery>> poll = polls.open(call.topic(), wish.max(), wish.waitMillis(), call::isGone);
        call.request().response().closeHandler(gone -> polls.leave(poll));
        return poll.map(jobs -> Answer.json(200, JobJson.deliveries(jobs)));
    }

    Future<Answer> ack(Call call) {
        ConsumerRequest.Ack ack = ConsumerRequest.ack(call.body());
        return store.ack(call.topic(), call.id(), ack.lease(), call.by()).map(held -> {
            checkHeld(held);
            meters.acked(call.topic(), 1);
            return Answer.empty();
        });
    }

    Future<Answer> nack(Call call) {
        ConsumerRequest.Nack nack = ConsumerRequest.nack(call.body());
        return store.nack(call.topic(), call.id(), nack.lease(), nack.delay(), nack.error(), call.by())
                .map(nacked -> {
                    checkHeld(!nacked.stale());
                    return Answer.json(
                            200,
                            JobJson.object()
                                    .text(
                                            "state",
                                            nacked.state() == null
                                                    ? "gone"
                                                    : nacked.state().word())
                                    .number("due", nacked.state() == JobState.DELAYED ? nacked.due() : null)
                                    .end());
                });
    }

    Future<Answer> extend(Call call) {
        ConsumerRequest.Extend extend = ConsumerRequest.extend(call.body());
        return store.extend(call.topic(), call.id(), extend.lease(), extend.ttr())
                .map(deadline -> {
                    checkHeld(deadline >= 0);
                    return Answer.json(
                            200, JobJson.object().number("deadline", deadline).end());
                });
    }

    Future<Answer> acks(Call call) {
        List<ConsumerRequest.Held> held = ConsumerRequest.acks(call.body());
        List<Future<Boolean>> acks = new ArrayList<>(held.size());
        for (ConsumerRequest.Held job : held) {
            acks.add(store.ack(call.topic(), job.id(), job.lease(), call.by()));
        }
        return Future.join(acks).map(all -> {
            List<String> stale = new ArrayList<>();
            for (int i = 0; i < held.size(); i++) {
                if (!acks.get(i).result()) {
                    stale.add(held.get(i).id());
                }
            }
            int acked = held.size() - stale.size();
            meters.acked(call.topic(), acked);
            return Answer.json(
                    200,
                    JobJson.object()
                            .number("acked", acked)
                            .list("stale", stale, Json::string)
                            .end());
        });
    }

    private static void checkHeld(boolean held) {
        if (!held) {
            throw Problem.staleLease();
        }
    }
}
