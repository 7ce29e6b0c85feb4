package io.delayq.compat;

import io.delayq.compat.GoJson.Fields;
import io.delayq.compat.GoJson.Struct;
import io.delayq.http.Answer;
import io.delayq.http.Api;
import io.delayq.http.Call;
import io.delayq.http.JobRequest;
import io.delayq.job.Backoff;
import io.delayq.job.Callback;
import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.NewJob;
import io.delayq.job.Retry;
import io.delayq.job.TopicAlias;
import io.delayq.job.When;
import io.delayq.redis.IdStore.Found;
import io.delayq.redis.IdStore.Owned;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;

/** liuxc2016/delayq. A job in an answer is JSON as text. */
final class C4Front implements FrontEnd {
    private static final String TYPE = "application/json; charset=UTF-8";
    private static final Struct MESSAGE = new Struct(
            "httpclient.CmdMessage", List.of("cmd", "topic", "jobid", "name", "data"), List.of("exectime", "ttr"));
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    /** Its jobs are addresses to be called. */
    private static final String PUSH_URL = "push_url";

    private static final Retry PUSH_URL_RETRY =
            new Retry(5, new Backoff.Steps(List.of(30_000L, 60_000L, 90_000L, 120_000L)));
    private static final long SECOND = 1_000;
    private static final long TTR_SECONDS = 30;
    private static final String EXECTIME = "e";
    private static final String ADDING = "提交参数不正确！";
    private static final String SHOWING = "获取任务信息出错！";
    private static final String POPPING = "取任务出错！";
    private static final String FINISHING = "标识完成任务出错！";

    private final Core core;

    C4Front(Core core) {
        this.core = core;
    }

    private interface Action {
        Future<Answer> on(Fields fields);
    }

    @Override
    public void routes(Api api) {
        route(api, "job/add", call -> with(call, ADDING, this::add));
        route(api, "job/info", call -> with(call, SHOWING, this::info));
        route(api, "job/pop", call -> with(call, POPPING, fields -> pop(fields, call)));
        route(api, "job/finish", call -> with(call, FINISHING, fields -> finish(fields, call)));
        route(api, "ping", call -> ping());
    }

    private void route(Api api, String path, Api.Handler handler) {
        api.foreign(null, "/delayq/" + path, JobRequest.MAX_REQUEST_BYTES, core.caller(), handler);
    }

    private static Future<Answer> with(Call call, String failure, Action action) {
        try {
            return action.on(GoJson.read(call.body(), MESSAGE)).recover(cause -> refused(failure + Core.reason(cause)));
        } catch (GoJson.Fault e) {
            String sent = new String(call.body(), StandardCharsets.UTF_8);
            return Future.succeededFuture(answer("1", ADDING + e.getMessage(), sent));
        } catch (RuntimeException e) {
            return refused(failure + Core.reason(e));
        }
    }

    private Future<Answer> add(Fields fields) {
        String id = fields.text("jobid");
        String topic = fields.text("topic");
        long exectime = fields.number("exectime");
        if (id.isEmpty() || topic.isEmpty()) {
            return refused(ADDING + id + topic + "jobid, topic 必须填写！");
        }
        NewJob job = new NewJob(
                Core.topic(topic),
                Core.id(id),
                when(exectime),
                options(topic, fields.text("data")),
                Core.body(fields.text("data")));
        String note = EXECTIME + exectime + " " + fields.text("name");
        return core.own(job, note, false)
                .map(owned -> owned.stored()
                        ? answer("0", "添加任务成功！", added(fields, owned))
                        : answer("1", ADDING + id + "当前任务id已经存在，不允许重复添加！", ""));
    }

    /** 0 is in a second. */
    private static When when(long exectime) {
        if (exectime == 0) {
            return When.in(SECOND);
        }
        if (!Core.isBearable(exectime - System.currentTimeMillis() / SECOND)) {
            throw new IllegalArgumentException("exectime: expected at most 2^31 s from now");
        }
        return When.at(Math.max(1, Math.max(0, exectime) * SECOND));
    }

    private JobOptions options(String topic, String data) {
        boolean called = topic.equals(PUSH_URL);
        return new JobOptions(
                TTR_SECONDS * SECOND,
                called ? PUSH_URL_RETRY : Retry.INHERITED,
                called ? new Callback(Urls.checked("data", data, core.targets()), "GET", Map.of()) : null,
                null,
                null,
                null,
                null);
    }

    private Future<Answer> info(Fields fields) {
        String id = fields.text("jobid");
        if (id.isEmpty()) {
            return refused(SHOWING + "jobid,  必须填写！");
        }
        return core.find(id)
                .map(found -> found == null
                        ? answer("1", SHOWING + "任务获取失败，任务不存在！", "")
                        : answer("0", "获取任务成功成功！", shown(found)));
    }

    private Future<Answer> pop(Fields fields, Call call) {
        String topic = fields.text("topic");
        if (topic.isEmpty()) {
            return refused(POPPING + "topic值不能为空");
        }
        return core.pop(List.of(topic), 0, call)
                .compose(job -> job == null ? Future.succeededFuture() : found(job))
                .map(found -> found == null
                        ? answer("1", POPPING + "redigo: nil returned", "")
                        : answer("0", "取出任务成功！", shown(found)));
    }

    /** Also one that came in another way. */
    private Future<Found> found(Delivery job) {
        return core.find(job.id())
                .compose(found -> found != null && found.job().topic().equals(job.topic())
                        ? Future.succeededFuture(found)
                        : core.store()
                                .get(job.topic(), job.id())
                                .map(view -> view == null ? null : new Found(view, null, 0)));
    }

    private Future<Answer> finish(Fields fields, Call call) {
        String id = fields.text("jobid");
        if (id.isEmpty()) {
            return refused(FINISHING + "缺少参数jobid:");
        }
        return core.finish(id, call.by()).map(done -> answer("0", "标识完成任务成功！", ""));
    }

    private Future<Answer> ping() {
        return core.store()
                .look(0)
                .map(look -> answer("0", clock() + "当前状态正常！", "PONG"))
                .recover(cause -> refused(clock() + "当前状态出错！" + Core.reason(cause)));
    }

    private static String clock() {
        return LocalDateTime.now().format(CLOCK);
    }

    private static String added(Fields fields, Owned owned) {
        long exectime = fields.number("exectime");
        return job(
                fields.text("jobid"),
                fields.text("name"),
                fields.text("topic"),
                fields.text("data"),
                owned.now() / SECOND,
                exectime == 0 ? owned.due() / SECOND : exectime,
                0,
                0,
                TTR_SECONDS,
                JobState.DELAYED);
    }

    private static String shown(Found found) {
        JobView job = found.job();
        return job(
                job.id(),
                name(found.note()),
                TopicAlias.shown(job.topic()),
                Core.text(job.body()),
                job.created() / SECOND,
                exectime(found),
                found.started() / SECOND,
                job.attempts(),
                job.ttr() / SECOND,
                job.state());
    }

    private static String name(String note) {
        return note != null && note.startsWith(EXECTIME) ? note.substring(note.indexOf(' ') + 1) : "";
    }

    /** As it was given if that was in the past, which a due time never is. */
    private static long exectime(Found found) {
        JobView job = found.job();
        String note = found.note();
        return note != null && note.startsWith(EXECTIME) && job.due() <= job.created()
                ? Long.parseLong(note.substring(1, note.indexOf(' ')))
                : job.due() / SECOND;
    }

    private static String job(
            String id,
            String name,
            String topic,
            String data,
            long added,
            long due,
            long popped,
            int tries,
            long ttr,
            JobState state) {
        return "{\"jobid\":" + GoText.json(id)
                + ",\"name\":" + GoText.json(name)
                + ",\"topic\":" + GoText.json(topic)
                + ",\"data\":" + GoText.json(data)
                + ",\"addtime\":" + added
                + ",\"exectime\":" + due
                + ",\"poptime\":" + popped
                + ",\"tryes\":" + tries
                + ",\"ttr\":" + ttr
                + ",\"state\":" + number(state) + "}";
    }

    private static int number(JobState state) {
        return switch (state) {
            case DELAYED -> 0;
            case READY -> 1;
            case RESERVED -> 2;
            case DEAD -> 3;
            case DONE -> 4;
        };
    }

    private static Future<Answer> refused(String info) {
        return Future.succeededFuture(answer("1", info, ""));
    }

    private static Answer answer(String code, String info, String data) {
        return Answer.text(
                TYPE,
                "{\"code\":" + GoText.json(code) + ",\"info\":" + GoText.json(info) + ",\"data\":" + GoText.json(data)
                        + "}");
    }
}
