package io.delayq.redis;

import com.fasterxml.jackson.databind.node.TextNode;
import io.delayq.job.Delivery;
import io.delayq.job.TopicSettings.RedisList.Payload;
import io.vertx.core.buffer.Buffer;

/** A job as a topic's Redis list has it: its id, or all that whoever takes it off the list may need. */
final class ListEntry {
    private ListEntry() {}

    /** As enlist.lua writes it. */
    static byte[] of(Payload payload, Delivery job) {
        if (payload == Payload.ID) {
            return Bytes.of(job.id());
        }
        Buffer out = Buffer.buffer(128 + job.body().length());
        out.appendString("{\"topic\":").appendBytes(quoted(job.topic()));
        out.appendString(",\"id\":").appendBytes(quoted(job.id()));
        out.appendString(",\"attempt\":" + job.attempt() + ",\"due\":" + job.due());
        if (job.traceparent() != null) {
            out.appendString(",\"traceparent\":").appendBytes(quoted(job.traceparent()));
        }
        return out.appendString(",\"body\":")
                .appendBuffer(job.body())
                .appendString("}")
                .getBytes();
    }

    private static byte[] quoted(String text) {
        return JobRecord.bytes(TextNode.valueOf(text));
    }
}
