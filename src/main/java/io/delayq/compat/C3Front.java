package io.delayq.compat;

import io.delayq.http.Answer;
import io.delayq.http.Api;
import io.delayq.http.Call;
import io.delayq.http.JobRequest;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.Map;
import java.util.regex.Pattern;

/** shenpeiliang/delay_queue: tasks that come as forms, see {@link C3Task}. */
final class C3Front implements FrontEnd {
    private static final String TYPE = "application/json; charset=utf-8";
    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]+");
    private static final long SECOND = 1_000;
    private static final long JUDGED_NANOS = 1_000_000_000L;

    private final Core core;
    private Long judgedNanos;

    C3Front(Core core) {
        this.core = core;
    }

    @Override
    public void routes(Api api) {
        api.foreign(HttpMethod.POST, "/api/task/save", JobRequest.MAX_REQUEST_BYTES, core.caller(), this::save);
    }

    private Future<Answer> save(Call call) {
        try {
            Map<String, String> form = Form.of(call);
            long planned = millis(form.getOrDefault("plan_time", ""));
            C3Task task = C3Task.of(
                    form.getOrDefault("notify_url", ""),
                    form.getOrDefault("method_name", ""),
                    form.getOrDefault("notify_param", ""),
                    planned,
                    core.targets());
            return judged().compose(ready -> core.store().look(0))
                    .compose(look -> core.push(task.job(core.ids().next(), look.now())))
                    .map(pushed -> answer("ok", "操作成功"))
                    .otherwise(cause -> answer("no", Core.reason(cause)));
        } catch (IllegalArgumentException e) {
            return Future.succeededFuture(answer("no", e.getMessage()));
        }
    }

    /** Looked up once a second, since whoever deletes the topic deletes its rule too. */
    private Future<Void> judged() {
        long now = System.nanoTime();
        if (judgedNanos != null && now - judgedNanos < JUDGED_NANOS) {
            return Future.succeededFuture();
        }
        return C3Task.judge(core.store().topics()).onSuccess(done -> judgedNanos = now);
    }

    /** From seconds, as {@code strconv.ParseInt} reads and refuses them. */
    private static long millis(String seconds) {
        if (!WHOLE.matcher(seconds).matches()) {
            throw unparsed(seconds, "invalid syntax");
        }
        try {
            long whole = Long.parseLong(seconds);
            // far more than is taken, and no overflow
            return Math.max(0, Math.min(whole, Long.MAX_VALUE / SECOND)) * SECOND;
        } catch (NumberFormatException e) {
            throw unparsed(seconds, "value out of range");
        }
    }

    private static IllegalArgumentException unparsed(String text, String why) {
        return new IllegalArgumentException("参数错误：strconv.ParseInt: parsing \"" + GoText.escaped(text) + "\": " + why);
    }

    private static Answer answer(String code, String data) {
        return Answer.text(TYPE, "{\"code\":" + GoText.json(code) + ",\"data\":" + GoText.json(data) + "}");
    }
}
