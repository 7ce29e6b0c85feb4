package io.delayq.load.net;

import java.io.IOException;

/** Reserves from a beanstalkd tube and deletes what it got. The delete and the next reserve go out together. */
public final class BeanstalkDrain extends DrainConn {
    private static final byte[] RESERVED = Bytes.ascii("RESERVED ");
    private static final byte[] DELETED = Bytes.ascii("DELETED");
    private static final byte[] DELETE = Bytes.ascii("delete ");
    private static final byte[] RESERVE = Bytes.ascii("reserve\r\n");

    private final String tube;
    private final int window;
    private int greetings = 2;
    private final byte[] answer = new byte[64 << 10];
    private int length;
    private int deleted;

    /** @param window reserves under way at a time: 1 is what clients do, more is pipelined */
    public BeanstalkDrain(String tube, int window) {
        this.tube = tube;
        this.window = window;
    }

    @Override
    protected void opened() throws IOException {
        send("watch " + tube + "\r\nignore default\r\n");
    }

    @Override
    void begin() throws IOException {
        for (int i = 0; i < window && taken.mayAsk(); i++) {
            add(RESERVE, 0, RESERVE.length);
        }
        sendAll();
    }

    @Override
    protected int heard(byte[] in, int from, int to) throws IOException {
        int at = from;
        for (int next = one(in, at, to); next > at; next = one(in, at, to)) {
            at = next;
            if (length > answer.length - 256) {
                sendAll();
            }
        }
        sendAll();
        if (deleted > 0) {
            int jobs = deleted;
            deleted = 0;
            taken.acked(jobs);
        }
        return at;
    }

    private int one(byte[] in, int at, int to) throws IOException {
        int end = Bytes.find(in, at, to, (byte) '\n');
        if (end < 0) {
            return at;
        }
        if (Bytes.starts(in, at, end, RESERVED)) {
            int idFrom = at + RESERVED.length;
            int idTo = Bytes.find(in, idFrom, end, (byte) ' ');
            int after = end + 1 + Bytes.leadingNumber(in, idTo + 1, end) + 2;
            if (after > to) {
                return at;
            }
            taken.delivered(Bytes.number(in, end + 1, end + 1 + BeanstalkPush.NUMBER_WIDTH, 10));
            add(DELETE, 0, DELETE.length);
            add(in, idFrom, idTo - idFrom);
            answer[length++] = '\r';
            answer[length++] = '\n';
            if (taken.mayAsk()) {
                add(RESERVE, 0, RESERVE.length);
            }
            return after;
        }
        if (Bytes.starts(in, at, end, DELETED)) {
            deleted++;
        } else if (greetings > 0 && in[at] == 'W') {
            if (--greetings == 0) {
                taken.ready(this);
            }
        } else {
            throw new IOException("beanstalkd answered " + Bytes.text(in, at, end));
        }
        return end + 1;
    }

    private void add(byte[] bytes, int from, int count) {
        System.arraycopy(bytes, from, answer, length, count);
        length += count;
    }

    private void sendAll() throws IOException {
        if (length > 0) {
            int all = length;
            length = 0;
            send(answer, 0, all);
        }
    }
}
