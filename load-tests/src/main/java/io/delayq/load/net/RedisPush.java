package io.delayq.load.net;

import java.io.IOException;

/** Sets a key for each job in a bare Redis: a yardstick for the machine, where no peer is there. */
public final class RedisPush extends PushConn {
    private static final int NUMBER_WIDTH = 8;
    private static final byte[] OK = Bytes.ascii("+OK");

    private final int batch;
    private final byte[] request;
    private final int[] numberAt;
    private int answers;

    public RedisPush(int batch) {
        this.batch = batch;
        numberAt = new int[batch];
        StringBuilder sets = new StringBuilder();
        for (int i = 0; i < batch; i++) {
            sets.append("*3\r\n$3\r\nSET\r\n$8\r\n");
            numberAt[i] = sets.length();
            sets.append("0".repeat(NUMBER_WIDTH))
                    .append("\r\n$100\r\n")
                    .append("x".repeat(100))
                    .append("\r\n");
        }
        request = Bytes.ascii(sets.toString());
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
            Bytes.number(request, numberAt[i], NUMBER_WIDTH, first + i, 10, (byte) '0');
        }
        answers = 0;
        send(request, 0, request.length);
    }

    @Override
    protected int heard(byte[] in, int from, int to) throws IOException {
        int at = from;
        for (int end = Bytes.find(in, at, to, (byte) '\n'); end >= 0; end = Bytes.find(in, at, to, (byte) '\n')) {
            if (!Bytes.starts(in, at, end, OK)) {
                throw new IOException("Redis answered " + Bytes.text(in, at, end));
            }
            at = end + 1;
            if (++answers == batch) {
                done.pushed(this);
            }
        }
        return at;
    }
}
