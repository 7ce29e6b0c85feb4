package io.delayq.http;

import io.delayq.job.JobOptions;
import io.delayq.job.JobView;
import io.delayq.job.Retry;
import io.vertx.core.buffer.Buffer;

/** A job as one line that a push of many takes back: its own rules only, so that the rest still follows its topic. */
public final class JobLine {
    private JobLine() {}

    public static void write(Buffer out, JobView job) {
        JobOptions own = job.options();
        JobJson.Writer line = new JobJson.Writer(out)
                .text("topic", job.topic())
                .text("id", job.id())
                .number("at", job.due())
                .number("ttr", own.ttr());
        Retry retry = own.retry();
        if (retry != null && (retry.maxAttempts() != null || retry.backoff() != null)) {
            line.object("retry", members -> JobJson.retry(members, retry));
        }
        line.text("priority", own.priority() == null ? null : own.priority().word())
                .number("ttl", own.ttl())
                .text("group", own.group());
        if (own.callback() != null) {
            line.object("callback", members -> JobJson.callback(members, own.callback()));
        }
        line.raw("body", onOneLine(job.body())).end();
        out.appendByte((byte) '\n');
    }

    /** In JSON a line can only end between tokens, where any white space will do. */
    private static Buffer onOneLine(Buffer json) {
        // an array: byte by byte from a buffer takes many times as long
        byte[] text = json.getBytes();
        boolean changed = false;
        for (int i = 0; i < text.length; i++) {
            if (text[i] == '\n' || text[i] == '\r') {
                text[i] = ' ';
                changed = true;
            }
        }
        return changed ? Buffer.buffer(text) : json;
    }
}
