package io.delayq.load.net;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Subscribes over WebSocket and acks every message's jobs with one message. Reads only what it must: ids and leases
 * are found by scanning and copied into the ack. Its masking key is zero, which the protocol allows and spares a pass.
 */
public final class SocketDrain extends DrainConn {
    private static final byte[] HEAD_END = Bytes.ascii("\r\n\r\n");
    private static final byte[] JOBS = Bytes.ascii("{\"op\":\"jobs\",\"topic\":\"");
    private static final byte[] ID = Bytes.ascii("{\"id\":\"");
    private static final byte[] LEASE = Bytes.ascii("\",\"lease\":\"");
    private static final byte[] ACKED = Bytes.ascii("{\"op\":\"acked\"");
    private static final byte[] ACKED_COUNT = Bytes.ascii("\"acked\":");
    private static final byte[] NONE_STALE = Bytes.ascii("\"stale\":[]");
    private static final byte[] SUBSCRIBED = Bytes.ascii("{\"op\":\"subscribed\"");
    private static final byte[] ACK_HEAD = Bytes.ascii("{\"op\":\"ack\",\"ref\":1,\"topic\":\"");
    private static final byte[] ACK_JOBS = Bytes.ascii("\",\"jobs\":[");
    private static final int FRAME_HEAD = 14;
    private static final int MOST_IN_AN_ACK = 1_000;

    private final int port;
    private final JobShape shape;
    private final List<String> topics;
    private final int prefetch;
    private boolean open;
    private int unconfirmed;
    private byte[] message = new byte[64 << 10];
    private int messageLength;
    private byte[] ack = new byte[64 << 10];
    private int ackLength;

    public SocketDrain(int port, JobShape shape, List<String> topics, int prefetch) {
        this.port = port;
        this.shape = shape;
        this.topics = topics;
        this.prefetch = prefetch;
        unconfirmed = topics.size();
    }

    @Override
    protected void opened() throws IOException {
        send("GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n");
    }

    @Override
    void begin() throws IOException {
        for (String topic : topics) {
            byte[] text =
                    Bytes.ascii("{\"op\":\"subscribe\",\"topic\":\"" + topic + "\",\"prefetch\":" + prefetch + "}");
            ackLength = FRAME_HEAD;
            add(text, 0, text.length);
            sendFrame(0x81);
        }
    }

    /** Whether every subscription was confirmed. */
    boolean subscribed() {
        return unconfirmed == 0;
    }

    @Override
    protected int heard(byte[] in, int from, int to) throws IOException {
        int at = from;
        if (!open) {
            int headEnd = Bytes.find(in, from, to, HEAD_END);
            if (headEnd < 0) {
                return from;
            }
            if (!Bytes.starts(in, from, to, Bytes.ascii("HTTP/1.1 101"))) {
                throw new IOException("no WebSocket: " + Bytes.text(in, from, headEnd));
            }
            open = true;
            at = headEnd + HEAD_END.length;
            taken.ready(this);
        }
        for (int next = frame(in, at, to); next > at; next = frame(in, at, to)) {
            at = next;
        }
        return at;
    }

    private int frame(byte[] in, int at, int to) throws IOException {
        if (to - at < 2) {
            return at;
        }
        int length = in[at + 1] & 0x7f;
        int head = length == 126 ? 4 : length == 127 ? 10 : 2;
        if (to - at < head) {
            return at;
        }
        if (head > 2) {
            length = 0;
            for (int i = at + 2; i < at + head; i++) {
                length = length << 8 | in[i] & 0xff;
            }
        }
        int payload = at + head;
        if (to - payload < length) {
            return at;
        }
        payload(in[at] & 0xff, in, payload, length);
        return payload + length;
    }

    private void payload(int first, byte[] in, int from, int length) throws IOException {
        int opcode = first & 0x0f;
        boolean last = (first & 0x80) != 0;
        switch (opcode) {
            case 1 -> {
                if (last) {
                    message(in, from, from + length);
                } else {
                    messageLength = 0;
                    keep(in, from, length);
                }
            }
            case 0 -> {
                keep(in, from, length);
                if (last) {
                    message(message, 0, messageLength);
                }
            }
            case 9 -> {
                ackLength = FRAME_HEAD;
                add(in, from, length);
                sendFrame(0x8a);
            }
            case 10 -> {
                return;
            }
            default -> throw new IOException("the server closed the WebSocket: " + Bytes.text(in, from, from + length));
        }
    }

    private void keep(byte[] in, int from, int length) {
        if (messageLength + length > message.length) {
            message = Arrays.copyOf(message, Math.max(2 * message.length, messageLength + length));
        }
        System.arraycopy(in, from, message, messageLength, length);
        messageLength += length;
    }

    private void message(byte[] in, int from, int to) throws IOException {
        if (Bytes.starts(in, from, to, JOBS)) {
            jobs(in, from + JOBS.length, to);
        } else if (Bytes.starts(in, from, to, ACKED)) {
            if (Bytes.find(in, from, to, NONE_STALE) < 0) {
                throw new IOException("a lease did not hold: " + Bytes.text(in, from, Math.min(to, from + 400)));
            }
            int count = Bytes.find(in, from + ACKED.length, to, ACKED_COUNT);
            taken.acked(Bytes.leadingNumber(in, count + ACKED_COUNT.length, to));
        } else if (Bytes.starts(in, from, to, SUBSCRIBED)) {
            unconfirmed--;
        } else {
            throw new IOException("the server said " + Bytes.text(in, from, Math.min(to, from + 800)));
        }
    }

    private void jobs(byte[] in, int topicFrom, int to) throws IOException {
        int topicTo = Bytes.find(in, topicFrom, to, (byte) '"');
        int jobs = 0;
        int bodyLength = shape.body().length();
        for (int at = Bytes.find(in, topicTo, to, ID); at >= 0; at = Bytes.find(in, at, to, ID)) {
            int idFrom = at + ID.length;
            int idTo = Bytes.find(in, idFrom, to, LEASE);
            int leaseTo = Bytes.find(in, idTo + LEASE.length, to, (byte) '"');
            taken.delivered(shape.job(in, idFrom, idTo));
            if (jobs == 0) {
                ackLength = FRAME_HEAD;
                add(ACK_HEAD, 0, ACK_HEAD.length);
                add(in, topicFrom, topicTo - topicFrom);
                add(ACK_JOBS, 0, ACK_JOBS.length);
            } else {
                add((byte) ',');
            }
            add(in, at, leaseTo - at + 1);
            add((byte) '}');
            if (++jobs == MOST_IN_AN_ACK) {
                endAck();
                jobs = 0;
            }
            at = leaseTo + bodyLength;
        }
        if (jobs > 0) {
            endAck();
        }
    }

    private void endAck() throws IOException {
        add((byte) ']');
        add((byte) '}');
        sendFrame(0x81);
    }

    private void add(byte value) {
        if (ackLength == ack.length) {
            ack = Arrays.copyOf(ack, 2 * ack.length);
        }
        ack[ackLength++] = value;
    }

    private void add(byte[] bytes, int from, int count) {
        if (ackLength + count > ack.length) {
            ack = Arrays.copyOf(ack, Math.max(2 * ack.length, ackLength + count));
        }
        System.arraycopy(bytes, from, ack, ackLength, count);
        ackLength += count;
    }

    /** The payload stands after the room for the longest head; the head is put right before it. */
    private void sendFrame(int first) throws IOException {
        int length = ackLength - FRAME_HEAD;
        int head = length < 126 ? 6 : length < 65_536 ? 8 : 14;
        int at = FRAME_HEAD - head;
        Arrays.fill(ack, at, FRAME_HEAD, (byte) 0);
        ack[at] = (byte) first;
        if (head == 6) {
            ack[at + 1] = (byte) (0x80 | length);
        } else if (head == 8) {
            ack[at + 1] = (byte) (0x80 | 126);
            ack[at + 2] = (byte) (length >> 8);
            ack[at + 3] = (byte) length;
        } else {
            ack[at + 1] = (byte) (0x80 | 127);
            for (int i = 0; i < 4; i++) {
                ack[at + 6 + i] = (byte) (length >> 24 - 8 * i);
            }
        }
        send(ack, at, head + length);
    }
}
