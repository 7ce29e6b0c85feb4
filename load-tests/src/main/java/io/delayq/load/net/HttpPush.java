package io.delayq.load.net;

import java.io.IOException;

/** Pushes to delayq over HTTP/1.1 with keep-alive, without pipelining: requests are made once and patched in place. */
public final class HttpPush extends PushConn {
    private static final byte[] CREATED = Bytes.ascii("HTTP/1.1 201");
    private static final byte[] OK = Bytes.ascii("HTTP/1.1 200");
    private static final byte[] HEAD_END = Bytes.ascii("\r\n\r\n");
    private static final byte[] LENGTH = Bytes.ascii("ontent-length: ");
    private static final byte[] LENGTH_CAPITAL = Bytes.ascii("ontent-Length: ");
    private static final int DELAY_WIDTH = 12;

    private final JobShape shape;
    private final int batch;
    private final byte[] request;
    private final int[] topicAt;
    private final int[] idAt;
    private final int[] delayAt;
    private final byte[] accepted;

    /** @param delayed whether the jobs have a delay at all: without one the field is left out */
    public HttpPush(int port, JobShape shape, int batch, boolean delayed) {
        this.shape = shape;
        this.batch = batch;
        topicAt = new int[batch];
        idAt = new int[batch];
        delayAt = new int[batch];
        accepted = Bytes.ascii("{\"accepted\":" + batch + ",");
        StringBuilder json = new StringBuilder();
        for (int i = 0; i < batch; i++) {
            json.append(i == 0 ? batch > 1 ? "[" : "" : ",").append('{');
            if (batch > 1) {
                json.append("\"topic\":\"").append(shape.base());
                topicAt[i] = json.length();
                json.append(" ".repeat(shape.topicDigits())).append("\",");
            }
            if (shape.idLength() > 0) {
                json.append("\"id\":\"");
                idAt[i] = json.length();
                json.append(" ".repeat(shape.idLength())).append("\",");
            }
            if (delayed) {
                json.append("\"delay\":");
                delayAt[i] = json.length();
                json.append(" ".repeat(DELAY_WIDTH)).append(',');
            }
            json.append("\"body\":").append(shape.body()).append('}');
        }
        json.append(batch > 1 ? "]" : "");
        String path = batch > 1 ? "/v1/jobs" : "/v1/topics/" + shape.base() + " ".repeat(shape.topicDigits()) + "/jobs";
        String head = "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port
                + "\r\nContent-Type: application/json\r\nContent-Length: " + json.length() + "\r\n\r\n";
        request = Bytes.ascii(head + json);
        for (int i = 0; i < batch; i++) {
            topicAt[i] = batch > 1
                    ? topicAt[i] + head.length()
                    : head.indexOf(shape.base()) + shape.base().length();
            idAt[i] += head.length();
            delayAt[i] = delayed ? delayAt[i] + head.length() : -1;
        }
    }

    /** Every request has the same length. */
    int requestLength() {
        return request.length;
    }

    @Override
    protected void opened() throws IOException {
        becomeReady();
    }

    @Override
    int batch() {
        return batch;
    }

    @Override
    void push(int first, long delayMillis) throws IOException {
        for (int i = 0; i < batch; i++) {
            shape.topic(request, topicAt[i], first + i);
            if (shape.idLength() > 0) {
                shape.id(request, idAt[i], first + i);
            }
            if (delayAt[i] >= 0) {
                Bytes.number(request, delayAt[i], DELAY_WIDTH, delayMillis, 10, (byte) ' ');
            }
        }
        send(request, 0, request.length);
    }

    @Override
    protected int heard(byte[] in, int from, int to) throws IOException {
        int headEnd = Bytes.find(in, from, to, HEAD_END);
        if (headEnd < 0) {
            return from;
        }
        int field = Bytes.find(in, from, headEnd, LENGTH);
        field = field < 0 ? Bytes.find(in, from, headEnd, LENGTH_CAPITAL) : field;
        if (field < 0) {
            throw new IOException("an answer without a length: " + Bytes.text(in, from, headEnd));
        }
        int bodyFrom = headEnd + HEAD_END.length;
        int end = bodyFrom + Bytes.leadingNumber(in, field + LENGTH.length, headEnd);
        if (end > to) {
            return from;
        }
        boolean stored = batch == 1
                ? Bytes.starts(in, from, to, CREATED)
                : Bytes.starts(in, from, to, OK) && Bytes.starts(in, bodyFrom, end, accepted);
        if (!stored) {
            throw new IOException("a push was refused: " + Bytes.text(in, from, Math.min(end, from + 800)));
        }
        done.pushed(this);
        return end;
    }
}
