package io.delayq.http;

import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.RedisList;
import io.delayq.job.TopicSettings.Webhook;
import io.vertx.core.buffer.Buffer;

/** A topic's settings as JSON text: only what was set, durations in milliseconds, and never a secret. */
public final class SettingsJson {
    private SettingsJson() {}

    public static Buffer write(TopicSettings settings) {
        JobJson.Writer out = JobJson.object().number("ttr", settings.ttr());
        if (!settings.retry().equals(Retry.INHERITED)) {
            out.object("retry", retry -> JobJson.retry(retry, settings.retry()));
        }
        if (settings.priority() != null) {
            out.text("priority", settings.priority().word());
        }
        out.number("ttl", settings.ttl());
        if (settings.onExpire() != null) {
            out.text("onExpire", settings.onExpire().word());
        }
        destinations(out, settings);
        return out.number("keepDone", settings.keepDone())
                .number("keepDead", settings.keepDead())
                .number("maxInFlight", settings.maxInFlight())
                .number("ratePerSecond", settings.ratePerSecond())
                .end();
    }

    private static void destinations(JobJson.Writer out, TopicSettings settings) {
        if (settings.callback() != null) {
            out.object("callback", callback -> JobJson.callback(callback, settings.callback()));
        }
        Webhook webhook = settings.webhook();
        if (webhook != null) {
            String success =
                    webhook.success() == null ? null : webhook.success().word();
            out.object("webhook", inner -> inner.text("success", success));
        }
        RedisList list = settings.redisList();
        if (list != null) {
            out.object("redisList", inner -> inner.text("key", list.key())
                    .text("payload", list.payload().word()));
        }
    }
}
