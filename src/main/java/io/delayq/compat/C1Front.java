package io.delayq.compat;

import io.delayq.compat.GoJson.Fields;
import io.delayq.compat.GoJson.Struct;
import io.delayq.http.Answer;
import io.delayq.http.Api;
import io.delayq.http.Call;
import io.delayq.http.JobRequest;
import io.delayq.job.Backoff;
import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.Retry;
import io.delayq.job.TopicAlias;
import io.delayq.job.When;
import io.delayq.redis.IdStore.Found;
import io.vertx.core.Future;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** ouqiang/delay-queue. A job comes again each time its ttr is over until somebody finishes it. */
final class C1Front implements FrontEnd {
    private static final String TYPE = "text/plain; charset=utf-8";
    private static final Struct JOB =
            new Struct("delayqueue.Job", List.of("topic", "id", "body"), List.of("delay", "ttr"));
    private static final Struct TOPIC = new Struct("routers.TopicRequest", List.of("topic"), List.of());
    private static final Struct ID = new Struct("routers.IdRequest", List.of("id"), List.of());
    private static final Retry FOR_EVER = new Retry(0, new Backoff.Steps(List.of(0L)));
    private static final long LONGEST_TTR = 86_400;
    private static final long SECOND = 1_000;

    private final Core core;
    private final long holdMillis;

    /** @param holdMillis how long a pop waits for a job */
    C1Front(Core core, long holdMillis) {
        this.core = core;
        this.holdMillis = holdMillis;
    }

    private interface Action {
        Future<Answer> on(Fields fields);
    }

    @Override
    public void routes(Api api) {
        route(api, "/push", call -> with(call, JOB, this::push));
        route(api, "/pop", call -> with(call, TOPIC, fields -> pop(fields, call)));
        route(
                api,
                "/finish",
                call -> withId(call, id -> core.finish(id, call.by()).map(done("操作成功", "null"))));
        route(api, "/delete", call -> withId(call, id -> core.remove(id).map(done("操作成功", "null"))));
        route(api, "/get", call -> withId(call, id -> core.find(id).map(C1Front::found)));
    }

    private void route(Api api, String path, Api.Handler handler) {
        api.foreign(null, path, JobRequest.MAX_REQUEST_BYTES, core.caller(), handler);
    }

    private static Future<Answer> with(Call call, Struct struct, Action action) {
        try {
            return action.on(GoJson.read(call.body(), struct)).recover(C1Front::failed);
        } catch (GoJson.Fault e) {
            return refused("解析json失败");
        } catch (RuntimeException e) {
            return failed(e);
        }
    }

    private static Future<Answer> withId(Call call, Function<String, Future<Answer>> action) {
        return with(call, ID, fields -> {
            String id = GoText.trim(fields.text("id"));
            return id.isEmpty() ? refused("job id不能为空") : action.apply(id);
        });
    }

    private Future<Answer> push(Fields fields) {
        String id = GoText.trim(fields.text("id"));
        String topic = GoText.trim(fields.text("topic"));
        long delay = fields.number("delay");
        long ttr = fields.number("ttr");
        if (id.isEmpty()) {
            return refused("job id不能为空");
        }
        if (topic.isEmpty()) {
            return refused("topic 不能为空");
        }
        if (delay < 1 || !Core.isBearable(delay)) {
            return refused("delay 取值范围1 - (2^31 - 1)");
        }
        if (ttr < 1 || ttr > LONGEST_TTR) {
            return refused("ttr 取值范围1 - 86400");
        }
        JobOptions options = new JobOptions(ttr * SECOND, FOR_EVER, null, null, null, null, null);
        NewJob job = new NewJob(
                Core.topic(topic),
                Core.id(id),
                When.in(delay * SECOND),
                options,
                Core.body(GoText.trim(fields.text("body"))));
        return core.own(job, Core.delayNote(delay), true).map(done("添加成功", "null"));
    }

    private Future<Answer> pop(Fields fields, Call call) {
        String topics = GoText.trim(fields.text("topic"));
        if (topics.isEmpty()) {
            return refused("topic不能为空");
        }
        List<String> all = Arrays.stream(topics.split(","))
                .filter(topic -> !topic.isEmpty())
                .toList();
        return core.pop(all, holdMillis, call).map(job -> answer(0, "操作成功", job == null ? "null" : delivered(job)));
    }

    private static String delivered(Delivery job) {
        return "{\"id\":" + GoText.json(job.id()) + ",\"body\":" + GoText.json(Core.text(job.body())) + "}";
    }

    private static Answer found(Found found) {
        if (found == null || found.job().state() == JobState.DONE) {
            return answer(0, "操作成功", "null");
        }
        JobView job = found.job();
        return answer(
                0,
                "操作成功",
                "{\"topic\":" + GoText.json(TopicAlias.shown(job.topic()))
                        + ",\"id\":" + GoText.json(job.id())
                        + ",\"delay\":" + due(found)
                        + ",\"ttr\":" + job.ttr() / SECOND
                        + ",\"body\":" + GoText.json(Core.text(job.body())) + "}");
    }

    /** When it was first due; each redelivery changes what the job itself says of it. */
    private static long due(Found found) {
        Long delay = Core.givenDelay(found);
        return found.job().attempts() > 0 && delay != null
                ? found.job().created() / SECOND + delay
                : found.job().due() / SECOND;
    }

    private static <T> Function<T, Answer> done(String message, String data) {
        return ignored -> answer(0, message, data);
    }

    private static Future<Answer> refused(String message) {
        return Future.succeededFuture(answer(1, message, "null"));
    }

    private static Future<Answer> failed(Throwable cause) {
        return refused(Core.reason(cause));
    }

    private static Answer answer(int code, String message, String data) {
        return Answer.text(
                TYPE, "{\"code\":" + code + ",\"message\":" + GoText.json(message) + ",\"data\":" + data + "}");
    }
}
