package io.delayq.ingress;

import io.delayq.http.Answer;
import io.delayq.http.Call;
import io.delayq.http.JobJson;
import io.delayq.http.Problem;
import io.delayq.http.TopicQuery;
import io.delayq.http.TopicRequest;
import io.delayq.job.Forecast;
import io.delayq.job.JobPage;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.function.Supplier;

/** What is done to many jobs of a topic at once. Long work ends when its client has gone. */
final class TopicJobsRoutes {
    private final Store store;

    TopicJobsRoutes(Store store) {
        this.store = store;
    }

    Future<Answer> list(Call call) {
        JobQuery query = TopicQuery.jobs(call.uncheckedTopic(), call.query(), call.inPath());
        return existing(store, call.topic(), () -> page(query)).map(page -> {
            JobJson.Writer out = JobJson.object()
                    .list("jobs", page.jobs(), (buffer, job) -> buffer.appendBuffer(JobJson.listed(job, query.body())));
            return Answer.json(200, out.text("cursor", page.cursor()).end());
        });
    }

    private Future<JobPage> page(JobQuery query) {
        return Future.succeededFuture()
                .compose(begun -> store.topics().list(query))
                .recover(error -> Future.failedFuture(
                        query.cursor() != null && error instanceof IllegalArgumentException
                                ? Problem.invalid(
                                        "/cursor",
                                        "expected a cursor as it came with the page before, and its other parameters")
                                : error));
    }

    Future<Answer> purge(Call call) {
        JobState state = TopicQuery.state(call.query(), call.inPath());
        TopicRequest.nothing(call.body());
        String topic = call.topic();
        return existing(store, topic, () -> store.topics().purge(topic, state, call::isGone))
                .map(count -> {
                    call.note("state", state == null ? "all" : state.word());
                    return counted(call, "deleted", count);
                });
    }

    Future<Answer> requeue(Call call) {
        call.refuseQuery();
        List<String> ids = TopicRequest.requeue(call.body());
        String topic = call.topic();
        return existing(store, topic, () -> store.topics().requeue(topic, ids, call::isGone))
                .map(count -> counted(call, "requeued", count));
    }

    Future<Answer> cancelGroup(Call call) {
        call.refuseQuery();
        TopicRequest.nothing(call.body());
        String topic = call.topic();
        return existing(store, topic, () -> store.topics().cancelGroup(topic, call.group(), call::isGone))
                .map(count -> counted(call, "deleted", count));
    }

    Future<Answer> forecast(Call call) {
        TopicQuery.Span span = TopicQuery.forecast(call.query(), call.inPath());
        String topic = call.topic();
        return existing(store, topic, () -> store.topics().forecast(topic, span.windowMillis(), span.stepMillis()))
                .map(TopicJobsRoutes::shown);
    }

    private static Answer shown(Forecast forecast) {
        return Answer.json(
                200,
                JobJson.object()
                        .number("from", forecast.from())
                        .number("step", forecast.step())
                        .list("due", forecast.due(), TopicJobsRoutes::number)
                        .end());
    }

    private static void number(Buffer out, Long number) {
        out.appendString(Long.toString(number));
    }

    static Answer counted(Call call, String name, long count) {
        call.note(name, count);
        return Answer.json(200, JobJson.object().number(name, count).end());
    }

    /** Does it if the topic is there. */
    static <T> Future<T> existing(Store store, String topic, Supplier<Future<T>> action) {
        return store.topics().exists(topic).compose(there -> {
            if (!there) {
                throw Problem.topicNotFound(topic);
            }
            return action.get();
        });
    }
}
