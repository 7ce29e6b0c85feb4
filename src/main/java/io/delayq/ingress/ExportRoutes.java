package io.delayq.ingress;

import io.delayq.http.Call;
import io.delayq.http.Faults;
import io.delayq.http.Outflow;
import io.delayq.http.Problem;
import io.delayq.http.QueryReader;
import io.delayq.job.Names;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Function;

/** Getting all jobs out, in the form in which they can be put in again. */
final class ExportRoutes {
    private final Store store;

    ExportRoutes(Store store) {
        this.store = store;
    }

    Future<Void> export(Call call, Outflow out) {
        Faults faults = new Faults();
        String topic = QueryReader.read(call.query(), List.of("topic"), faults).text("topic", Names::topicFault);
        faults.throwIfAny();
        if (topic == null) {
            return noted(call, new Export(store, call.caller()::mayTouch, out), Export::all);
        }
        call.caller().checkTopic(topic);
        call.note("topic", topic);
        return store.counts(List.of(topic)).compose(counts -> {
            if (counts.isEmpty()) {
                throw Problem.topicNotFound(topic);
            }
            return noted(call, new Export(store, any -> true, out), export -> export.one(topic));
        });
    }

    private static Future<Void> noted(Call call, Export export, Function<Export, Future<Void>> begin) {
        return begin.apply(export).onComplete(done -> call.note("exported", export.jobs()));
    }
}
