package io.delayq.http;

import io.delayq.job.Backoff;
import io.delayq.job.Callback;
import io.delayq.job.Delivery;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.Retry;
import io.delayq.job.TopicCounts;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Jobs as JSON text, written straight into a buffer; bodies go through as they came. */
public final class JobJson {
    /** All of a delivery's text but its id and body. */
    private static final int LONGEST_FRAME = 512;

    private static final int SHORT = 192;

    private JobJson() {}

    /** One object; members whose value is null are left out. Nothing of it is sure to be in the buffer before its end. */
    public static final class Writer {
        private final Buffer out;
        /** What is not in the buffer yet: members are short, and one append is cheaper than many. */
        private final StringBuilder text;

        private boolean begun;

        public Writer(Buffer out) {
            this(out, new StringBuilder(SHORT));
        }

        /** For {@link #bytes}. */
        Writer() {
            this(null);
        }

        private Writer(Buffer out, StringBuilder text) {
            this.out = out;
            this.text = text.append('{');
        }

        public Writer text(String name, String value) {
            if (value != null) {
                member(name);
                Json.string(text, value);
            }
            return this;
        }

        public Writer number(String name, long value) {
            member(name);
            text.append(value);
            return this;
        }

        public Writer number(String name, Number value) {
            return raw(name, value == null ? null : value.toString());
        }

        public Writer flag(String name, boolean value) {
            return raw(name, Boolean.toString(value));
        }

        public Writer raw(String name, String json) {
            if (json != null) {
                member(name);
                text.append(json);
            }
            return this;
        }

        public Writer raw(String name, Buffer json) {
            if (json != null) {
                member(name);
                flush().appendBuffer(json);
            }
            return this;
        }

        public <T> Writer list(String name, List<T> items, BiConsumer<Buffer, T> write) {
            member(name);
            JobJson.list(flush(), items, write);
            return this;
        }

        public Writer object(String name, java.util.function.Consumer<Writer> members) {
            member(name);
            members.accept(new Writer(out, text));
            text.append('}');
            return this;
        }

        public Buffer end() {
            text.append('}');
            return flush();
        }

        /** The end of an object with nothing in it but text and numbers. */
        byte[] bytes() {
            return text.append('}').toString().getBytes(StandardCharsets.UTF_8);
        }

        private Buffer flush() {
            out.appendString(text.toString());
            text.setLength(0);
            return out;
        }

        private void member(String name) {
            if (begun) {
                text.append(',');
            }
            begun = true;
            text.append('"').append(name).append("\":");
        }
    }

    public static Writer object() {
        return new Writer(Buffer.buffer(SHORT));
    }

    public static <T> void list(Buffer out, List<T> items, BiConsumer<Buffer, T> write) {
        out.appendByte((byte) '[');
        for (int i = 0; i < items.size(); i++) {
            if (i > 0) {
                out.appendByte((byte) ',');
            }
            write.accept(out, items.get(i));
        }
        out.appendByte((byte) ']');
    }

    /** What a push answers. */
    public static Buffer pushed(String topic, String id, JobState state, long due) {
        return object().text("topic", topic)
                .text("id", id)
                .text("state", state.word())
                .number("due", due)
                .end();
    }

    public static Buffer deliveries(List<Delivery> jobs) {
        return object().list("jobs", jobs, (buffer, job) -> delivery(buffer, job, true))
                .end();
    }

    /** At least as long as the job's text. */
    public static int longest(Delivery job) {
        return LONGEST_FRAME + 6 * job.id().length() + job.body().length();
    }

    public static void delivery(Buffer out, Delivery job, boolean withTopic) {
        new Writer(out)
                .text("topic", withTopic ? job.topic() : null)
                .text("id", job.id())
                .text("lease", job.lease())
                .number("attempt", job.attempt())
                .number("maxAttempts", job.maxAttempts())
                .number("due", job.due())
                .number("deadline", job.deadline())
                .text("traceparent", job.traceparent())
                .raw("body", job.body())
                .end();
    }

    /** @param whole with its log and body */
    public static Buffer job(JobView job, boolean whole) {
        Writer out = brief(job);
        if (whole) {
            out.raw("log", job.log()).raw("body", job.body());
        }
        return out.end();
    }

    /** One of a list: such a job has no log, even with its body. */
    public static Buffer listed(JobView job, boolean withBody) {
        Writer out = brief(job);
        if (withBody) {
            out.raw("body", job.body());
        }
        return out.end();
    }

    private static Writer brief(JobView job) {
        JobOptions own = job.options();
        Writer out = object().text("topic", job.topic())
                .text("id", job.id())
                .text("state", job.state().word())
                .number("due", job.due())
                .number("created", job.created())
                .number("attempts", job.attempts())
                .number("ttr", job.ttr())
                .object("retry", retry -> retry(retry, job.retry()))
                .text("priority", own.priorityOrDefault().word())
                .number("ttl", own.ttl())
                .text("group", own.group());
        if (own.callback() != null) {
            out.object("callback", callback -> callback(callback, own.callback()));
        }
        return out.number("deadline", job.deadline()).text("lastError", job.lastError());
    }

    static void retry(Writer out, Retry retry) {
        out.number("maxAttempts", retry.maxAttempts());
        if (retry.backoff() instanceof Backoff.Steps steps) {
            out.list("backoff", steps.waits(), (buffer, wait) -> buffer.appendString(Long.toString(wait)));
        } else if (retry.backoff() instanceof Backoff.Exponential exponential) {
            out.object("backoff", backoff -> backoff.number("base", exponential.base())
                    .raw("factor", plain(exponential.factor()))
                    .number("max", exponential.max())
                    .raw("jitter", plain(exponential.jitter())));
        }
    }

    static void callback(Writer out, Callback callback) {
        out.text("url", callback.url()).text("method", callback.method());
        if (!callback.headers().isEmpty()) {
            out.object("headers", headers -> {
                for (Map.Entry<String, String> header : callback.headers().entrySet()) {
                    headers.text(header.getKey(), header.getValue());
                }
            });
        }
    }

    /** @param settings null: not for this caller */
    public static void topic(Buffer buffer, TopicCounts topic, int subscribers, Buffer settings) {
        new Writer(buffer)
                .text("topic", topic.topic())
                .number("delayed", topic.delayed())
                .number("ready", topic.ready())
                .number("reserved", topic.reserved())
                .number("dead", topic.dead())
                .number("done", topic.done())
                .flag("paused", topic.paused())
                .number("subscribers", subscribers)
                .raw("settings", settings)
                .end();
    }

    /** 2 rather than 2.0. */
    private static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
