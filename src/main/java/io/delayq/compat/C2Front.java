package io.delayq.compat;

import io.delayq.compat.GoJson.Fields;
import io.delayq.compat.GoJson.Struct;
import io.delayq.http.Answer;
import io.delayq.http.Api;
import io.delayq.http.Call;
import io.delayq.http.JobRequest;
import io.delayq.job.JobOptions;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.TopicAlias;
import io.delayq.job.When;
import io.delayq.redis.IdStore.Found;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * tengzbiao/go-delay-queue. Its README and its code differ: GET is as in the code, POST as in the README. Its consumers
 * take ids from a Redis list, which is a setting of the topic.
 */
final class C2Front implements FrontEnd {
    private static final Logger log = LoggerFactory.getLogger(C2Front.class);
    private static final String TYPE = "application/json; charset=utf-8";
    private static final String BASE = "/delay-queue/api/jobs/";
    private static final Struct JOB = new Struct("delay_queue.Job", List.of("topic", "id", "body"), List.of("delay"));
    private static final Struct ID = new Struct("routers.JobId", List.of("job_id"), List.of());
    private static final long SECOND = 1_000;

    private final Core core;

    C2Front(Core core) {
        this.core = core;
    }

    private enum Code {
        OK(0, "ok"),
        DONE(0, "操作成功"),
        BAD(400, "参数错误"),
        DELAY(10001, "delay 取值范围1 - (2^31 - 1)"),
        NOT_ADDED(10002, "添加job失败"),
        NOT_REMOVED(10003, "删除job失败"),
        NOT_FOUND(10004, "未查询到job");

        final int number;
        final String message;

        Code(int number, String message) {
            this.number = number;
            this.message = message;
        }
    }

    private interface Action {
        Future<Answer> on(String id);
    }

    @Override
    public void routes(Api api) {
        route(api, HttpMethod.POST, "add", this::add);
        route(api, HttpMethod.GET, "remove", call -> byQuery(call, id -> remove(id, Code.OK)));
        route(api, HttpMethod.POST, "remove", call -> byBody(call, id -> remove(id, Code.DONE)));
        route(api, HttpMethod.GET, "get", call -> byQuery(call, id -> get(id, Code.OK, Code.NOT_FOUND)));
        route(api, HttpMethod.POST, "get", call -> byBody(call, id -> get(id, Code.DONE, Code.DONE)));
    }

    private void route(Api api, HttpMethod method, String name, Api.Handler handler) {
        api.foreign(method, BASE + name, JobRequest.MAX_REQUEST_BYTES, core.caller(), handler);
    }

    private Future<Answer> add(Call call) {
        Fields fields;
        try {
            fields = GoJson.readFirst(call.body(), JOB);
        } catch (GoJson.Fault e) {
            return answered(Code.BAD);
        }
        long delay = fields.number("delay");
        if (fields.text("topic").isEmpty() || delay == 0) {
            return answered(Code.BAD);
        }
        if (delay < 0 || !Core.isBearable(delay)) {
            return answered(Code.DELAY);
        }
        String id = fields.text("id").isEmpty() ? UUID.randomUUID().toString() : fields.text("id");
        try {
            NewJob job = new NewJob(
                    Core.topic(fields.text("topic")),
                    Core.id(id),
                    When.in(delay * SECOND),
                    JobOptions.NONE,
                    Core.body(fields.text("body")));
            return core.own(job, Core.delayNote(delay), true)
                    .map(owned -> answer(Code.OK, "{\"job_id\":" + GoText.json(id) + "}"))
                    .recover(cause -> failed(Code.NOT_ADDED, cause));
        } catch (RuntimeException e) {
            return failed(Code.NOT_ADDED, e);
        }
    }

    private Future<Answer> remove(String id, Code done) {
        return core.remove(id).map(gone -> answer(done, "null")).recover(cause -> failed(Code.NOT_REMOVED, cause));
    }

    private Future<Answer> get(String id, Code found, Code missing) {
        return core.find(id)
                .map(job -> job == null ? answer(missing, "null") : answer(found, shown(job)))
                .recover(cause -> failed(Code.NOT_FOUND, cause));
    }

    private static String shown(Found found) {
        JobView job = found.job();
        Long delay = Core.givenDelay(found);
        return "{\"topic\":" + GoText.json(TopicAlias.shown(job.topic()))
                + ",\"id\":" + GoText.json(job.id())
                + ",\"delay\":" + (delay == null ? (job.due() - job.created()) / SECOND : delay)
                + ",\"exec_time\":" + job.due() / SECOND
                + ",\"body\":" + GoText.json(Core.text(job.body())) + "}";
    }

    private static Future<Answer> byQuery(Call call, Action action) {
        try {
            String id = call.request().getParam("job_id");
            return id == null || id.isEmpty() ? answered(Code.BAD) : action.on(GoText.wellFormed(id));
        } catch (IllegalArgumentException notEncoded) {
            return answered(Code.BAD);
        }
    }

    private static Future<Answer> byBody(Call call, Action action) {
        try {
            String id = GoJson.readFirst(call.body(), ID).text("job_id");
            return id.isEmpty() ? answered(Code.BAD) : action.on(id);
        } catch (GoJson.Fault e) {
            return answered(Code.BAD);
        }
    }

    /** Its clients are not told why. */
    private static Future<Answer> failed(Code code, Throwable cause) {
        log.debug("front end c2 refused a request code={} reason=\"{}\"", code.number, Core.reason(cause));
        return answered(code);
    }

    private static Future<Answer> answered(Code code) {
        return Future.succeededFuture(answer(code, "null"));
    }

    private static Answer answer(Code code, String data) {
        return Answer.text(
                TYPE,
                "{\"code\":" + code.number + ",\"message\":" + GoText.json(code.message) + ",\"data\":" + data + "}");
    }
}
