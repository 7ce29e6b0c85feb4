package io.delayq.load.net;

import java.io.IOException;

/** Puts into a beanstalkd tube; a batch is that many puts sent at once. The number of a job is its body's start. */
public final class BeanstalkPush extends PushConn {
    static final int NUMBER_WIDTH = 10;
    private static final int DELAY_WIDTH = 6;
    private static final byte[] INSERTED = Bytes.ascii("INSERTED ");

    private final String tube;
    private final int batch;
    private final byte[] request;
    private final int[] delayAt;
    private final int[] numberAt;
    private boolean greeted;
    private int answers;

    public BeanstalkPush(String tube, int batch) {
        this.tube = tube;
        this.batch = batch;
        delayAt = new int[batch];
        numberAt = new int[batch];
        StringBuilder puts = new StringBuilder();
        for (int i = 0; i < batch; i++) {
            puts.append("put 0 ");
            delayAt[i] = puts.length();
            puts.append("0".repeat(DELAY_WIDTH)).append(" 60 100\r\n");
            numberAt[i] = puts.length();
            puts.append("0".repeat(NUMBER_WIDTH))
                    .append("x".repeat(100 - NUMBER_WIDTH))
                    .append("\r\n");
        }
        request = Bytes.ascii(puts.toString());
    }

    @Override
    protected void opened() throws IOException {
        send("use " + tube + "\r\n");
    }

    @Override
    int batch() {
        return batch;
    }

    @Override
    void push(int first, long delayMillis) throws IOException {
        for (int i = 0; i < batch; i++) {
            Bytes.number(request, delayAt[i], DELAY_WIDTH, delayMillis / 1000, 10, (byte) '0');
            Bytes.number(request, numberAt[i], NUMBER_WIDTH, first + i, 10, (byte) '0');
        }
        answers = 0;
        send(request, 0, request.length);
    }

    @Override
    protected int heard(byte[] in, int from, int to) throws IOException {
        int at = from;
        for (int end = Bytes.find(in, at, to, (byte) '\n'); end >= 0; end = Bytes.find(in, at, to, (byte) '\n')) {
            if (!greeted) {
                greeted = true;
                becomeReady();
            } else if (!Bytes.starts(in, at, end, INSERTED)) {
                throw new IOException("a put was refused: " + Bytes.text(in, at, end));
            } else if (++answers == batch) {
                done.pushed(this);
            }
            at = end + 1;
        }
        return at;
    }
}
